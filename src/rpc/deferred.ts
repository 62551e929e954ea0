/* A promise that is settled from outside. Node 20 has no `Promise.withResolvers`. */

export interface Deferred<T> {
	readonly promise: Promise<T>;
	readonly resolve: (value: T) => void;
	readonly reject: (reason: unknown) => void;
}

/** A promise with its settle functions. Its rejection is never unhandled: it may come before the promise is awaited. */
export function deferred<T = void>(): Deferred<T> {
	let resolve: (value: T) => void = () => {};
	let reject: (reason: unknown) => void = () => {};
	const promise = new Promise<T>((yes, no) => {
		resolve = yes;
		reject = no;
	});
	promise.catch(() => {});
	return { promise, resolve, reject };
}
