/*
 * What a listener does for peers that have not proved who they are.
 *
 * Anybody on this machine can send first packets. Each source gets a few answers a
 * second. Handshakes under way are bounded, in all and for each source; when all places
 * are taken, the oldest handshake that has had time to finish gives way to a new one,
 * so that a flood delays an honest client but does not lock it out.
 */
import { OrchestraError } from '../../errors.ts';
import {
	HANDSHAKE_PATIENCE_MS,
	INITIALS_PER_SOURCE,
	MAX_HANDSHAKES,
	MAX_HANDSHAKES_PER_SOURCE,
	MAX_SOURCES,
} from '../link-limits.ts';

/** What the gate needs of a connection. */
export interface Newcomer {
	readonly address: string;
	fail(error: OrchestraError): void;
}

const WINDOW_MS = 1_000;

export class HandshakeGate {
	/** Since when each handshake is under way, the oldest first. */
	readonly #since = new Map<Newcomer, number>();
	readonly #perSource = new Map<string, number>();
	/** First packets of each source since the window began. */
	readonly #initials = new Map<string, number>();
	#windowEndsAt = 0;

	/** Handshakes under way. */
	get size(): number {
		return this.#since.size;
	}

	/** May a first packet of this source be answered? */
	mayAnswer(source: string, now: number): boolean {
		if (now >= this.#windowEndsAt) {
			this.#windowEndsAt = now + WINDOW_MS;
			this.#initials.clear();
		}
		const count = this.#initials.get(source);
		if (count === undefined && this.#initials.size >= MAX_SOURCES) return false;
		if (count !== undefined && count >= INITIALS_PER_SOURCE) return false;
		this.#initials.set(source, (count ?? 0) + 1);
		return true;
	}

	/** Is there a place for one more handshake of this source? May end an old one to make it. */
	hasPlace(source: string, now: number): boolean {
		if ((this.#perSource.get(source) ?? 0) >= MAX_HANDSHAKES_PER_SOURCE) return false;
		if (this.#since.size < MAX_HANDSHAKES) return true;
		const [oldest] = this.#since;
		if (!oldest || now - oldest[1] < HANDSHAKE_PATIENCE_MS) return false;
		this.end(oldest[0]);
		oldest[0].fail(new OrchestraError('closed', `the handshake of ${oldest[0].address} gave way to another`));
		return true;
	}

	begin(newcomer: Newcomer, now: number): void {
		this.#since.set(newcomer, now);
		this.#perSource.set(newcomer.address, (this.#perSource.get(newcomer.address) ?? 0) + 1);
	}

	/** It is done, one way or the other. Idempotent. */
	end(newcomer: Newcomer): void {
		if (!this.#since.delete(newcomer)) return;
		const left = (this.#perSource.get(newcomer.address) ?? 1) - 1;
		if (left > 0) this.#perSource.set(newcomer.address, left);
		else this.#perSource.delete(newcomer.address);
	}
}
