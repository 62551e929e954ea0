/*
 * When a request of the peer may be dispatched.
 *
 * Reading never waits for writing: two peers that both stop reading while their
 * output is full would wait for each other forever. So everything is read, answers
 * are settled at once, and only new requests wait here: while the output is above its
 * high-water mark, or while as many run as may. A peer that
 * writes all its requests before it reads an answer is served as long as they fit
 * into the queue. Only when they do not is reading paused, and then there is a deadline: a peer
 * that takes nothing for that long is given up.
 */
import { OrchestraError } from '../errors.ts';
import { QUEUED_CHARACTERS, STALL_MS } from '../wire/wire-limits.ts';
import type { Channel } from './channel.ts';
import type { Clock } from './clock.ts';
import { type QueuedMessage, RequestQueue } from './request-queue.ts';

export interface AdmissionParts {
	channel: Pick<Channel, 'pause' | 'resume'>;
	clock: Clock;
	/** Serves a message that was held. */
	dispatch: (message: QueuedMessage) => void;
	/** True while no further request may run. */
	isFull: () => boolean;
	/** The peer has taken nothing for too long. */
	giveUp: (error: OrchestraError) => void;
	/** How long that is, in milliseconds. Default 2 minutes. */
	stallMs?: number | undefined;
}

export class Admission {
	readonly #parts: AdmissionParts;
	readonly #queue = new RequestQueue();
	readonly #emptyWaiters: (() => void)[] = [];
	#isCongested = false;
	#isPaused = false;
	#hasEnded = false;
	#cancelTimer: (() => void) | undefined;

	constructor(parts: AdmissionParts) {
		this.#parts = parts;
	}

	/** True while messages wait. Messages that must keep their order wait behind them. */
	get hasQueued(): boolean {
		return !this.#queue.isEmpty;
	}

	/** How many messages wait. */
	get count(): number {
		return this.#queue.count;
	}

	/** Whether a new request must wait. */
	get isShut(): boolean {
		return this.#isCongested || !this.#queue.isEmpty || this.#parts.isFull();
	}

	/** True when the queue is full although the peer reads its answers: a new request is to be refused. */
	get isRefusing(): boolean {
		return this.#queue.isFull && !this.#isCongested;
	}

	/** True when no notification should be queued. */
	get isFull(): boolean {
		return this.#queue.isFull;
	}

	hold(message: QueuedMessage): void {
		this.#queue.push(message);
		if (this.#queue.isFull && !this.#isPaused && this.#isCongested) {
			this.#isPaused = true;
			this.#parts.channel.pause();
		}
		this.#watch();
	}

	/** The request with this key was given up by the peer; false when it does not wait here. */
	cancel(key: string | number): boolean {
		const wasHeld = this.#queue.cancel(key);
		if (wasHeld) this.#readOn();
		return wasHeld;
	}

	/** Our output is above its high-water mark. */
	congested(): void {
		this.#isCongested = true;
	}

	/** Our output has been taken. */
	flushed(): void {
		this.#isCongested = false;
		this.#restartTimer();
		this.go();
	}

	/** Dispatch what may run now. */
	go(): void {
		while (!this.#isCongested && !this.#parts.isFull()) {
			const message = this.#queue.shift();
			if (message === undefined) break;
			this.#restartTimer();
			this.#parts.dispatch(message);
			message.batch?.release();
		}
		this.#readOn();
	}

	/** Nothing more will be read; what waits is still served. */
	end(): void {
		this.#hasEnded = true;
		this.#watch();
	}

	/** Resolves when nothing waits any more. */
	emptied(): Promise<void> {
		if (this.#queue.isEmpty) return Promise.resolve();
		return new Promise((resolve) => this.#emptyWaiters.push(resolve));
	}

	/** Drop what waits. It has not begun and stays unanswered. Gives back how many messages that were. */
	clear(): number {
		const dropped = this.#queue.clear();
		this.#readOn();
		return dropped;
	}

	#readOn(): void {
		if (this.#isPaused && (this.#queue.hasRoom || !this.#isCongested)) {
			this.#isPaused = false;
			this.#parts.channel.resume();
		}
		if (this.#queue.isEmpty) for (const tell of this.#emptyWaiters.splice(0)) tell();
		this.#watch();
	}

	/** There is a deadline while reading is paused, and at the end while something waits. */
	#watch(): void {
		const isWaiting = this.#isPaused || (this.#hasEnded && !this.#queue.isEmpty);
		if (isWaiting === (this.#cancelTimer !== undefined)) return;
		this.#cancelTimer?.();
		this.#cancelTimer = isWaiting ? this.#parts.clock.after(this.#stallMs, () => this.#stall()) : undefined;
	}

	#restartTimer(): void {
		if (this.#cancelTimer === undefined) return;
		this.#cancelTimer();
		this.#cancelTimer = undefined;
		this.#watch();
	}

	get #stallMs(): number {
		return this.#parts.stallMs ?? STALL_MS;
	}

	#stall(): void {
		const waiting = this.#queue.count;
		const message = `the peer sends requests and has read no answer for ${this.#stallMs}ms; ${waiting} messages were waiting`;
		this.clear();
		this.#parts.giveUp(
			new OrchestraError('timeout', message, {
				hint: `Read answers while you send: at most ${QUEUED_CHARACTERS} characters of requests wait.`,
				data: { stallMs: this.#stallMs, waiting },
			}),
		);
	}
}
