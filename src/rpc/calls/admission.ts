/*
 * Admission control and backpressure for requests of the peer.
 *
 * Reading never waits for writing: two peers that both stop reading while their
 * output is full would deadlock. So everything is read, responses are settled at
 * once, and only new requests are queued: while the output is above its high-water
 * mark, or while the maximum number runs. A peer that writes all its requests before
 * it reads a response is served as long as they fit into the queue. Reading pauses
 * only when the queue is full, and then the stall timeout applies: a peer that reads
 * nothing until it expires is disconnected.
 */
import { OrchestraError } from '../../errors.ts';
import type { Id } from '../../wire/json-rpc.ts';
import { QUEUED_CHARACTERS, STALL_MS } from '../../wire/wire-limits.ts';
import type { Channel } from '../channel.ts';
import type { Clock } from '../clock.ts';
import { type QueuedMessage, RequestQueue } from './request-queue.ts';

export interface AdmissionDeps {
	channel: Pick<Channel, 'pause' | 'resume'>;
	clock: Clock;
	/** Handles a message that was queued. */
	dispatch: (message: QueuedMessage) => void;
	/** True while the maximum number of requests runs. */
	isFull: () => boolean;
	/** The stall timeout expired: the peer has read nothing. */
	onStalled: (error: OrchestraError) => void;
	/** Stall timeout in milliseconds. Default 2 minutes. */
	stallMs?: number | undefined;
}

export class Admission {
	readonly #deps: AdmissionDeps;
	readonly #queue = new RequestQueue();
	readonly #drainWaiters: (() => void)[] = [];
	#isCongested = false;
	#isPaused = false;
	#isScanning = false;
	#hasEnded = false;
	#stopTimer: (() => void) | undefined;

	constructor(deps: AdmissionDeps) {
		this.#deps = deps;
	}

	/** True while messages are queued. Messages that must keep their order are queued behind them. */
	get hasQueued(): boolean {
		return !this.#queue.isEmpty;
	}

	get count(): number {
		return this.#queue.count;
	}

	/** True when a new request must be queued: also behind others, which it must not overtake. */
	get isBlocked(): boolean {
		return this.#isCongested || !this.#queue.isEmpty || this.#deps.isFull();
	}

	/** True when the queue is full although the peer reads our responses: refuse a new request. */
	get isRefusing(): boolean {
		return this.#queue.isFull && !this.#isCongested;
	}

	/** True when the queue is full: do not queue a notification. */
	get isFull(): boolean {
		return this.#queue.isFull;
	}

	/** Stop reading until `release`: a long message is being scanned. */
	hold(): void {
		this.#isScanning = true;
		this.#deps.channel.pause();
	}

	release(): void {
		this.#isScanning = false;
		if (!this.#isPaused) this.#deps.channel.resume();
	}

	enqueue(message: QueuedMessage): void {
		this.#queue.push(message);
		if (this.#queue.isFull && !this.#isPaused && this.#isCongested) {
			this.#isPaused = true;
			this.#deps.channel.pause();
		}
		this.#updateStallTimer();
	}

	/** Remove the request with this key, which the peer canceled; false when it is not queued. */
	cancel(key: Id): boolean {
		const wasQueued = this.#queue.cancel(key);
		if (wasQueued) this.#resumeReading();
		return wasQueued;
	}

	congested(): void {
		this.#isCongested = true;
	}

	flushed(): void {
		this.#isCongested = false;
		this.#restartStallTimer();
		this.dispatchReady();
	}

	/** Dispatch queued messages as far as the limits allow. */
	dispatchReady(): void {
		while (!this.#isCongested && !this.#deps.isFull()) {
			const message = this.#queue.shift();
			if (message === undefined) break;
			this.#restartStallTimer();
			this.#deps.dispatch(message);
			message.batch?.release();
		}
		this.#resumeReading();
	}

	/** The input ended; queued messages are still handled. */
	end(): void {
		this.#hasEnded = true;
		this.#updateStallTimer();
	}

	/** Resolves when the queue is empty. */
	drained(): Promise<void> {
		if (this.#queue.isEmpty) return Promise.resolve();
		return new Promise((resolve) => this.#drainWaiters.push(resolve));
	}

	/** Drop all queued messages; they have not started and get no response. Returns their number. */
	clear(): number {
		const dropped = this.#queue.clear();
		this.#resumeReading();
		return dropped;
	}

	#resumeReading(): void {
		if (this.#isPaused && (this.#queue.hasRoom || !this.#isCongested)) {
			this.#isPaused = false;
			if (!this.#isScanning) this.#deps.channel.resume();
		}
		if (this.#queue.isEmpty) for (const resolve of this.#drainWaiters.splice(0)) resolve();
		this.#updateStallTimer();
	}

	/** The stall timeout runs while reading is paused, and after the end of input while messages are queued. */
	#updateStallTimer(): void {
		const isStallable = this.#isPaused || (this.#hasEnded && !this.#queue.isEmpty);
		if (isStallable === (this.#stopTimer !== undefined)) return;
		this.#stopTimer?.();
		this.#stopTimer = isStallable ? this.#deps.clock.after(this.#stallMs, () => this.#stall()) : undefined;
	}

	#restartStallTimer(): void {
		if (this.#stopTimer === undefined) return;
		this.#stopTimer();
		this.#stopTimer = undefined;
		this.#updateStallTimer();
	}

	get #stallMs(): number {
		return this.#deps.stallMs ?? STALL_MS;
	}

	#stall(): void {
		const waiting = this.#queue.count;
		const message = `the peer sends requests but has read no response for ${this.#stallMs}ms; ${waiting} messages were queued`;
		this.clear();
		this.#deps.onStalled(
			new OrchestraError('timeout', message, {
				hint: `Read responses while you send: at most ${QUEUED_CHARACTERS} characters of requests are queued.`,
				data: { stallMs: this.#stallMs, waiting },
			}),
		);
	}
}
