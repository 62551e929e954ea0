/*
 * The calls of the hub as they happen, for the dashboard, metrics, traces and recordings.
 *
 * Without a listener a call costs nothing more. A listener that throws is removed: it
 * must never fail a call.
 */
import type { CallContext } from '../mcp/server/call-context.ts';
import type { JournalEntry } from './journal.ts';

/** A call that began. */
export interface StartedCall {
	/** Unique in this process, rising. */
	readonly number: number;
	readonly client: string;
	readonly backend: string;
	readonly method: string;
	/** A tool, a prompt or the URI of a resource, as the client names it. */
	readonly name: string;
	readonly startedAt: Date;
	readonly arguments?: unknown;
	readonly context?: CallContext | undefined;
}

/** How a call ended. */
export interface CallEnd
	extends Pick<JournalEntry, 'outcome' | 'error' | 'ms' | 'phases' | 'policy' | 'rule' | 'trace' | 'result'> {
	/** What was thrown; undefined when there is a result. */
	readonly thrown?: unknown;
}

/** Sees every call. Each method is called in the path of the call, so it must be quick. */
export interface CallListener {
	started?(call: StartedCall): void;
	/** A progress or log notification of the call, whether or not its client wants it. */
	notified?(call: StartedCall, method: string, params: Readonly<Record<string, unknown>>): void;
	ended?(call: StartedCall, end: CallEnd): void;
}

export class CallFeed {
	#listeners: readonly CallListener[] = [];
	#last = 0;

	/** False while nobody listens. */
	get isUsed(): boolean {
		return this.#listeners.length > 0;
	}

	/** Returns the function that removes the listener. */
	listen(listener: CallListener): () => void {
		this.#listeners = [...this.#listeners, listener];
		return () => this.#remove(listener);
	}

	/** Number a call and report its start. */
	begin(about: Omit<StartedCall, 'number'>): StartedCall {
		const call = { ...about, number: ++this.#last };
		this.#each((listener) => listener.started?.(call));
		if (this.#listeners.some((listener) => listener.notified !== undefined))
			call.context?.onNotification((method, params) =>
				this.#each((listener) => listener.notified?.(call, method, params)),
			);
		return call;
	}

	/** Report the end of a call that began. */
	end(call: StartedCall, end: CallEnd): void {
		this.#each((listener) => listener.ended?.(call, end));
	}

	#each(visit: (listener: CallListener) => void): void {
		for (const listener of this.#listeners) {
			try {
				visit(listener);
			} catch {
				this.#remove(listener);
			}
		}
	}

	#remove(listener: CallListener): void {
		this.#listeners = this.#listeners.filter((each) => each !== listener);
	}
}
