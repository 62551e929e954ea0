/* Read all lists of a connected MCP server. */
import { messageOf } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import type { ItemKind } from '../../../protocol/item-lists.ts';
import { withoutCircles } from '../../hub-path.ts';
import type { CachedServer, ServerLists } from './server-cache.ts';

const listNames: readonly ItemKind[] = ['tools', 'prompts', 'resources', 'templates', 'skills'];

export interface ReadServerListsOptions {
	/** Timeout of one page. */
	readonly timeoutMs: number;
	/** Timeout of all pages of one list. */
	readonly maxMs: number;
	readonly log: Log;
	/** Read only these lists, and retain the others of `known`. Default: all. */
	readonly names?: readonly ItemKind[];
	readonly known?: CachedServer | undefined;
	/** The id of this hub: what came through it is left out. */
	readonly hubId?: string | undefined;
}

/** Read the lists. Rejects when the tools cannot be listed; another list that fails stays as it is known. */
export async function readServerLists(
	connection: ServerConnection,
	{ timeoutMs, maxMs, log, names = listNames, known, hubId }: ReadServerListsOptions,
): Promise<CachedServer> {
	const { capabilities, era, revision, serverInfo, instructions } = connection;
	let leftOut = known?.leftOut;
	let ttlMs = names.length < listNames.length ? known?.ttlMs : undefined;
	const read = async (name: ItemKind): Promise<readonly unknown[]> => {
		if (!names.includes(name)) return known?.[name] ?? [];
		try {
			const listed = await connection.listAll(name, { timeoutMs, maxTotalMs: maxMs, hubId });
			if (listed.ttlMs !== undefined) ttlMs = Math.min(ttlMs ?? listed.ttlMs, listed.ttlMs);
			if (name === 'tools') leftOut = listed.leftOut;
			return withoutCircles<object>(listed.items, { own: hubId, from: listed.hub, kind: name, log });
		} catch (error) {
			if (name === 'tools' || connection.transport.isClosed) throw error;
			log.warn(`the ${name} could not be listed: ${messageOf(error)}`);
			return known?.[name] ?? [];
		}
	};
	const [tools, prompts, resources, templates, skills] = await Promise.all(listNames.map(read));
	return {
		// Each list has the items of its kind; the connection checked them.
		...({ tools, prompts, resources, templates, skills } as unknown as ServerLists),
		leftOut,
		era,
		// After the lists: a late answer to the probe has come by now.
		eraProvenAt: connection.isEraProven ? Date.now() : known?.eraProvenAt,
		revision: revision.version,
		serverInfo,
		capabilities,
		instructions,
		listedAt: Date.now(),
		ttlMs,
	};
}
