/* A whole list of a server, within bounds. */
import { NESTING_DEPTH } from '../../core-limits.ts';
import { OrchestraError } from '../../errors.ts';
import { isDeeperThan } from '../../files/value-bounds.ts';
import type { Log } from '../../log.ts';
import { printableName } from '../../printable.ts';
import { type ItemKind, type ItemTypes, lists } from '../../protocol/item-lists.ts';
import { pagesOf } from '../../protocol/list-cursor.ts';
import { type Answer, answerValue, exactAnswer, type Result } from '../../protocol/mcp-types.ts';
import { HUB_ID, metaOf } from '../../protocol/meta.ts';
import {
	LEFT_OUT_LIMIT,
	LIST_CHARACTERS_LIMIT,
	LIST_ITEMS_LIMIT,
	LIST_STEP_CHARACTERS,
} from '../../protocol/protocol-limits.ts';
import { WorkSlices } from '../../rpc/work-slices.ts';
import { isObject } from '../../wire/json.ts';
import { JsonText } from '../../wire/json-text.ts';
import { brokenProtocol } from './phase-error.ts';

/** An item of a server that is left out of its list. */
export interface LeftOutItem {
	readonly name: string;
	/** The end of a sentence about it. */
	readonly reason: string;
}

/** A whole list. */
export interface ServerList<Item> {
	readonly items: Item[];
	/** Items that no caller can use. */
	readonly leftOut?: readonly LeftOutItem[];
	/** How long the list may be cached, in milliseconds: the least of its pages. */
	readonly ttlMs?: number;
	/** Who may share a cached copy. */
	readonly cacheScope?: string;
	/** The id of the hub that answered, when it was requested and the server is one. */
	readonly hub?: string;
}

/** Request page after page. A list over a bound is cut, and a repeated cursor ends it, both with a warning. */
export async function listPages<Kind extends ItemKind>(
	kind: Kind,
	request: (params: Result) => Promise<Answer>,
	log: Log,
): Promise<ServerList<ItemTypes[Kind]>> {
	const { method } = lists[kind];
	const items: ItemTypes[Kind][] = [];
	const pages: Result[] = [];
	const leftOut: LeftOutItem[] = [];
	const cut = (reason: string): void =>
		log.warn(`${method} was ended after ${items.length} items: ${reason}`);
	let characters = 0;
	let last: Answer = {};
	const next = async (params: Result): Promise<Result> => {
		last = await request(params);
		return answerValue(last);
	};
	for await (const page of pagesOf(next, cut)) {
		const length = last instanceof JsonText ? last.text.length : 0;
		characters += length;
		if (characters > LIST_CHARACTERS_LIMIT) {
			if (pages.length === 0) throw tooLong(method);
			cut(TOO_LONG);
			break;
		}
		pages.push(page);
		if (length > LIST_STEP_CHARACTERS) await new WorkSlices().next();
		for (const item of itemsOf(kind, exactAnswer(last), log)) {
			// A list with a deeper item could not be encoded, or not be checked by clients.
			if (isDeeperThan(item, NESTING_DEPTH)) leftOut.push(tooDeep(kind, item));
			else items.push(item);
		}
		if (length > LIST_STEP_CHARACTERS) await new WorkSlices().next();
		if (items.length >= LIST_ITEMS_LIMIT && page['nextCursor'] !== undefined) {
			cut(`it has more than ${LIST_ITEMS_LIMIT} items`);
			break;
		}
	}
	return wholeList({ items, leftOut, pages }, method, log);
}

interface ReadPages<Item> {
	readonly items: Item[];
	readonly leftOut: readonly LeftOutItem[];
	readonly pages: readonly Result[];
}

function wholeList<Item>(
	{ items, leftOut, pages }: ReadPages<Item>,
	method: string,
	log: Log,
): ServerList<Item> {
	const named = leftOut.slice(0, LEFT_OUT_LIMIT);
	for (const { name, reason } of named) log.warn(`${method}: "${name}" is left out: ${reason}`);
	if (items.length > LIST_ITEMS_LIMIT)
		log.warn(
			`${method}: ${items.length - LIST_ITEMS_LIMIT} items over the limit of ${LIST_ITEMS_LIMIT} are left out`,
		);
	const hub = metaOf(pages[0])[HUB_ID];
	return {
		items: items.slice(0, LIST_ITEMS_LIMIT),
		...(named.length > 0 && { leftOut: named }),
		...cacheHints(pages),
		...(typeof hub === 'string' && { hub }),
	};
}

const TOO_LONG = `it is longer than ${LIST_CHARACTERS_LIMIT} characters`;

function tooLong(method: string): OrchestraError {
	return new OrchestraError('bad_frame', `the result of ${method} was refused: ${TOO_LONG}`, {
		hint: 'The server must list fewer items, or list them in pages.',
		data: { limitCharacters: LIST_CHARACTERS_LIMIT },
	});
}

function itemsOf<Kind extends ItemKind>(kind: Kind, page: Result, log: Log): ItemTypes[Kind][] {
	const { method, field, key } = lists[kind];
	const found = page[field];
	if (!Array.isArray(found)) throw brokenProtocol(`the result of ${method} has no array "${field}"`, {});
	const items = found.filter(
		(item): item is ItemTypes[Kind] => isObject(item) && typeof item[key] === 'string',
	);
	if (items.length < found.length)
		log.warn(`${method}: ${found.length - items.length} items without a "${key}" are left out`);
	return items;
}

function tooDeep<Kind extends ItemKind>(kind: Kind, item: ItemTypes[Kind]): LeftOutItem {
	const name = printableName(String(Reflect.get(item, lists[kind].key)));
	return { name, reason: `it is nested more than ${NESTING_DEPTH} levels deep` };
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
