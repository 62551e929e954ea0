/* The output of a server comes twice: fetched with its page, and live. An event on its way while the page is fetched has lines of it. */
import type { LogLine } from '../../api/api-types.ts';

/** The live lines that the fetched ones do not have. */
export function linesAfter(fetched: readonly LogLine[], live: readonly LogLine[]): LogLine[] {
	const last = fetched.at(-1)?.at ?? 0;
	const ofLast = fetched.filter(({ at }) => at === last);
	const isKnown = (line: LogLine): boolean =>
		line.at === last && ofLast.some(({ text, stream }) => text === line.text && stream === line.stream);
	return live.filter((line) => line.at >= last && !isKnown(line));
}
