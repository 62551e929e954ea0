/*
 * The changes of a hub, for its clients: a list only when it really differs. While servers
 * start, the changes of a list are collected: each notification makes a client read the
 * whole list, and its model the whole context.
 */
import type { Change } from '../../mcp/server/provider.ts';
import type { Awaitable } from '../../protocol/mcp-types.ts';
import { Backoff } from '../../rpc/backoff.ts';
import { Listeners } from '../../rpc/listeners.ts';
import { CHANGE_FEED_COLLECT_MS, COLLECT_MAX_MS } from '../hub-limits.ts';
import type { ListedChange } from './list-differences.ts';

export interface ChangeFeedOptions {
	/** Compares a list with the last list of the clients. */
	readonly isDifferent: (change: ListedChange) => Awaitable<boolean>;
	/** True while servers start whose lists are not known. */
	readonly isStarting: () => boolean;
	/** Called at once with each difference. */
	readonly onDifferent: (change: ListedChange) => void;
}

/** Changes of a list while servers start. */
interface CollectedChanges {
	readonly backoff: Backoff;
	/** Set while changes are not reported yet. */
	timer?: NodeJS.Timeout | undefined;
}

export class ChangeFeed {
	readonly #listeners = new Listeners<Change>();
	readonly #options: ChangeFeedOptions;
	readonly #collected = new Map<Change['kind'], CollectedChanges>();

	constructor(options: ChangeFeedOptions) {
		this.#options = options;
	}

	/** Returns the function that ends it. */
	readonly listen: Listeners<Change>['add'] = this.#listeners.add;

	/** A source reports a change. */
	mayHaveChanged(change: Change): void {
		if (change.kind === 'resource' || change.kind === 'log') return this.notify(change);
		const isDifferent = this.#options.isDifferent(change);
		if (isDifferent === true) return this.#differs(change);
		void Promise.resolve(isDifferent)
			.catch(() => true) // a list that cannot be compared may have changed
			.then((isChanged) => isChanged && this.#differs(change));
	}

	/** Report a change at once, with those of the same list that were collected. */
	notify(change: Change): void {
		const collected = this.#collected.get(change.kind);
		clearTimeout(collected?.timer);
		if (collected) collected.timer = undefined;
		this.#listeners.emit(change);
	}

	/** Report nothing that was collected. */
	close(): void {
		for (const { timer } of this.#collected.values()) clearTimeout(timer);
	}

	#differs(change: ListedChange): void {
		const { onDifferent, isStarting } = this.#options;
		onDifferent(change);
		if (!isStarting()) {
			this.notify(change);
			this.#collected.delete(change.kind);
			return;
		}
		const collected = this.#collected.get(change.kind) ?? {
			backoff: new Backoff(CHANGE_FEED_COLLECT_MS, COLLECT_MAX_MS),
		};
		this.#collected.set(change.kind, collected);
		collected.timer ??= setTimeout(() => this.notify(change), collected.backoff.nextMs()).unref();
	}
}
