/* What an expression picks from the result of a call, before the client gets it: `_select`, and `mctl call --select`. */
import type { CallToolResult } from '../../../protocol/mcp-types.ts';
import { textOfResult } from '../shorten-result.ts';
import { type LookAnswer, readLookRequest } from './look-request.ts';
import type { LookThreads } from './run-look.ts';

export interface SelectOptions {
	readonly threads: LookThreads;
	/** Most characters of the answer. */
	readonly limit: number;
	readonly signal: AbortSignal;
}

/** Rejects with `bad_input` for an expression that cannot be evaluated. */
export function selectFrom(
	result: CallToolResult,
	select: string,
	{ threads, limit, signal }: SelectOptions,
): Promise<LookAnswer> {
	const request = readLookRequest({ op: 'select', select });
	return threads.run({ source: { text: textOfResult(result).text }, request, limit }, signal);
}
