/*
 * Bounds the `list_changed` notifications of a client: the first change of a list is
 * sent at once, those within the gap after it as one notification when the gap ends.
 *
 * A server that changes its tools with each list would flood a client that lists them
 * after each notification.
 */
import { OrchestraError } from '../../errors.ts';
import type { ListKind } from '../../protocol/item-lists.ts';
import { LIST_CHANGED_GAP_MS } from '../mcp-limits.ts';

interface ListState {
	lastAt: number;
	/** Set while a notification waits for the end of the gap. */
	timer?: NodeJS.Timeout | undefined;
}

export class ListThrottle {
	readonly #send: (kind: ListKind) => void;
	/** Made on first use: most sessions never need it. */
	#lists: Map<ListKind, ListState> | undefined;

	constructor(send: (kind: ListKind) => void) {
		this.#send = send;
	}

	/** A list changed. */
	changed(kind: ListKind): void {
		this.#lists ??= new Map();
		const list: ListState = this.#lists.get(kind) ?? { lastAt: Number.NEGATIVE_INFINITY };
		this.#lists.set(kind, list);
		if (list.timer) return;
		const waitMs = list.lastAt + LIST_CHANGED_GAP_MS - performance.now();
		if (waitMs <= 0) this.#sendNow(kind, list);
		else list.timer = setTimeout(() => this.#sendNow(kind, list), waitMs).unref();
	}

	/** Send nothing more. */
	close(): void {
		for (const { timer } of this.#lists?.values() ?? []) clearTimeout(timer);
	}

	#sendNow(kind: ListKind, list: ListState): void {
		list.timer = undefined;
		list.lastAt = performance.now();
		try {
			this.#send(kind);
		} catch (error) {
			// The client is gone; the source of the change must not fail.
			if (!OrchestraError.is(error, 'closed') && !OrchestraError.is(error, 'io')) throw error;
		}
	}
}
