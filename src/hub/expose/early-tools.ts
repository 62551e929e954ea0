/*
 * The tools of a client that works with its first list, while its hub starts: the search tools, which
 * wait for the hub and its servers when they are called.
 */
import type { Configuration } from '../../config/configuration.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { ownEntry } from '../../wire/json.ts';
import { ClientBudgets } from '../results/client-budgets.ts';
import { LOOK, lookTool } from '../results/look/look-tool.ts';
import { searchTools } from './search-tools.ts';

/** Undefined for a client that the settings show all tools: it has to wait for them. */
export function earlyTools(configuration: Configuration, client: string): readonly Tool[] | undefined {
	const { clients, toolList, mcpServers } = configuration;
	if ((ownEntry(clients, client)?.expose ?? toolList.expose) === 'all') return undefined;
	const absent = mcpServers.map(({ name }) => ({ id: name, state: 'starting' as const }));
	const search = searchTools({ counts: new Map(), absent });
	return new ClientBudgets(() => configuration).getsHandles(client) ? [...search, lookTool(LOOK)] : search;
}
