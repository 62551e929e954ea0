/*
 * The tool `look` for clients that get shortened results. It is in the list of a client with a
 * budget from the start, because some clients read the list once; any client may call it.
 */
import { after } from '../../mcp/server/methods.ts';
import type { Item } from '../../protocol/item-lists.ts';
import type { MergedList } from '../merged-list.ts';
import type { ResultSource } from '../results/result-source.ts';
import type { Middleware } from './compose.ts';

export function offerLook(results: ResultSource): Middleware {
	/** The same list for the same list: the search compares it. */
	const extended = new WeakMap<MergedList<Item>, MergedList<Item>>();
	return (inner) => ({
		list(kind, reader) {
			const listed = inner.list(kind, reader);
			if (kind !== 'tools' || reader === undefined || results.budgets.ofClient(reader.client) === 0)
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
