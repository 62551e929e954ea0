/*
 * Follows the calls of the hub while a page is open, and a while after. A call costs nothing
 * more without a page: what happened meanwhile is read from the journal when one opens.
 */
import type { ServerResponse } from 'node:http';
import type { Hub } from '../../hub/hub.ts';
import type { CallLog } from './call-log.ts';
import { addJournalTail } from './journal-tail.ts';

export interface CallFollowerDeps {
	readonly hub: Pick<Hub, 'calls' | 'flushJournal'>;
	readonly calls: CallLog;
	readonly journalFile: string;
	/** How long calls are followed after the last request of a page, in milliseconds. */
	readonly followMs: number;
}

export class CallFollower {
	readonly #deps: CallFollowerDeps;
	#requests = 0;
	#timer: NodeJS.Timeout | undefined;
	#stopListening: (() => void) | undefined;
	/** Since when calls were missed, in milliseconds since 1970; undefined before the first page. */
	#missedSince: number | undefined;

	constructor(deps: CallFollowerDeps) {
		this.#deps = deps;
	}

	/** A request of a page begins. */
	use(response: ServerResponse): void {
		clearTimeout(this.#timer);
		this.#requests++;
		response.once('close', () => this.#leave());
		if (this.#stopListening) return;
		const { hub, calls, journalFile } = this.#deps;
		hub.flushJournal();
		addJournalTail(calls, journalFile, this.#missedSince);
		this.#stopListening = hub.calls.listen(calls);
	}

	close(): void {
		clearTimeout(this.#timer);
		this.#stopListening?.();
		this.#stopListening = undefined;
		this.#missedSince = Date.now();
	}

	#leave(): void {
		if (--this.#requests > 0 || this.#stopListening === undefined) return;
		this.#timer = setTimeout(() => this.close(), this.#deps.followMs).unref();
	}
}
