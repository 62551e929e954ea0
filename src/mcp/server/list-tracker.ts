/*
 * Tracks which lists a client has seen, so that it is notified of changes to those
 * only.
 *
 * A `list_changed` before the first answer makes some clients show every item twice
 * and others hang. A change during a list request is deferred until after the answer.
 */
import { type ListKind, lists } from '../../protocol/item-lists.ts';

const kinds: ReadonlyMap<string, ListKind> = new Map(
	Object.values(lists).map(({ method, change }) => [method, change]),
);

export class ListTracker {
	readonly #notify: (kind: ListKind) => void;
	readonly #seen = new Set<ListKind>();
	readonly #listing = new Map<ListKind, number>();
	readonly #deferred = new Set<ListKind>();

	constructor(notify: (kind: ListKind) => void) {
		this.#notify = notify;
	}

	/**
	 * A request begins. Returns a function to call before its answer is sent, with true when other promises may run
	 * before that; undefined when it is not a list.
	 */
	begin(method: string): ((isLater: boolean) => void) | undefined {
		const kind = kinds.get(method);
		if (kind === undefined) return undefined;
		this.#listing.set(kind, (this.#listing.get(kind) ?? 0) + 1);
		return (isLater) => this.#end(kind, isLater);
	}

	/** A list has changed. */
	changed(kind: ListKind): void {
		if ((this.#listing.get(kind) ?? 0) > 0) this.#deferred.add(kind);
		else if (this.#seen.has(kind)) this.#notify(kind);
	}

	#end(kind: ListKind, isLater: boolean): void {
		this.#seen.add(kind);
		// The answer is sent in this tick of the event loop: at once, or after other promises have run.
		if (isLater) setImmediate(() => this.#leave(kind) && this.changed(kind));
		else if (this.#leave(kind)) setImmediate(() => this.changed(kind));
	}

	/** True when no request for this list is left, and it changed meanwhile. */
	#leave(kind: ListKind): boolean {
		const left = (this.#listing.get(kind) ?? 1) - 1;
		this.#listing.set(kind, left);
		return left === 0 && this.#deferred.delete(kind);
	}
}
