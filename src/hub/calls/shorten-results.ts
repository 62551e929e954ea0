/* A result above the limit becomes its beginning and a link. Its hash in the journal is that of the whole. */
import { after } from '../../mcp/server/methods.ts';
import type { BigResults } from '../results/big-results.ts';
import type { Middleware } from './compose.ts';

export function shortenResults(results: BigResults): Middleware {
	return (inner) => ({
		...inner,
		request(call) {
			if (call.method !== 'tools/call' || call.target.way) return inner.request(call);
			return after(inner.request(call), (answer) => results.shorten(answer, call.tool, call.context));
		},
	});
}
