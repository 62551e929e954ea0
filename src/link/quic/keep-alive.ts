/*
 * Keep-alive and timeouts of one connection.
 *
 * The engine has its own timer for lost packets. In addition, an idle connection is
 * pinged, and while a call is open an idle peer is probed twice a second. The peer
 * times out after a number of unanswered probes and not after a time, so a process
 * that was suspended itself does not drop its peer.
 */
import { FAST_PROBES, KEEP_ALIVE_MS, PROBE_MS, SLOW_PROBE_MS } from '../link-limits.ts';

/** The work that is due at a tick. */
export interface KeepAliveState {
	isEngineDue: boolean;
	isProbeDue: boolean;
	/** The peer timeout or the handshake timeout expired. */
	isTimedOut: boolean;
	idleMs: number;
}

export class KeepAlive {
	/** When the timer of the engine is due. */
	engineDueAt: number = Number.POSITIVE_INFINITY;
	readonly #handshakeEndsAt: number;
	readonly #startedAt: number;
	readonly #maxUnanswered: number;
	#isEstablished = false;
	#receivedAt: number;
	#probedAt: number;
	#unanswered = 0;
	/** Probes since the last call started. */
	#probesOfCall = 0;

	constructor(now: number, { handshakeMs, peerTimeoutMs }: { handshakeMs: number; peerTimeoutMs: number }) {
		this.#maxUnanswered = Math.max(1, Math.ceil(peerTimeoutMs / PROBE_MS));
		this.#startedAt = now;
		this.#receivedAt = now;
		this.#probedAt = now;
		this.#handshakeEndsAt = now + handshakeMs;
	}

	established(): void {
		this.#isEstablished = true;
	}

	/** Call for each received packet: resets the peer timeout. */
	packetReceived(now: number): void {
		this.#receivedAt = now;
		this.#unanswered = 0;
	}

	/** A call started: idle time before it does not count. */
	callStarted(now: number): void {
		this.#probesOfCall = 0;
		if (this.#unanswered === 0) this.#probedAt = now;
	}

	dueAt(hasOpenStreams: boolean): number {
		const probeAt = this.#isEstablished ? this.#probeAt(hasOpenStreams) : this.#handshakeEndsAt;
		return Math.min(this.engineDueAt, probeAt);
	}

	tick(now: number, hasOpenStreams: boolean): KeepAliveState {
		const state: KeepAliveState = {
			isEngineDue: now >= this.engineDueAt,
			isProbeDue: false,
			isTimedOut: !this.#isEstablished && now >= this.#handshakeEndsAt,
			idleMs: now - (this.#isEstablished ? this.#receivedAt : this.#startedAt),
		};
		if (!this.#isEstablished || now < this.#probeAt(hasOpenStreams)) return state;
		this.#probedAt = now;
		this.#unanswered++;
		this.#probesOfCall++;
		state.isProbeDue = true;
		state.isTimedOut = this.#unanswered > this.#maxUnanswered;
		return state;
	}

	#probeAt(hasOpenStreams: boolean): number {
		return Math.max(this.#receivedAt, this.#probedAt) + this.#everyMs(hasOpenStreams);
	}

	#everyMs(hasOpenStreams: boolean): number {
		if (this.#unanswered > 0) return PROBE_MS;
		if (!hasOpenStreams) return KEEP_ALIVE_MS;
		return this.#probesOfCall < FAST_PROBES ? PROBE_MS : SLOW_PROBE_MS;
	}
}
