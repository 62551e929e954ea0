/* What the hub lists beyond the tools and the library of the folder: plugins and stored files. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { COMMAND_LIST_MS, COMMAND_LIST_WAIT_MS } from '../cli-limits.ts';
import type { CommandInput } from '../command.ts';
import type { HubSession } from './with-hub.ts';

type ListKind = 'tools' | 'prompts' | 'resources';

/** True when the hub may list more than what the folder itself has. */
export function mayHaveMore({ plugins, mcpServers, fabric, root }: Configuration): boolean {
	if (fabric !== undefined && fabric.use?.length !== 0) return true;
	const isConfigured = [...plugins, ...mcpServers].some(({ isEnabled }) => isEnabled);
	return isConfigured || existsSync(join(root, '.projects'));
}

/** The items of a list that the folder itself does not have, and a sentence about each plugin that failed. */
export interface HubItems {
	readonly items: readonly ListedItem[];
	readonly failures: readonly string[];
}

/** Items of a list whose key is none of `known`; none, without starting anything, when there cannot be more. */
export async function hubItems(
	input: Pick<CommandInput, 'cwd' | 'environment' | 'out' | 'signal'>,
	configuration: Configuration,
	list: { kind: ListKind; key: 'name' | 'uri'; known: ReadonlySet<string> },
): Promise<HubItems> {
	if (!mayHaveMore(configuration)) return { items: [], failures: [] };
	const failures: string[] = [];
	const { withHub } = await import('./with-hub.ts');
	const all = await withHub(input, (session) => listAll(session, list.kind), {
		listWaitMs: COMMAND_LIST_WAIT_MS,
		onFailed: (text) => failures.push(text),
	});
	return { items: all.filter((item) => !list.known.has(String(item[list.key]))), failures };
}

/** An item of a list of MCP. */
export type ListedItem = Readonly<Record<string, unknown>>;

/** A whole list. */
export async function listAll(session: HubSession, kind: ListKind): Promise<readonly ListedItem[]> {
	const { items } = await session.listAll(kind, { timeoutMs: COMMAND_LIST_MS });
	// Items of any kind are JSON objects.
	return items as readonly object[] as readonly ListedItem[];
}

export function textField(item: ListedItem, name: string): string {
	const value = item[name];
	return typeof value === 'string' ? value : '';
}
