/* The total deadline and the cancellation of a call that may take several requests. */

import { OrchestraError } from '../../errors.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { timerMs } from '../../rpc/clock.ts';
import { requestError } from './phase-error.ts';

export interface CallDeadlineOptions {
	/** Total timeout in milliseconds. Default: none. */
	readonly maxMs?: number | undefined;
	readonly signal?: AbortSignal | undefined;
}

export class CallDeadline {
	readonly #method: string;
	readonly #options: CallDeadlineOptions;
	readonly #abort = new AbortController();
	readonly #endsAt: number;
	readonly #timer: NodeJS.Timeout | undefined;
	readonly #stopListening: () => void;
	#reject: (reason: OrchestraError) => void = () => {};

	constructor(method: string, options: CallDeadlineOptions) {
		const { maxMs, signal } = options;
		this.#method = method;
		this.#options = options;
		this.#endsAt = maxMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + maxMs;
		if (maxMs !== undefined) this.#timer = setTimeout(() => this.#onTimeout(), timerMs(maxMs));
		this.#stopListening = onAbort(signal, () => this.#onAbort());
	}

	/** Aborted when the caller cancels or the total time is over. */
	get signal(): AbortSignal {
		return this.#abort.signal;
	}

	/** The total timeout of the next request. */
	remaining(): { maxTotalMs?: number } {
		if (this.#endsAt === Number.POSITIVE_INFINITY) return {};
		return { maxTotalMs: Math.max(1, this.#endsAt - performance.now()) };
	}

	/** The outcome of `work`, or the end of the deadline, whichever is first. */
	race<T>(work: Promise<T>): Promise<T> {
		return new Promise((resolve, reject) => {
			this.#reject = reject;
			work.then(resolve, reject);
			if (this.#abort.signal.aborted) this.#onAbort();
		});
	}

	/** Release the timer and the listener. */
	end(): void {
		clearTimeout(this.#timer);
		this.#stopListening();
	}

	#onAbort(): void {
		const { signal } = this.#options;
		this.#reject(
			new OrchestraError('canceled', `${this.#method} was canceled by its caller`, {
				cause: signal?.reason,
				data: { phase: 'call' },
			}),
		);
		this.#abort.abort(signal?.reason);
	}

	#onTimeout(): void {
		const data = { timeoutMs: this.#options.maxMs, kind: 'total' };
		this.#reject(requestError(new OrchestraError('timeout', 'total time is over', { data }), this.#method));
		this.#abort.abort();
	}
}
