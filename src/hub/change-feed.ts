/* The changes of a hub, for its clients: a list only when it really differs. */
import type { Change } from '../mcp/server/provider.ts';
import type { Awaitable } from '../protocol/mcp-types.ts';
import type { ListedChange } from './list-differences.ts';

export class ChangeFeed {
	readonly #listeners = new Set<(change: Change) => void>();
	readonly #isDifferent: (change: ListedChange) => Awaitable<boolean>;

	/** @param isDifferent compares a list with the last list of the clients */
	constructor(isDifferent: (change: ListedChange) => Awaitable<boolean>) {
		this.#isDifferent = isDifferent;
	}

	/** Returns the function that ends it. */
	listen(listener: (change: Change) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** A backend reports a change. */
	mayHaveChanged(change: Change): void {
		if (change.kind === 'resource' || change.kind === 'log') return this.notify(change);
		const isDifferent = this.#isDifferent(change);
		if (isDifferent === true) return this.notify(change);
		void Promise.resolve(isDifferent)
			.catch(() => true) // a list that cannot be compared may have changed
			.then((isChanged) => isChanged && this.notify(change));
	}

	notify(change: Change): void {
		for (const listener of this.#listeners) listener(change);
	}
}
