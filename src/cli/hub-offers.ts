/* What the hub offers beyond the tools and the library of the folder: plugins and stored files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import { isObject } from '../wire/json.ts';
import type { CommandInput } from './command.ts';
import type { HubSession } from './hub-session.ts';

/** Most pages of one list. */
const PAGES = 100;

type ListKind = 'tools' | 'prompts' | 'resources';

/** True when the hub may offer more than what the folder itself has. */
export function mayOfferMore({ plugins, mcpServers, fabric, root }: Configuration): boolean {
	if (fabric !== undefined && fabric.use?.length !== 0) return true;
	const isConfigured = [...plugins, ...mcpServers].some(({ isEnabled }) => isEnabled);
	return isConfigured || existsSync(join(root, '.projects'));
}

/** Items of a list whose key is none of `known`; none, without starting anything, when there cannot be more. */
export async function furtherOffers(
	input: Pick<CommandInput, 'environment' | 'signal'>,
	configuration: Configuration,
	list: { kind: ListKind; key: 'name' | 'uri'; known: ReadonlySet<string> },
): Promise<Offered[]> {
	if (!mayOfferMore(configuration)) return [];
	const { withHub } = await import('./hub-session.ts');
	const all = await withHub(input, (session) => listAll(session, list.kind), {
		listWaitMs: LIST_WAIT_MS,
		reportsProblems: true,
	});
	return all.filter((item) => !list.known.has(String(item[list.key])));
}

/** An item of a list of MCP. */
export type Offered = Readonly<Record<string, unknown>>;

/** A whole list, page by page. */
export async function listAll(session: HubSession, kind: ListKind): Promise<Offered[]> {
	const items: Offered[] = [];
	let cursor: unknown;
	for (let page = 0; page < PAGES; page++) {
		const page = await session.request(`${kind}/list`, cursor === undefined ? {} : { cursor }, {
			timeoutMs: LIST_MS,
		});
		const found = isObject(page) ? page : {};
		const list: unknown = found[kind];
		if (Array.isArray(list)) items.push(...list.filter(isObject));
		cursor = found['nextCursor'];
		if (cursor === undefined) return items;
	}
	return items;
}

/** A person waits for plugins to start; each has its own deadline. */
const LIST_WAIT_MS = 30_000;
/** Longer than that. */
const LIST_MS = 60_000;

export function textField(item: Offered, name: string): string {
	const value = item[name];
	return typeof value === 'string' ? value : '';
}
