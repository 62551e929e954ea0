/*
 * MCP Apps for clients with and without them.
 *
 * A client that shows pages gets tools as they are, those for pages alone included: hiding these from
 * the model is its part, and some hosts let a page call only what they listed. Any other client sees
 * neither pages nor tools that only a page may call. That a client declares pages is no permission:
 * views and policy decide about each call as ever.
 */

import type { CallContext } from '../../mcp/server/call-context.ts';
import { after } from '../../mcp/server/methods.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import { memoized } from '../../wire/memoized.ts';
import type { MergedList } from '../catalogue/merged-list.ts';
import { UI } from '../extensions.ts';
import type { Middleware } from './middleware.ts';

/** The member of `_meta` that older hosts read; others read `ui.resourceUri`. */
export const OLD_PAGE_KEY = 'ui/resourceUri';

/** Whether the client of a request shows pages. */
export function showsPages({ clientCapabilities }: Pick<CallContext, 'clientCapabilities'>): boolean {
	const { extensions } = clientCapabilities;
	return isObject(extensions) && isObject(extensions[UI]);
}

/** Whether only a page may call a tool. */
export function isForPages({ _meta: meta }: Tool): boolean {
	const ui = isObject(meta) ? meta['ui'] : undefined;
	const visibility = isObject(ui) ? ui['visibility'] : undefined;
	return Array.isArray(visibility) && !visibility.includes('model');
}

/** Whether a tool has a page, or is for pages alone: hosts must find it in their list. */
export function isOfApp(tool: Tool): boolean {
	return isForPages(tool) || withoutPage(tool) !== tool;
}

/** Lists and calls as clients without pages may use them. */
export function adaptApps(): Middleware {
	return (inner) => ({
		list(kind, reader) {
			const listed = inner.list(kind, reader);
			if (kind !== 'tools' || !reader?.context || showsPages(reader.context)) return listed;
			// The items of this list.
			return after(listed, (list) => withoutPages(list as MergedList<Tool>));
		},

		request(call) {
			const isHidden =
				call.tool !== undefined && !call.isSent && isForPages(call.tool) && !showsPages(call.context);
			if (!isHidden) return inner.request(call);
			throw rpcError(
				rpcCodes.invalidParams,
				`Unknown tool: ${call.name}. Only a page of its server may call it.`,
			);
		},
	});
}

/** The adapted form of a list, cached, so that the same list stays the same object. */
const withoutPages = memoized((list: MergedList<Tool>): MergedList<Tool> => {
	if (!list.items.some(isOfApp)) return list;
	return { ...list, items: list.items.filter((tool) => !isForPages(tool)).map(withoutPage) };
});

/** The tool without its page; the same object when it has none. */
function withoutPage(tool: Tool): Tool {
	const { _meta: meta } = tool;
	if (!isObject(meta)) return tool;
	const { [OLD_PAGE_KEY]: old, ui, ...others } = meta;
	const isPage = isObject(ui) && 'resourceUri' in ui;
	if (old === undefined && !isPage) return tool;
	const { resourceUri: _page, ...remaining } = isObject(ui) ? ui : {};
	return { ...tool, _meta: Object.keys(remaining).length === 0 ? others : { ...others, ui: remaining } };
}
