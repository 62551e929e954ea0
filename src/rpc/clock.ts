/* Time as a parameter, so that this layer stays pure and tests need not wait. */
import { OrchestraError } from '../errors.ts';
import { onAbort } from './abortable.ts';
import { LONGEST_TIMER_MS } from './rpc-limits.ts';

/** A monotonic clock with timers. */
export interface Clock {
	/** Monotonic time in milliseconds. */
	now(): number;
	/** Call `action` once after `ms`; returns a function that cancels it. Keeps the process alive only if asked. */
	after(ms: number, action: () => void, keepsAlive?: boolean): () => void;
}

/** `ms`, or the longest time that a timer can hold, almost 25 days. For every timer that a user sets. */
export function timerMs(ms: number): number {
	return Math.min(ms, LONGEST_TIMER_MS);
}

// The global is a getter, which costs more than the clock.
const { performance: monotonic } = globalThis;

/** The clock of this process: `performance.now` and unreferenced timers. */
export const systemClock: Clock = {
	now: () => monotonic.now(),
	after(ms, action, keepsAlive = false) {
		const timer = setTimeout(action, ms);
		if (!keepsAlive) timer.unref();
		return () => clearTimeout(timer);
	},
};

/**
 * What `promise` resolves to, or undefined when `ms` pass first. The wait keeps the process alive unless
 * `keepsAlive` is false.
 */
export async function within<T>(promise: Promise<T>, ms: number, keepsAlive = true): Promise<T | undefined> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<undefined>((resolve) => {
		timer = setTimeout(resolve, timerMs(ms), undefined);
		if (!keepsAlive) timer.unref();
	});
	try {
		return await Promise.race([promise, late]);
	} finally {
		clearTimeout(timer);
	}
}

/** The value of `look`, polled; undefined when `forMs` pass first. Rejects as `pause` does. */
export async function polled<T>(
	look: () => T | undefined | Promise<T | undefined>,
	{ everyMs, forMs, signal }: { everyMs: number; forMs: number; signal?: AbortSignal | undefined },
): Promise<T | undefined> {
	const giveUpAt = performance.now() + forMs;
	for (;;) {
		const found = await look();
		if (found !== undefined || performance.now() > giveUpAt) return found;
		await pause(everyMs, signal);
	}
}

/** Wait; rejects with the reason of `signal` when it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => {
			stop();
			resolve();
		}, ms);
		const stop = onAbort(signal, () => {
			clearTimeout(timer);
			reject(OrchestraError.from(signal?.reason, 'canceled'));
		});
	});
}
