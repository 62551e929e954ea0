/* How a child process exited, with all facts that the reader needs. */
import { crashLines, crashReason } from './crash-lines.ts';
import { DIAGNOSIS_HINT_LINES } from './process-limits.ts';

/** How a child process exited, for users and programs. */
export interface Diagnosis {
	readonly command: string;
	readonly pid: number;
	readonly exitCode: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly elapsedMs: number;
	readonly stderr: readonly string[];
	readonly strayLines: readonly string[];
	readonly strayCount: number;
	/** The limit that it probably reached; undefined when nothing points to one. */
	readonly limit?: string | undefined;
}

/** How a child exited, in sentences for a hint. */
export function explainExit(diagnosis: Diagnosis): string {
	return `\`${diagnosis.command}\` ${exitText(diagnosis) ?? `closed its stdout but still runs after ${diagnosis.elapsedMs} ms`}.${lastLinesText(diagnosis)}`;
}

/** How a child exited and how long it ran, such as `exited with code 1 after 30 ms`; undefined while it runs. */
export function exitText({ exitCode, signal, elapsedMs, limit }: Diagnosis): string | undefined {
	if (signal === null && exitCode === null) return undefined;
	const how = signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`;
	return `${how} after ${elapsedMs} ms${limit === undefined ? '' : `; ${limit}`}`;
}

/** Why a child that exited did so, from its last stderr lines, in one line; undefined when it said nothing. */
export function exitReason({ exitCode, stderr, strayLines }: Diagnosis): string | undefined {
	const lines = stderr.length > 0 ? stderr : strayLines;
	// The last line of a program that failed is the best that it said; of one that was ended it is any line of its log.
	const last = exitCode === null || exitCode === 0 ? undefined : crashLines(lines, 1)[0]?.trim();
	return crashReason(lines) ?? last;
}

/** The lines that say most, for the end of a hint. */
export function lastLinesText({ stderr, strayLines }: Diagnosis): string {
	const [stream, lines] = stderr.length > 0 ? ['stderr', stderr] : ['stdout', strayLines];
	if (lines.length === 0) return ' It printed nothing on stderr.';
	const shown = crashLines(lines, DIAGNOSIS_HINT_LINES).map((line) => line.trim());
	return ` Last ${stream} lines: ${shown.join(' | ')}`;
}
