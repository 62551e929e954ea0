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

/** Returns the function to call when a list changed. Changes before a read begins are read at once. */
export function readsOfChanges(
	read: (connection: ServerConnection, kind: ChangedList) => void,
): (connection: ServerConnection, kind: ChangedList) => void {
	const pending = new WeakMap<ServerConnection, PendingReads>();
	return (connection, kind) => {
		const changes = pending.get(connection) ?? { kinds: new Set(), nextAt: 0, gapMs: 0 };
		pending.set(connection, changes);
		if (changes.kinds.has(kind)) return;
		changes.kinds.add(kind);
		const readNow = (): void => {
			changes.kinds.delete(kind);
			const now = performance.now();
			changes.gapMs = nextGapMs(changes.gapMs, now - changes.nextAt);
			changes.nextAt = now + changes.gapMs;
			read(connection, kind);
		};
		const waitMs = changes.nextAt - performance.now();
		if (waitMs <= 0) readNow();
		else setTimeout(readNow, waitMs).unref();
	};
}

/** The gap after a read. @param quietMs how long nothing changed after the last gap */
export function nextGapMs(lastMs: number, quietMs: number): number {
	if (lastMs === 0 || quietMs >= lastMs) return CHANGES_GAP_MS;
	return Math.min(2 * lastMs, CHANGES_GAP_LIMIT_MS);
}
