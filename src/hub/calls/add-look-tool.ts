/*
 * The tool `look` for clients that get shortened results, and `_select` for tools of servers with `"select": true`. It is in the list of a client with a
 * budget from the start, because some clients read the list once; any client may call it.
 */

import { after } from '../../mcp/server/methods.ts';
import type { Item } from '../../protocol/item-lists.ts';
import { memoized } from '../../wire/memoized.ts';
import type { MergedList } from '../catalogue/merged-list.ts';
import type { ResultSource } from '../results/result-source.ts';
import type { Middleware } from './middleware.ts';

export function addLookTool(results: ResultSource): Middleware {
	/** The same list for the same list: the search compares it. */
	const withSelect = memoized((list: MergedList<Item>) => results.withSelect(list));
	const withLook = memoized((list: MergedList<Item>) => results.withLook(list));
	return (inner) => ({
		list(kind, reader) {
			const listed = inner.list(kind, reader);
			if (kind !== 'tools' || reader === undefined) return listed;
			const selecting = after(listed, withSelect);
			return results.budgets.getsHandles(reader.client) ? after(selecting, withLook) : selecting;
		},

		request(call) {
			if (call.method !== 'tools/call' || call.isRouted || !results.mayBeLook(call.name))
				return inner.request(call);
			return after(inner.list('tools'), ({ routes }) => {
				const look = results.lookRoute(routes);
				if (call.name === look.name) call.target = look;
				return inner.request(call);
			});
		},
	});
}
