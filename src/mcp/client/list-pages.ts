/* Read a list page by page to its end, within bounds: a server may send pages without end. */
import { OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { printableName } from '../../printable.ts';
import type { Prompt, Resource, ResourceTemplate, Result, Tool } from '../../protocol/mcp-types.ts';
import { isObject } from '../../wire/json.ts';
import { keepNumbers } from '../../wire/keep-numbers.ts';
import { sourceTextOf } from '../../wire/source-text.ts';

/** Most pages of one list. */
export const LIST_PAGES_LIMIT = 100;

/** Most items of one list. */
export const LIST_ITEMS_LIMIT = 10_000;

/** The items of each kind of list. */
export interface ListedItems {
	tools: Tool;
	prompts: Prompt;
	resources: Resource;
	templates: ResourceTemplate;
}

/** A kind of list. */
export type ServerListKind = keyof ListedItems;

/** A whole list. */
export interface ServerList<Item> {
	readonly items: Item[];
	/** How long the list may be cached, in milliseconds: the least of its pages. */
	readonly ttlMs?: number;
	/** Who may share a cached copy. */
	readonly cacheScope?: string;
}

/** How a kind of list is requested, and which text field each of its items has. */
export const lists = {
	tools: { method: 'tools/list', field: 'tools', key: 'name', capability: 'tools' },
	prompts: { method: 'prompts/list', field: 'prompts', key: 'name', capability: 'prompts' },
	resources: { method: 'resources/list', field: 'resources', key: 'uri', capability: 'resources' },
	templates: {
		method: 'resources/templates/list',
		field: 'resourceTemplates',
		key: 'uriTemplate',
		capability: 'resources',
	},
} as const;

/** How deep a listed item, such as the schema of a tool, may be nested. */
const NESTING_LIMIT = 256;

/** Request page after page. A list over a bound is cut, and a repeated cursor ends it, both with a warning. */
export async function listPages<Kind extends ServerListKind>(
	kind: Kind,
	request: (params: Result) => Promise<Result>,
	log: Log,
): Promise<ServerList<ListedItems[Kind]>> {
	const { method } = lists[kind];
	const items: ListedItems[Kind][] = [];
	const pages: Result[] = [];
	const seen = new Set<string>();
	for (let params: Result = {}; ; ) {
		const page = await request(params);
		pages.push(page);
		keepNumbers(page, sourceTextOf(page));
		for (const item of itemsOf(kind, page, log)) items.push(item);
		const cursor = page['nextCursor'];
		if (typeof cursor !== 'string') break;
		const problem = seen.has(cursor)
			? 'its cursor repeats'
			: pages.length >= LIST_PAGES_LIMIT
				? `it has more than ${LIST_PAGES_LIMIT} pages`
				: items.length >= LIST_ITEMS_LIMIT
					? `it has more than ${LIST_ITEMS_LIMIT} items`
					: undefined;
		if (problem !== undefined) {
			log.warn(`${method} was ended after ${items.length} items: ${problem}`);
			break;
		}
		seen.add(cursor);
		params = { cursor };
	}
	if (items.length > LIST_ITEMS_LIMIT)
		log.warn(
			`${method}: ${items.length - LIST_ITEMS_LIMIT} items over the limit of ${LIST_ITEMS_LIMIT} are left out`,
		);
	return { items: items.slice(0, LIST_ITEMS_LIMIT), ...cacheHints(pages) };
}

function itemsOf<Kind extends ServerListKind>(kind: Kind, page: Result, log: Log): ListedItems[Kind][] {
	const { method, field, key } = lists[kind];
	const found = page[field];
	if (!Array.isArray(found)) {
		throw new OrchestraError('bad_frame', `the result of ${method} has no array "${field}"`, {
			hint: 'The server does not follow MCP. Report this to its author.',
		});
	}
	const items = found.filter(
		(item): item is ListedItems[Kind] => isObject(item) && typeof item[key] === 'string',
	);
	if (items.length < found.length)
		log.warn(`${method}: ${found.length - items.length} items without a "${key}" are left out`);
	return items.filter((item) => {
		if (!isTooDeep(item)) return true;
		const name = printableName(String(item[key as keyof typeof item]));
		log.warn(`${method}: "${name}" is left out: it is nested more than ${NESTING_LIMIT} levels deep`);
		return false;
	});
}

/** True when a list with this item could not be encoded, or not be checked by clients. */
function isTooDeep(item: object): boolean {
	let level: object[] = [item];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > NESTING_LIMIT) return true;
		level = level.flatMap((value) =>
			Object.values(value).filter((each): each is object => typeof each === 'object' && each !== null),
		);
	}
	return false;
}

function cacheHints(pages: readonly Result[]): { ttlMs?: number; cacheScope?: string } {
	const ttls = pages.map((page) => page['ttlMs']).filter((ttl) => typeof ttl === 'number');
	const scopes = pages.map((page) => page['cacheScope']).filter((scope) => typeof scope === 'string');
	const cacheScope = scopes.find((scope) => scope !== 'public') ?? scopes[0];
	return {
		...(ttls.length === 0 ? {} : { ttlMs: Math.min(...ttls) }),
		...(cacheScope === undefined ? {} : { cacheScope }),
	};
}
