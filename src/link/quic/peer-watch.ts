/*
 * When to look after a connection, and when to give it up.
 *
 * The engine has a deadline of its own, for lost packets. On top of it: an idle
 * connection is pinged, and silence is probed twice a second while an answer is
 * awaited. Patience is counted in probes and not in time, so that a process that
 * was itself stopped for a while does not blame its peer.
 */
import { EAGER_PROBES, KEEP_ALIVE_MS, PATIENT_PROBE_MS, PROBE_MS } from '../link-limits.ts';

export interface PeerVerdict {
	isEngineDue: boolean;
	isProbeDue: boolean;
	/** Patience is over. */
	isSilent: boolean;
	silentMs: number;
}

export class PeerWatch {
	/** When the engine wants its timer. */
	engineDueAt: number = Number.POSITIVE_INFINITY;
	readonly #handshakeEndsAt: number;
	readonly #startedAt: number;
	readonly #patience: number;
	#isEstablished = false;
	#heardAt: number;
	#probedAt: number;
	#unanswered = 0;
	/** Probes since the last call began. */
	#probes = 0;

	constructor(now: number, { handshakeMs, silenceMs }: { handshakeMs: number; silenceMs: number }) {
		this.#patience = Math.max(1, Math.ceil(silenceMs / PROBE_MS));
		this.#startedAt = now;
		this.#heardAt = now;
		this.#probedAt = now;
		this.#handshakeEndsAt = now + handshakeMs;
	}

	established(): void {
		this.#isEstablished = true;
	}

	/** A packet came. */
	heard(now: number): void {
		this.#heardAt = now;
		this.#unanswered = 0;
	}

	/** An answer is awaited from now on: silence before does not count. */
	busy(now: number): void {
		this.#probes = 0;
		if (this.#unanswered === 0) this.#probedAt = now;
	}

	dueAt(isBusy: boolean): number {
		const probeAt = this.#isEstablished ? this.#probeAt(isBusy) : this.#handshakeEndsAt;
		return Math.min(this.engineDueAt, probeAt);
	}

	tick(now: number, isBusy: boolean): PeerVerdict {
		const verdict: PeerVerdict = {
			isEngineDue: now >= this.engineDueAt,
			isProbeDue: false,
			isSilent: !this.#isEstablished && now >= this.#handshakeEndsAt,
			silentMs: now - (this.#isEstablished ? this.#heardAt : this.#startedAt),
		};
		if (!this.#isEstablished || now < this.#probeAt(isBusy)) return verdict;
		this.#probedAt = now;
		this.#unanswered++;
		this.#probes++;
		verdict.isProbeDue = true;
		verdict.isSilent = this.#unanswered > this.#patience;
		return verdict;
	}

	#probeAt(isBusy: boolean): number {
		return Math.max(this.#heardAt, this.#probedAt) + this.#everyMs(isBusy);
	}

	#everyMs(isBusy: boolean): number {
		if (this.#unanswered > 0) return PROBE_MS;
		if (!isBusy) return KEEP_ALIVE_MS;
		return this.#probes < EAGER_PROBES ? PROBE_MS : PATIENT_PROBE_MS;
	}
}
