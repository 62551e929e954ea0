/* What a hub does about project files that are not trusted: notify clients, explain calls. */
import { type BlockedFile, blockedText, trustHint } from '../config/trust/blocked.ts';
import { toolPrefix } from '../trust/tool-name.ts';

/** Files that the instructions name. */
const NAMED_FILES = 8;

/** The instructions for agents: an agent that misses tools can say why. The decision is the user's. */
export function trustInstructions(blocked: readonly BlockedFile[]): string | undefined {
	if (blocked.length === 0) return undefined;
	const sentences = blocked.slice(0, NAMED_FILES).map((file) => `${blockedText(file)}.`);
	if (blocked.length > NAMED_FILES)
		sentences.push(`${blocked.length - NAMED_FILES} more files are not trusted.`);
	const folder = blocked[0]?.folder ?? '';
	const advice = `To use them, the user has to look at the file and run "mctl trust" in ${folder}. Tell the user when one of them is needed; do not run the command yourself.`;
	return [...sentences, advice].join(' ');
}

/** A sentence that says why a tool is not there, when its server is blocked or its plugin may be. */
export function blockedReasonOf(tool: string, blocked: readonly BlockedFile[]): string | undefined {
	const why = (file: BlockedFile): string => `${file.file} is not trusted; the user can ${trustHint(file)}`;
	for (const file of blocked) {
		if (file.effects.some(({ kind, name }) => kind === 'plan' && name === tool)) return why(file);
		const isItsServer = file.effects.some(
			({ kind, name }) => kind === 'server' && tool.startsWith(toolPrefix(name)),
		);
		if (isItsServer) return `Its server is blocked: ${why(file)}`;
	}
	const other = blocked.find(({ effects }) => effects.some(({ kind }) => kind === 'plugin'));
	return other && `It may belong to a plugin that is blocked: ${why(other)}`;
}
