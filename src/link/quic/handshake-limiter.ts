/*
 * Limits for peers that are not authenticated yet.
 *
 * Any process on this machine can send Initial packets. They are rate-limited per
 * source. Handshakes in progress are bounded, in total and per source; at the limit
 * the oldest handshake is evicted once it had time to complete, so that a flood
 * delays an honest client but does not lock it out.
 */
import { OrchestraError } from '../../errors.ts';
import {
	HANDSHAKE_EVICTION_MS,
	HANDSHAKE_WINDOW_MS,
	INITIALS_PER_SOURCE,
	MAX_HANDSHAKES,
	MAX_HANDSHAKES_PER_SOURCE,
	MAX_SOURCES,
} from '../link-limits.ts';

/** The part of a connection that the limiter uses. */
export interface PendingHandshake {
	readonly address: string;
	fail(error: OrchestraError): void;
}

export class HandshakeLimiter {
	/** Start time of each handshake, the oldest first. */
	readonly #since = new Map<PendingHandshake, number>();
	readonly #perSource = new Map<string, number>();
	/** Initial packets per source in the current window. */
	readonly #initials = new Map<string, number>();
	#windowEndsAt = 0;

	get size(): number {
		return this.#since.size;
	}

	/** True when an Initial packet of this source may be answered (rate limit). */
	allowsInitial(source: string, now: number): boolean {
		if (now >= this.#windowEndsAt) {
			this.#windowEndsAt = now + HANDSHAKE_WINDOW_MS;
			this.#initials.clear();
		}
		const count = this.#initials.get(source);
		if (count === undefined && this.#initials.size >= MAX_SOURCES) return false;
		if (count !== undefined && count >= INITIALS_PER_SOURCE) return false;
		this.#initials.set(source, (count ?? 0) + 1);
		return true;
	}

	/** True when one more handshake of this source may start. May evict an old one. */
	admits(source: string, now: number): boolean {
		if ((this.#perSource.get(source) ?? 0) >= MAX_HANDSHAKES_PER_SOURCE) return false;
		if (this.#since.size < MAX_HANDSHAKES) return true;
		const [oldest] = this.#since;
		if (!oldest || now - oldest[1] < HANDSHAKE_EVICTION_MS) return false;
		this.end(oldest[0]);
		oldest[0].fail(
			new OrchestraError('closed', `the handshake of ${oldest[0].address} was evicted for a newer one`),
		);
		return true;
	}

	begin(handshake: PendingHandshake, now: number): void {
		this.#since.set(handshake, now);
		this.#perSource.set(handshake.address, (this.#perSource.get(handshake.address) ?? 0) + 1);
	}

	/** The handshake completed or failed. Idempotent. */
	end(handshake: PendingHandshake): void {
		if (!this.#since.delete(handshake)) return;
		const left = (this.#perSource.get(handshake.address) ?? 1) - 1;
		if (left > 0) this.#perSource.set(handshake.address, left);
		else this.#perSource.delete(handshake.address);
	}
}
