/* How a child ended, told so that the reader need not look anywhere else. */

/** Why a child failed, for people and machines. */
export interface Diagnosis {
	readonly command: string;
	readonly pid: number;
	readonly exitCode: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly elapsedMs: number;
	readonly stderr: readonly string[];
	readonly strayLines: readonly string[];
	readonly strayCount: number;
}

/** A sentence about how a child ended. */
export function explainExit(diagnosis: Diagnosis): string {
	const { command, exitCode, signal, elapsedMs, stderr, strayLines } = diagnosis;
	const how =
		signal !== null
			? `was ended by ${signal}`
			: exitCode === null
				? 'closed its stdout but still runs'
				: `exited with code ${exitCode}`;
	const words = stderr.length > 0 ? stderr : strayLines;
	const last =
		words.length > 0 ? ` Its last words: ${words.slice(-3).join(' | ')}` : ' It printed nothing on stderr.';
	return `\`${command}\` ${how} after ${elapsedMs} ms.${last}`;
}
