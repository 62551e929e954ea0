/*
 * Unary calls in flight: one request, one response.
 *
 * A call ends once: by its response, its deadline, its signal or the end of its stream.
 * One timer serves all deadlines.
 */
import { OrchestraError } from '../../errors.ts';
import { systemClock } from '../../rpc/clock.ts';
import { Deadlines } from '../../rpc/deadlines.ts';
import type { PluginResponse } from '../gen/orchestra/plugin/v1/plugin_pb.ts';

/** Timeout and signal of a call. */
export interface CallOptions {
	/** Timeout of the response. Default 30 s; `Infinity` for none. */
	timeoutMs?: number | undefined;
	signal?: AbortSignal | undefined;
}

export const CALL_TIMEOUT_MS = 30_000;

/** One call in flight. */
export interface UnaryCall {
	answer(response: PluginResponse): void;
	fail(error: OrchestraError): void;
}

interface Entry {
	dueAt: number;
	timeout: () => void;
}

export class UnaryCalls {
	readonly #entries = new Set<Entry>();
	readonly #deadlines: Deadlines = new Deadlines(systemClock, (now) => this.#sweep(now));

	get size(): number {
		return this.#entries.size;
	}

	/**
	 * Start a call. `begin` sends it and returns the function that abandons it. It is called once and
	 * synchronously; the call fails with the error that it throws.
	 */
	run(what: string, options: CallOptions, begin: (call: UnaryCall) => () => void): Promise<PluginResponse> {
		const { timeoutMs = CALL_TIMEOUT_MS, signal } = options;
		return new Promise((resolve, reject) => {
			let abandon: (() => void) | undefined;
			const entry: Entry = {
				dueAt: systemClock.now() + timeoutMs,
				timeout: () =>
					giveUp(new OrchestraError('timeout', `${what} was not answered within ${timeoutMs} ms`)),
			};
			const finish = (): boolean => {
				signal?.removeEventListener('abort', aborted);
				return this.#entries.delete(entry);
			};
			const giveUp = (error: OrchestraError): void => {
				if (!finish()) return;
				abandon?.();
				reject(error);
			};
			const aborted = (): void =>
				giveUp(new OrchestraError('canceled', `${what} was canceled`, { cause: signal?.reason }));
			this.#entries.add(entry);
			if (signal?.aborted) return aborted();
			signal?.addEventListener('abort', aborted, { once: true });
			if (timeoutMs < Number.POSITIVE_INFINITY) this.#deadlines.schedule(entry.dueAt);
			const call: UnaryCall = {
				answer: (response) => void (finish() && resolve(response)),
				fail: (error) => void (finish() && reject(error)),
			};
			try {
				abandon = begin(call);
			} catch (thrown) {
				call.fail(OrchestraError.from(thrown));
			}
		});
	}

	close(): void {
		this.#deadlines.close();
	}

	#sweep(now: number): number {
		let next = Number.POSITIVE_INFINITY;
		for (const entry of this.#entries) {
			if (entry.dueAt <= now) entry.timeout();
			else next = Math.min(next, entry.dueAt);
		}
		return next;
	}
}
