/*
 * The first lists of a session. A client that caches its first list for the whole session
 * would never see a server that answers later, so its first lists wait longer: once, and
 * less than the client itself waits for a server that starts.
 */
import type { CallContext } from '../../mcp/server/call-context.ts';
import { after } from '../../mcp/server/methods.ts';
import type { ItemKind } from '../../protocol/item-lists.ts';
import type { Awaitable } from '../../protocol/mcp-types.ts';
import { within } from '../../rpc/clock.ts';
import { clientName } from '../calls/hub-call.ts';
import { agentNamed, type FirstWait } from '../sessions/agent-table.ts';
import type { Catalogue } from './catalogue.ts';

export class FirstLists {
	readonly #catalogue: Catalogue;
	/** When the first lists of a session are answered at the latest. */
	readonly #deadlines = new Map<string, number>();

	constructor(catalogue: Catalogue) {
		this.#catalogue = catalogue;
	}

	/**
	 * What `load` returns; for a client that caches it, loaded again when the late sources have answered.
	 * @param soFar what a client that cannot wait gets in its place; undefined when it has to wait
	 */
	list<T>(
		kind: ItemKind,
		context: CallContext,
		load: () => Awaitable<T>,
		soFar?: () => Awaitable<T> | undefined,
	): Awaitable<T> {
		const first = agentNamed(clientName(context))?.firstWait;
		if (first === undefined) return load();
		const loading = this.#load(kind, this.#deadlineOf(context, first), load);
		if (!soFar || first.searchMs === undefined || !(loading instanceof Promise)) return loading;
		return within(loading, first.searchMs, false).then((list) => list ?? soFar() ?? loading);
	}

	#load<T>(kind: ItemKind, giveUpAt: number, load: () => Awaitable<T>): Awaitable<T> {
		return after(load(), (list) => {
			const leftMs = giveUpAt - performance.now();
			if (leftMs <= 0 || !this.#catalogue.nextAnswer(kind)) return list;
			return after(
				this.#catalogue.search([kind], () => undefined, leftMs),
				load,
			);
		});
	}

	endSession(sessionId: string): void {
		this.#deadlines.delete(sessionId);
	}

	#deadlineOf({ sessionId }: CallContext, { waitMs }: FirstWait): number {
		const giveUpAt = this.#deadlines.get(sessionId) ?? performance.now() + waitMs;
		this.#deadlines.set(sessionId, giveUpAt);
		return giveUpAt;
	}
}
