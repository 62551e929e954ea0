/*
 * How many tokens of a result a client gets: that of the request, else the setting of the
 * tool, the server, the client or all clients, else that of a known agent.
 *
 * Settings of tools and servers count for clients that have a budget: a program that reads
 * results itself gets all of them, whatever was set for agents.
 */
import type { Configuration } from '../../config/configuration.ts';
import { LEAST_BUDGET_TOKENS, RESULT_BYTES } from '../../config/defaults.ts';
import { CHARACTERS_PER_TOKEN } from '../../library/files/library-limits.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { type NamedTool, serverNamesOf } from '../../trust/tool-name.ts';
import { toolPattern } from '../../trust/tool-pattern.ts';
import { ownEntry } from '../../wire/json.ts';
import { memoized } from '../../wire/memoized.ts';
import { agentNamed, isUser } from '../sessions/agent-table.ts';
import { AGENT_BUDGET_TOKENS } from './result-limits.ts';

/** The member of `_meta` in a request that has the tokens its client takes. */
export const BUDGET_META = 'orchestra/budgetTokens';

type Settings = Pick<Configuration, 'results' | 'clients' | 'mcpServers' | 'limits'>;

/** The client, server and tool of a result. */
export interface BudgetedCall {
	readonly client: string;
	readonly context: Pick<CallContext, 'meta'>;
	readonly toolName: NamedTool | undefined;
}

export class ClientBudgets {
	readonly #settings: () => Settings;

	constructor(settings: () => Settings) {
		this.#settings = settings;
	}

	/** Tokens of the results of a client; 0 for all of them. */
	ofClient(client: string): number {
		if (isUser(client)) return 0;
		const { clients, results } = this.#settings();
		const chosen = ownEntry(clients, client)?.results?.budgetTokens ?? results.budgetTokens;
		return chosen ?? agentBudget(client);
	}

	/** Whether a client may get a handle in place of a result, and so lists `look`. */
	getsHandles(client: string): boolean {
		return this.ofClient(client) > 0 || this.isChosen('unchanged', client);
	}

	/** Tokens of the result of a call; 0 for all of it. */
	of({ client, context, toolName }: BudgetedCall): number {
		const requested = context.meta[BUDGET_META];
		if (Number.isSafeInteger(requested) && Number(requested) > 0)
			return Math.max(Number(requested), LEAST_BUDGET_TOKENS);
		return this.usual(client, toolName);
	}

	/** The same for a request without a budget of its own. */
	usual(client: string, toolName: NamedTool | undefined): number {
		const tokens = this.ofClient(client);
		return tokens === 0 || toolName === undefined ? tokens : (this.#ofTool(toolName) ?? tokens);
	}

	/** Bytes of a result that no client gets more of. */
	get limitBytes(): number {
		return this.#settings().limits.resultBytes ?? RESULT_BYTES;
	}

	/** Characters of a result within so many tokens, and within what any client gets. */
	charactersOf(tokens: number): number {
		return tokens === 0 ? this.limitBytes : Math.min(tokens * CHARACTERS_PER_TOKEN, this.limitBytes);
	}

	/** Whether the settings turn this on for a client. */
	isChosen(key: 'unchanged' | 'compact', client: string): boolean {
		const { clients, results } = this.#settings();
		return !isUser(client) && (ownEntry(clients, client)?.results?.[key] ?? results[key] ?? false);
	}

	/** Whether the tools of a server take `_select`. */
	takesSelect(server: string): boolean {
		return this.#settings().mcpServers.find(({ name }) => name === server)?.settings.select ?? false;
	}

	#ofTool(tool: NamedTool): number | undefined {
		const settings = this.#settings();
		const found = toolBudgets(settings).find(({ isOf }) => isOf(tool));
		if (found) return found.tokens;
		return settings.mcpServers.find(({ name }) => name === tool.server)?.settings.results?.budgetTokens;
	}
}

/** The budgets of tools, by their patterns. */
const toolBudgets = memoized(({ results, mcpServers }: Settings) => {
	const servers = serverNamesOf(mcpServers);
	return Object.entries(results.tools).map(([pattern, tokens]) => ({
		isOf: toolPattern(pattern, servers),
		tokens,
	}));
});

/** Below the limit of the agent itself, so that our preview with its handle comes before theirs without one. */
function agentBudget(client: string): number {
	const agent = agentNamed(client);
	return agent ? Math.min(agent.resultTokens ?? AGENT_BUDGET_TOKENS, AGENT_BUDGET_TOKENS) : 0;
}
