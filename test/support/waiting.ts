/* Waiting for what a test expects: by an event where there is one, by looking again where there is none. */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_AGAIN_MS = 10;
/** A wait ends with what it waits for; only what never comes takes so long, also on a busy machine. */
const GIVE_UP_MS = 60_000;

/** Wait until `condition` holds; throws after `ms`, naming what was waited for. */
export async function until(
	what: string,
	condition: () => boolean | Promise<boolean>,
	ms = GIVE_UP_MS,
): Promise<void> {
	const giveUpAt = performance.now() + ms;
	while (!(await condition())) {
		if (performance.now() > giveUpAt) throw new Error(`waited ${ms} ms in vain until ${what}`);
		await sleep(LOOK_AGAIN_MS);
	}
}

/** A promise, and the function that resolves it. */
export function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
	let resolve: (value: T) => void = () => {};
	const promise = new Promise<T>((done) => {
		resolve = done;
	});
	return { promise, resolve };
}

/** Let everything run that is due now, for events that have no sign of their own. */
export function nextTurn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
