/*
 * When the changed lists of running servers are read again: at once, then with a gap that
 * doubles for a server that changes with each list.
 */
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import type { Change } from '../../../mcp/server/provider.ts';
import { CHANGES_GAP_LIMIT_MS, CHANGES_GAP_MS } from '../source-limits.ts';

export type ChangedList = Exclude<Change, { kind: 'resource' | 'log' }>['kind'];

/** The changes of a running server. */
interface PendingReads {
	/** The lists whose read has not begun. */
	readonly kinds: Set<ChangedList>;
	/** When the next read may begin. */
	nextAt: number;
	gapMs: number;
}

export class ListChanges {
	readonly #read: (connection: ServerConnection, kind: ChangedList) => void;
	readonly #changes = new WeakMap<ServerConnection, PendingReads>();

	constructor(read: (connection: ServerConnection, kind: ChangedList) => void) {
		this.#read = read;
	}

	/** A list changed. Changes before the read begins are read at once. */
	changed(connection: ServerConnection, kind: ChangedList): void {
		const changes = this.#changes.get(connection) ?? { kinds: new Set(), nextAt: 0, gapMs: 0 };
		this.#changes.set(connection, changes);
		if (changes.kinds.has(kind)) return;
		changes.kinds.add(kind);
		const read = (): void => {
			changes.kinds.delete(kind);
			const now = performance.now();
			changes.gapMs = nextGapMs(changes.gapMs, now - changes.nextAt);
			changes.nextAt = now + changes.gapMs;
			this.#read(connection, kind);
		};
		const waitMs = changes.nextAt - performance.now();
		if (waitMs <= 0) read();
		else setTimeout(read, waitMs).unref();
	}
}

/** The gap after a read. @param quietMs how long nothing changed after the last gap */
export function nextGapMs(lastMs: number, quietMs: number): number {
	if (lastMs === 0 || quietMs >= lastMs) return CHANGES_GAP_MS;
	return Math.min(2 * lastMs, CHANGES_GAP_LIMIT_MS);
}
