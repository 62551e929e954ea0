/*
 * When the MCP sessions of a hub end.
 *
 * A bridge that lost its connection opens the same session again, so a session ends
 * only when it was not opened again within a grace period.
 */
import { SESSION_GRACE_MS } from '../hub-limits.ts';

export class SessionEnds {
	readonly #onEnd: (sessionId: string) => void;
	readonly #graceMs: number;
	/** The number of open connections of each session. */
	readonly #open = new Map<string, number>();
	readonly #timers = new Map<string, NodeJS.Timeout>();

	constructor(onEnd: (sessionId: string) => void, graceMs: number = SESSION_GRACE_MS) {
		this.#onEnd = onEnd;
		this.#graceMs = graceMs;
	}

	opened(sessionId: string): void {
		clearTimeout(this.#timers.get(sessionId));
		this.#timers.delete(sessionId);
		this.#open.set(sessionId, (this.#open.get(sessionId) ?? 0) + 1);
	}

	closed(sessionId: string): void {
		const left = (this.#open.get(sessionId) ?? 1) - 1;
		if (left > 0) return void this.#open.set(sessionId, left);
		this.#open.delete(sessionId);
		const timer = setTimeout(() => {
			this.#timers.delete(sessionId);
			this.#onEnd(sessionId);
		}, this.#graceMs);
		timer.unref();
		this.#timers.set(sessionId, timer);
	}

	/** The sessions that did not end. */
	get left(): ReadonlySet<string> {
		return new Set([...this.#open.keys(), ...this.#timers.keys()]);
	}

	/** Whether the session has a connection now. */
	isOpen(sessionId: string): boolean {
		return this.#open.has(sessionId);
	}

	/** Forget all sessions; nothing is reported any more. */
	clear(): void {
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#timers.clear();
		this.#open.clear();
	}
}
