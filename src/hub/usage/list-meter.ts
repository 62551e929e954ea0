/*
 * Measures the tool lists that agents read, for the journal: the tokens of the definitions in them,
 * and of those that a view or the search tools left out. After the response, and in small parts:
 * a list may have thousands of tools.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { estimateTokens } from '../../library/match/tokens.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { clientName } from '../calls/hub-call.ts';
import type { Journal } from '../journal.ts';
import { MEASURED_TOOLS } from './usage-limits.ts';

/** A list as a client got it. */
export interface MeasuredList {
	/** Every tool that the policy shows. */
	readonly all: readonly Tool[];
	readonly inView: readonly Tool[];
	/** What the client read. */
	readonly shown: readonly Tool[];
}

const prices = new WeakMap<object, number>();

/** The tokens of the definition of a tool; the same object is measured once. */
export function definitionTokens(tool: object): number {
	const known = prices.get(tool) ?? estimateTokens(JSON.stringify(tool));
	prices.set(tool, known);
	return known;
}

export class ListMeter {
	readonly #journal: Pick<Journal, 'writeTokens'>;
	/** By session, what was measured last: a client that reads a list in pages has read it once. */
	readonly #measured = new Map<string, object>();

	constructor(journal: Pick<Journal, 'writeTokens'>) {
		this.#journal = journal;
	}

	/** @param version another object for another list */
	listed(list: MeasuredList, context: CallContext, version: object): void {
		const { sessionId } = context;
		const client = clientName(context);
		// A user at a terminal looks for a name; no model reads the list.
		if (client === 'mctl' || this.#measured.get(sessionId) === version) return;
		if (sessionId !== '') this.#measured.set(sessionId, version);
		void this.#measure(list, client, new Date());
	}

	endSession(sessionId: string): void {
		this.#measured.delete(sessionId);
	}

	async #measure({ all, inView, shown }: MeasuredList, client: string, at: Date): Promise<void> {
		const inViewTokens = await sum(inView);
		const views = all === inView ? 0 : (await sum(all)) - inViewTokens;
		const sent = shown === inView ? inViewTokens : await sum(shown);
		const search = shown === inView ? 0 : Math.max(0, inViewTokens - sent);
		this.#journal.writeTokens?.({ at, client, tokens: { sent, search, views } });
	}
}

async function sum(tools: readonly Tool[]): Promise<number> {
	let total = 0;
	for (const [at, tool] of tools.entries()) {
		if (at % MEASURED_TOOLS === 0) await nextTurn();
		total += definitionTokens(tool);
	}
	return total;
}
