/* `mctl list --tokens`: what the tool list of each server costs an agent in its context. */
import type { Configuration } from '../../config/configuration.ts';
import { EXPOSE_ABOVE } from '../../config/defaults.ts';
import { loadConfiguration } from '../../config/load.ts';
import { viewFilter } from '../../hub/expose/tool-filter.ts';
import { definitionTokens } from '../../hub/usage/list-meter.ts';
import type { ToolCost } from '../../hub/usage/usage-report.ts';
import { serverNamesOf } from '../../trust/tool-name.ts';
import type { ToolTest } from '../../trust/tool-pattern.ts';
import { COMMAND_START_WAIT_MS } from '../cli-limits.ts';
import type { CommandInput } from '../command.ts';
import { listAll } from '../hub-client/hub-items.ts';
import { withHub } from '../hub-client/with-hub.ts';
import { isOfServer, nameOf } from '../target/find-target.ts';
import { type Columns, rowsOf } from '../terminal/table.ts';
import type { Listing } from './listing.ts';

const columns: Columns<ServerCost> = {
	SERVER: 'server',
	TOOLS: 'tools',
	TOKENS: 'tokens',
	'LARGEST TOOL': ({ largest }) => (largest === null ? '' : `${largest.name} (${largest.tokens})`),
};

/** The listing for all tools, or for those of a view. */
export function tokenListing(view: string | undefined): Listing {
	return {
		headings: Object.keys(columns),
		whenEmpty: 'No tools here. `mctl new tool my-tool --lang python` makes one.',

		async list(input) {
			const { configuration, problems } = loadConfiguration(input);
			const isIn: ToolTest = view === undefined ? () => true : viewFilter(configuration, view);
			const names = serverNamesOf(configuration.mcpServers);
			const tools = (await toolCosts(input, configuration)).filter(({ name }) => isIn(names.read(name)));
			const costs = costsOf(tools);
			const total = costs.reduce((sum, { tokens }) => sum + tokens, 0);
			const { expose, exposeAbove = EXPOSE_ABOVE } = configuration.toolList;
			const isSearched = (expose ?? (tools.length > exposeAbove ? 'search' : 'all')) === 'search';
			const items = [...costs, { server: 'total', tools: tools.length, tokens: total, largest: null }];
			return {
				rows: rowsOf(items, columns),
				items,
				problems,
				messages: isSearched ? ['agents get tools that search these instead: docs/tool-search.md'] : [],
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

/** The tokens of each tool of the list; those of no server are of `own`. */
export async function toolCosts(
	input: Pick<CommandInput, 'cwd' | 'environment' | 'out' | 'signal'>,
	{ mcpServers }: Pick<Configuration, 'mcpServers'>,
): Promise<ToolCost[]> {
	const tools = await withHub(input, (session) => listAll(session, 'tools'), {
		listWaitMs: COMMAND_START_WAIT_MS,
	});
	return tools.map((tool) => {
		const server = mcpServers.find(({ name }) => isOfServer(tool, name))?.name ?? 'own';
		return { name: nameOf(tool), server, tokens: definitionTokens(tool) };
	});
}

/** The most expensive server first. */
function costsOf(tools: readonly ToolCost[]): ServerCost[] {
	const servers = [...new Set(tools.map(({ server }) => server))];
	const costs = servers.map((server): ServerCost => {
		const own = tools.filter((tool) => tool.server === server);
		const [dearest] = own.toSorted((a, b) => b.tokens - a.tokens);
		const largest = dearest ? { name: dearest.name, tokens: dearest.tokens } : null;
		return { server, tools: own.length, tokens: own.reduce((sum, { tokens }) => sum + tokens, 0), largest };
	});
	return costs.sort((a, b) => b.tokens - a.tokens);
}
