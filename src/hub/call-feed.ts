/*
 * The calls of the hub: those in flight, and for listeners (dashboard, metrics, traces,
 * recordings) each one as it begins and ends.
 *
 * A listener that comes later gets the calls in flight first. A listener that throws is
 * removed: it must never fail a call.
 */
import type { CallContext, ClientConnection } from '../mcp/server/call-context.ts';
import { CallTable } from '../rpc/calls/call-table.ts';
import { rpcErrorOf } from '../rpc/rpc-error.ts';
import type { JournalEntry } from './journal/journal.ts';

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
	/** The same time by `performance.now()`. */
	readonly beganAt: number;
	readonly arguments?: unknown;
	/** The length of their text, of a call that passes as text: they are parsed each time they are read. */
	readonly argumentCharacters?: number | undefined;
	/** Who makes it. Cheaper than `context`. */
	readonly caller?: Pick<ClientConnection, 'sessionId' | 'clientInfo' | 'revision'> | undefined;
	/** The context; that of a plain call is made for the first reader. */
	readonly context?: CallContext | undefined;
	/** True when it passes as text: it has neither phases nor a worker. */
	readonly isPlain?: boolean | undefined;
}

/** How a call ended. */
export interface CallEnd
	extends Pick<
		JournalEntry,
		'outcome' | 'error' | 'ms' | 'phases' | 'policy' | 'rule' | 'plan' | 'trace' | 'result'
	> {
	/** The error that was thrown; undefined when there is a result. */
	readonly thrown?: unknown;
}

/** Sees every call. Each method is called in the path of the call, so it must be quick. */
export interface CallListener {
	/** True when it reads few values of calls, and arguments only when they are short: they may pass as text. Default false. */
	readonly takesText?: boolean;
	started?(call: StartedCall): void;
	/** A progress or log notification of the call, whether or not its client wants it. */
	notified?(call: StartedCall, method: string, params: Readonly<Record<string, unknown>>): void;
	ended?(call: StartedCall, end: CallEnd): void;
}

export class CallFeed {
	readonly #onBegin: (call: StartedCall) => void;
	#listeners: readonly CallListener[] = [];
	#needsValues = false;
	readonly #open = new CallTable<number, StartedCall>();
	#last = 0;
	readonly #lastCalls = new Map<string, Date>();

	/** @param onBegin is called for each call, before the listeners */
	constructor(onBegin: (call: StartedCall) => void = () => {}) {
		this.#onBegin = onBegin;
	}

	/** Whether a listener reads values of calls, so that none may pass as text. */
	get needsValues(): boolean {
		return this.#needsValues;
	}

	/** The calls in flight. */
	get open(): Iterable<StartedCall> {
		return this.#open.values();
	}

	get openCount(): number {
		return this.#open.size;
	}

	/** Calls since the hub started. */
	get total(): number {
		return this.#last;
	}

	/** Returns the function that removes the listener. */
	listen(listener: CallListener): () => void {
		this.#use([...this.#listeners, listener]);
		this.#each((each) => {
			if (each === listener) for (const call of this.#open.values()) listener.started?.(call);
		});
		return () => this.#remove(listener);
	}

	/** The time of the last call to a source; undefined when there was none. */
	lastCall(sourceId: string): Date | undefined {
		return this.#lastCalls.get(sourceId);
	}

	/** A call began; it gets its number. */
	begin(call: StartedCall & { number: number }): void {
		call.number = ++this.#last;
		this.#lastCalls.set(call.backend, call.startedAt);
		this.#open.set(call.number, call);
		this.#onBegin(call);
		if (this.#listeners.length === 0) return;
		this.#each((listener) => listener.started?.(call));
		// A call that passes as text reports its notifications itself: most have none, and need no context.
		if (!call.isPlain) this.#follow(call);
	}

	/** A progress or log notification of a call came. */
	notified(call: StartedCall, method: string, params: Readonly<Record<string, unknown>>): void {
		this.#each((listener) => listener.notified?.(call, method, params));
	}

	/** A call that passed as text goes on by the general route: another object takes its number. */
	resume(call: StartedCall): void {
		this.#open.set(call.number, call);
		this.#follow(call);
	}

	/** Report the end of a call that began. */
	end(call: StartedCall, end: CallEnd): void {
		this.#open.take(call.number);
		if (this.#listeners.length > 0) this.#each((listener) => listener.ended?.(call, end));
	}

	#follow(call: StartedCall): void {
		if (this.#listeners.some((listener) => listener.notified !== undefined))
			call.context?.onNotification((method, params) => this.notified(call, method, params));
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
		this.#use(this.#listeners.filter((each) => each !== listener));
	}

	#use(listeners: readonly CallListener[]): void {
		this.#listeners = listeners;
		this.#needsValues = listeners.some(({ takesText }) => takesText !== true);
	}
}

/**
 * The attribute `error.type` of the OpenTelemetry conventions: `tool_error` for a result that reports a failure, else
 * the code of the JSON-RPC error, else ours.
 */
export function errorTypeOf({ outcome, error, thrown }: CallEnd): string | undefined {
	if (outcome === 'ok') return undefined;
	if (outcome === 'failed') return 'tool_error';
	const code = rpcErrorOf(thrown)?.code;
	return code === undefined ? (error ?? outcome) : String(code);
}
