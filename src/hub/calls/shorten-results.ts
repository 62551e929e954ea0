/* A result above the budget of its client becomes its first part and a handle. Its hash in the journal is that of the whole. */
import { after } from '../../mcp/server/methods.ts';
import type { ResultSource } from '../results/result-source.ts';
import type { Middleware } from './compose.ts';

export function shortenResults(results: ResultSource): Middleware {
	return (inner) => ({
		...inner,
		request(call) {
			if (call.method !== 'tools/call' || call.target.way || call.target.source === results)
				return inner.request(call);
			const select = results.takeSelect(call);
			return after(inner.request(call), (answer) =>
				select === undefined ? results.shorten(answer, call) : results.select(answer, call, select),
			);
		},
	});
}
