/* A source of a test, from one function for each list and call that it has. */
import type { Can, Source } from '../../src/hub/source.ts';
import type { CallContext } from '../../src/mcp/server/call-context.ts';

import type { CallToolParams, Capability } from '../../src/mcp/server/provider.ts';
import type { Item, ItemKind } from '../../src/protocol/item-lists.ts';
import type {
	Awaitable,
	CallToolResult,
	InputRequired,
	ReadResourceResult,
} from '../../src/protocol/mcp-types.ts';

/** The functions; what is absent is no capability. */
export interface FakeAnswers {
	readonly lists?: { readonly [Kind in ItemKind]?: () => Awaitable<readonly Item[]> };
	readonly callTool?: (
		params: CallToolParams,
		context: CallContext,
	) => Awaitable<CallToolResult | InputRequired>;
	readonly readResource?: (uri: string) => Awaitable<ReadResourceResult>;
}

/** A source with some of the abilities. */
export type AbleSource = Source &
	Partial<Can<'qualifiesNames' | 'hasDownTool' | 'ownsUri' | 'subscribeResource' | 'processes' | 'retire'>>;

/** `more` has its other members. Default: a source of tools that is known. */
export function fakeSource(
	id: string,
	{ lists = {}, callTool, readResource }: FakeAnswers,
	more: Partial<AbleSource> = {},
): AbleSource {
	const capabilities: Capability[] = [
		...(lists.tools || callTool ? ['tools' as const] : []),
		...(lists.prompts ? ['prompts' as const] : []),
		...(lists.resources || lists.templates || readResource ? ['resources' as const] : []),
	];
	return {
		id,
		kind: 'tools',
		status: { state: 'known' },
		capabilities,
		list: (kind) => lists[kind]?.() ?? [],
		request: ({ method, params, context }) => {
			if (method === 'tools/call' && callTool) return callTool(params, context);
			if (method === 'resources/read' && readResource) return readResource(params.uri);
			throw new Error(`${id} does not answer ${method}`);
		},
		close: () => Promise.resolve(),
		...more,
	};
}
