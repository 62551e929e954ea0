/* The oldest Node.js that mctl runs on, in syntax that older ones can read. */

export const OLDEST_NODE = '20.19';

/** Why this Node.js cannot run mctl; undefined when it can. */
export function nodeProblem(version: string): string | undefined {
	const [major = 0, minor = 0] = version.split('.').map(Number);
	const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
	if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
	return `mctl needs Node.js ${OLDEST_NODE} or later; this is v${version}`;
}
