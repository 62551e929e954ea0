/*
 * Protection from agents that call in a loop: a number of calls a minute, where one is configured,
 * and a breaker for the same call again and again.
 *
 * Known agents have the breaker without configuration. Other programs may poll, or measure: they
 * get it when `limits.identicalCalls` is set. A user at a terminal or at the page never does.
 */
import type { Configuration, Limits } from '../../config/configuration.ts';
import { IDENTICAL_CALLS } from '../../config/defaults.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { BoundedMap } from '../../rpc/bounded-map.ts';
import { clientName } from '../calls/hub-call.ts';
import { agentNamed, isUser } from '../sessions/agent-table.ts';
import { ClientCalls } from './client-calls.ts';
import { WATCHED_CLIENTS } from './loop-limits.ts';

export class LoopGuard {
	readonly #settings: () => Pick<Configuration, 'limits'>;
	readonly #now: () => number;
	/** Keyed by session and client, that of the last call last. */
	readonly #calls = new BoundedMap<string, ClientCalls>(WATCHED_CLIENTS);
	/** The limits that `#calls` were made with. */
	#limits: Limits | undefined;

	constructor(settings: () => Pick<Configuration, 'limits'>, now: () => number = () => performance.now()) {
		this.#settings = settings;
		this.#now = now;
	}

	/** Whether a call above a limit waits for an approval. */
	get asks(): boolean {
		return this.#settings().limits.exceeded === 'ask';
	}

	/** The counted calls of the client of a request; undefined without a limit. */
	of(context: CallContext): ClientCalls | undefined {
		const { limits } = this.#settings();
		const client = clientName(context);
		if (isUser(client)) return undefined;
		const { callsPerMinute: rates, identicalCalls } = limits;
		const identical = identicalCalls ?? (agentNamed(client) ? IDENTICAL_CALLS : 0);
		if (rates === undefined && identical === 0) return undefined;
		if (limits !== this.#limits) this.#calls.clear();
		this.#limits = limits;
		const key = `${context.sessionId}\n${client}`;
		const calls = this.#calls.get(key) ?? new ClientCalls({ rates, identical }, this.#now);
		this.#calls.set(key, calls);
		return calls;
	}
}
