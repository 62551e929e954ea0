/* `mctl list --tokens`: what the tool list of each server costs an agent in its context. */
import { EXPOSE_ABOVE } from '../../config/defaults.ts';
import { loadConfiguration } from '../../config/load.ts';
import { viewFilter } from '../../hub/expose/tool-filter.ts';
import { estimateTokens } from '../../library/match/tokens.ts';
import { serverNamesOf } from '../../trust/tool-name.ts';
import type { ToolTest } from '../../trust/tool-pattern.ts';
import { listAll, type Offered } from '../hub-client/hub-offers.ts';
import { START_WAIT_MS, withHub } from '../hub-client/hub-session.ts';
import { isOfServer, nameOf } from '../target/find-target.ts';
import type { Listing } from './listing.ts';

/** The listing for all tools, or for those of a view. */
export function tokenListing(view: string | undefined): Listing {
	return {
		headings: ['SERVER', 'TOOLS', 'TOKENS', 'LARGEST TOOL'],
		whenEmpty: 'No tools here. `mctl new tool my-tool --lang python` makes one.',

		async list(input) {
			const { configuration, problems } = loadConfiguration(input);
			const isIn: ToolTest = view === undefined ? () => true : viewFilter(configuration, view);
			const names = serverNamesOf(configuration.mcpServers);
			const all = await withHub(input, (session) => listAll(session, 'tools'), {
				listWaitMs: START_WAIT_MS,
			});
			const tools = all.filter((tool) => isIn(names.read(nameOf(tool))));
			const servers = configuration.mcpServers.map(({ name }) => name);
			const costs = costsOf(tools, (tool) => servers.find((name) => isOfServer(tool, name)) ?? 'own');
			const total = costs.reduce((sum, { tokens }) => sum + tokens, 0);
			const { expose, exposeAbove = EXPOSE_ABOVE } = configuration.toolList;
			const isSearched = (expose ?? (tools.length > exposeAbove ? 'search' : 'all')) === 'search';
			return {
				rows: [...costs.map(rowOf), ['total', String(tools.length), String(total), '']],
				items: [...costs, { server: 'total', tools: tools.length, tokens: total, largest: null }],
				problems,
				notes: isSearched ? ['agents get tools that search these instead: docs/tool-search.md'] : [],
			};
		},
	};
}

interface ServerCost {
	readonly server: string;
	readonly tools: number;
	readonly tokens: number;
	/** The tool that costs most. */
	readonly largest: { readonly name: string; readonly tokens: number } | null;
}

/** The most expensive server first. */
function costsOf(tools: readonly Offered[], serverOf: (tool: Offered) => string): ServerCost[] {
	const byServer = new Map<string, Offered[]>();
	for (const tool of tools) byServer.set(serverOf(tool), [...(byServer.get(serverOf(tool)) ?? []), tool]);
	const costs = [...byServer].map(([server, own]): ServerCost => {
		const each = own.map((tool) => ({ name: nameOf(tool), tokens: estimateTokens(JSON.stringify(tool)) }));
		const [largest = null] = [...each].sort((a, b) => b.tokens - a.tokens);
		const tokens = each.reduce((sum, cost) => sum + cost.tokens, 0);
		return { server, tools: own.length, tokens, largest };
	});
	return costs.sort((a, b) => b.tokens - a.tokens);
}

function rowOf({ server, tools, tokens, largest }: ServerCost): string[] {
	return [
		server,
		String(tools),
		String(tokens),
		largest === null ? '' : `${largest.name} (${largest.tokens})`,
	];
}
