/* Compare a running hub with this program: its version, and the time of its files. */
import type { HubRecord } from './hub-record.ts';

/** How a hub relates to this program. A hub that does not name its version is older: every newer one does. */
export type HubAge = 'same' | 'older' | 'newer';

export function ageOfHub({ version }: Pick<HubRecord, 'version'>, ours: string): HubAge {
	const order = version === undefined ? -1 : compareVersions(version, ours);
	if (order === 0) return 'same';
	return order < 0 ? 'older' : 'newer';
}

/** The log line about a hub of another version; undefined for one of ours. */
export function versionText(hub: Pick<HubRecord, 'pid' | 'version'>, ours: string): string | undefined {
	const age = ageOfHub(hub, ours);
	if (age === 'same') return undefined;
	const { pid, version = 'of an unknown version' } = hub;
	const what = `the hub (pid ${pid}) is ${version}, ${age} than this program (${ours})`;
	if (age === 'newer') return `${what}; start the agent again to use the newer program`;
	const next = hub.version === undefined ? '' : 'the next bridge replaces it when no client uses it; ';
	return `${what}; ${next}to restart it now: mctl hub stop && mctl hub start`;
}

/** The log line about a hub of our version that started before the program was built or installed; undefined for a later one. */
export function newerFilesText(
	{ pid, startedAt }: Pick<HubRecord, 'pid' | 'startedAt'>,
	builtAt: Date,
): string | undefined {
	if (!(builtAt.getTime() > Date.parse(startedAt))) return undefined;
	return `the hub (pid ${pid}) started at ${startedAt}, before the files of this program were written (${builtAt.toISOString()}); to restart it: mctl hub stop && mctl hub start`;
}

/** Compare as semantic versioning does: negative when `one` is lower. Build metadata does not count. */
export function compareVersions(one: string, other: string): number {
	const [first, second] = [partsOf(one), partsOf(other)];
	return compareNumbers(first.numbers, second.numbers) || compareLabels(first.labels, second.labels);
}

function partsOf(version: string): { numbers: string[]; labels: string[] } {
	const [, numbers = '', labels = ''] = /^v?([\d.]*)(?:-([^+]*))?/.exec(version) ?? [];
	return { numbers: numbers.split('.'), labels: labels === '' ? [] : labels.split('.') };
}

/** A version with labels is before the one without: `1.0.0-beta` before `1.0.0`. */
function compareLabels(one: readonly string[], other: readonly string[]): number {
	if (one.length === 0 || other.length === 0) return other.length - one.length;
	return compareNumbers(one, other);
}

/** Numbers by their value, before words; a part that is missing is lowest. */
function compareNumbers(one: readonly string[], other: readonly string[]): number {
	for (let at = 0; at < Math.max(one.length, other.length); at++) {
		const [first, second] = [one[at], other[at]];
		if (first === second) continue;
		if (first === undefined || second === undefined) return first === undefined ? -1 : 1;
		const [isNumber, isOtherNumber] = [/^\d+$/.test(first), /^\d+$/.test(second)];
		if (isNumber && isOtherNumber && Number(first) !== Number(second)) return Number(first) - Number(second);
		if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
		if (!isNumber) return first < second ? -1 : 1;
	}
	return 0;
}
