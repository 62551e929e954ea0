/* How a child process exited, with all facts that the reader needs. */

/** How a child process exited, for people and programs. */
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
	const { command, exitCode, signal, elapsedMs, stderr, strayLines } = diagnosis;
	const how =
		signal !== null
			? `was ended by ${signal}`
			: exitCode === null
				? 'closed its stdout but still runs'
				: `exited with code ${exitCode}`;
	const [stream, lines] = stderr.length > 0 ? ['stderr', stderr] : ['stdout', strayLines];
	const last =
		lines.length > 0
			? ` Last ${stream} lines: ${lines.slice(-3).join(' | ')}`
			: ' It printed nothing on stderr.';
	const why = diagnosis.limit === undefined ? '' : `; ${diagnosis.limit}`;
	return `\`${command}\` ${how} after ${elapsedMs} ms${why}.${last}`;
}
