/*
 * A rate limit for log lines: a plugin that floods its stderr must not fill the log, nor
 * block the hub on a stderr that is not read. The number of dropped lines is logged with
 * the next line.
 */
import { LINES_PER_SECOND } from './hub-limits.ts';

const SECOND_MS = 1000;

/** Wrap `write` so that at most `LINES_PER_SECOND` lines pass in a second. */
export function rateLimited(
	write: (line: string) => void,
	now: () => number = () => performance.now(),
): (line: string) => void {
	let startedAt = Number.NEGATIVE_INFINITY;
	let lines = 0;
	return (line) => {
		if (now() - startedAt >= SECOND_MS) {
			if (lines > LINES_PER_SECOND) write(`(${lines - LINES_PER_SECOND} lines were dropped from the log)`);
			startedAt = now();
			lines = 0;
		}
		lines++;
		if (lines <= LINES_PER_SECOND) write(line);
	};
}
