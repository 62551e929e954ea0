/* Read everything that a connected MCP server offers. */
import { messageOf } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { ServerListKind } from '../../../mcp/client/list-pages.ts';
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import type { KnownServer, ServerLists } from './known-server.ts';

const listNames: readonly ServerListKind[] = ['tools', 'prompts', 'resources', 'templates'];

export interface ListServerOptions {
	/** Timeout of one page. */
	readonly timeoutMs: number;
	/** Timeout of all pages of one list. */
	readonly maxMs: number;
	readonly log: Log;
	/** Read only these lists, and keep the others of `known`. Default: all. */
	readonly names?: readonly ServerListKind[];
	readonly known?: KnownServer | undefined;
}

/** Read the lists. Rejects when the tools cannot be listed; another list that fails stays as it is known. */
export async function listServer(
	connection: ServerConnection,
	{ timeoutMs, maxMs, log, names = listNames, known }: ListServerOptions,
): Promise<KnownServer> {
	const { capabilities, era, isEraProven, revision, serverInfo, instructions } = connection;
	let ttlMs = names.length < listNames.length ? known?.ttlMs : undefined;
	const read = async (name: ServerListKind): Promise<readonly unknown[]> => {
		if (!names.includes(name)) return known?.[name] ?? [];
		try {
			const listed = await connection.listAll(name, { timeoutMs, maxTotalMs: maxMs });
			if (listed.ttlMs !== undefined) ttlMs = Math.min(ttlMs ?? listed.ttlMs, listed.ttlMs);
			return listed.items;
		} catch (error) {
			if (name === 'tools' || connection.transport.isClosed) throw error;
			log.warn(`the ${name} could not be listed: ${messageOf(error)}`);
			return known?.[name] ?? [];
		}
	};
	const [tools, prompts, resources, templates] = await Promise.all(listNames.map(read));
	return {
		// Each list has the items of its kind; the connection checked them.
		...({ tools, prompts, resources, templates } as unknown as ServerLists),
		era,
		eraProvenAt: isEraProven ? Date.now() : known?.eraProvenAt,
		revision: revision.version,
		serverInfo,
		capabilities,
		instructions,
		listedAt: Date.now(),
		ttlMs,
	};
}
