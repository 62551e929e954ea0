/* A promise against an `AbortSignal`: whichever is first, and the listener is removed. */
import { OrchestraError } from '../errors.ts';

/** The value of `work`; rejects with `canceled` as soon as `signal` is aborted. Work that has begun goes on by itself. */
export function abortable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		const stop = onAbort(signal, () => reject(OrchestraError.from(signal.reason, 'canceled')));
		if (!signal.aborted) work().then(resolve, reject).finally(stop);
	});
}

/** Resolves when `signal` is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => void onAbort(signal, resolve));
}

/** Call `listener` once when `signal` is aborted, at once if it is. Returns the function that removes it. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
	if (signal === undefined) return () => {};
	if (signal.aborted) {
		listener();
		return () => {};
	}
	signal.addEventListener('abort', listener, { once: true });
	return () => signal.removeEventListener('abort', listener);
}
