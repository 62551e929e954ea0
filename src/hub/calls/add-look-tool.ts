/*
 * The tool `look` for clients that get shortened results, and `_select` for tools of servers with `"select": true`. It is in the list of a client with a
 * budget from the start, because some clients read the list once; any client may call it.
 */
import { after } from '../../mcp/server/methods.ts';
import type { Item } from '../../protocol/item-lists.ts';
import type { MergedList } from '../catalogue/merged-list.ts';
import type { ResultSource } from '../results/result-source.ts';
import type { Middleware } from './compose.ts';

export function addLookTool(results: ResultSource): Middleware {
	/** The same list for the same list: the search compares it. */
	const selecting = new WeakMap<MergedList<Item>, MergedList<Item>>();
	const extended = new WeakMap<MergedList<Item>, MergedList<Item>>();
	return (inner) => ({
		list(kind, reader) {
			const listed =
				kind === 'tools' && reader
					? after(inner.list(kind, reader), (list) => {
							const known = selecting.get(list) ?? results.withSelect(list);
							selecting.set(list, known);
							return known;
						})
					: inner.list(kind, reader);
			if (kind !== 'tools' || reader === undefined || !results.budgets.getsHandles(reader.client))
				return listed;
			return after(listed, (list) => {
				const known = extended.get(list) ?? results.withLook(list);
				extended.set(list, known);
				return known;
			});
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
