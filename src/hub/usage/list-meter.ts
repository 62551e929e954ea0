/*
 * Measures the tool lists that agents read, for the journal: the tokens of the definitions in them,
 * and of those that a view or the search tools left out. After the response, and in small parts:
 * a list may have thousands of tools.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { estimateTokens } from '../../library/match/tokens.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { BoundedMap } from '../../rpc/bounded-map.ts';
import { memoized } from '../../wire/memoized.ts';
import { clientName } from '../calls/hub-call.ts';
import type { Journal } from '../journal/journal.ts';
import { MEASURED_SESSIONS, MEASURED_TOOLS } from './usage-limits.ts';

/** A list as a client got it. */
export interface MeasuredList {
	/** Every tool that the policy shows. */
	readonly all: readonly Tool[];
	readonly inView: readonly Tool[];
	/** The tools that the client listed. */
	readonly shown: readonly Tool[];
}

/** The tokens of the definition of a tool; the same object is measured once. */
export const definitionTokens: (tool: object) => number = memoized((tool: object) =>
	estimateTokens(JSON.stringify(tool)),
);

export class ListMeter {
	readonly #journal: Pick<Journal, 'writeTokens'>;
	/** Keyed by session, what it read last: a client that reads a list in pages has read it once. */
	readonly #last = new BoundedMap<string, string>(MEASURED_SESSIONS);

	constructor(journal: Pick<Journal, 'writeTokens'>) {
		this.#journal = journal;
	}

	listed(list: MeasuredList, context: CallContext): void {
		const client = clientName(context);
		// A user at a terminal looks for a name; no model reads the list.
		if (client !== 'mctl') void this.#measure(list, client, context.sessionId);
	}

	endSession(sessionId: string): void {
		this.#last.delete(sessionId);
	}

	async #measure({ all, inView, shown }: MeasuredList, client: string, sessionId: string): Promise<void> {
		const at = new Date();
		const inViewTokens = await sum(inView);
		const views = all === inView ? 0 : (await sum(all)) - inViewTokens;
		const sent = shown === inView ? inViewTokens : await sum(shown);
		const search = shown === inView ? 0 : Math.max(0, inViewTokens - sent);
		const tokens = { sent, search, views };
		const read = JSON.stringify([all.length, tokens]);
		if (sessionId !== '' && this.#last.get(sessionId) === read) return;
		// A session may have ended meanwhile: then the bound removes it.
		if (sessionId !== '') this.#last.set(sessionId, read);
		this.#journal.writeTokens?.({ at, client, tokens });
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
