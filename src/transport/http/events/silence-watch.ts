/*
 * Notices a stream that is dead although its connection is not: a proxy can keep it open
 * for a server that is gone.
 *
 * Silence alone proves nothing, because many servers send no comments. So a stream is
 * watched only once its comments have a rhythm, and it is closed after several missed
 * ones; the layer above opens the next one. A server that works on a request may be too
 * busy for comments, and a receiver that reads nothing gets none.
 */
import type { IncomingMessage } from 'node:http';

export interface SilenceRules {
	/** Comments that follow faster are no heartbeat, in milliseconds. */
	readonly beatMs: number;
	/** Heartbeats that make a rhythm. */
	readonly beats: number;
	/** A stream is dead when this many heartbeats are missing. */
	readonly missed: number;
	/** Shortest silence that ends a stream, in milliseconds. */
	readonly leastMs: number;
	/** True while silence proves nothing. */
	readonly isBusy?: () => boolean;
}

export class SilenceWatch {
	readonly #response: IncomingMessage;
	readonly #rules: SilenceRules;
	#readAt = performance.now();
	#gapMs = 0;
	#beats = 0;
	#longestMs = 0;
	#timer: NodeJS.Timeout | undefined;

	/** Ends with the response. */
	constructor(response: IncomingMessage, rules: SilenceRules) {
		this.#response = response;
		this.#rules = rules;
		response.once('close', () => clearTimeout(this.#timer));
	}

	/** Bytes arrived. */
	read(): void {
		const now = performance.now();
		this.#gapMs = now - this.#readAt;
		this.#readAt = now;
	}

	/** A comment was in them. */
	beat(): void {
		if (this.#gapMs < this.#rules.beatMs) return;
		this.#longestMs = Math.max(this.#longestMs, this.#gapMs);
		this.#gapMs = 0; // the next comment of the same bytes is not another heartbeat
		this.#beats++;
		if (this.#beats >= this.#rules.beats) this.#wait(this.#limitMs);
	}

	get #limitMs(): number {
		const { missed, leastMs } = this.#rules;
		return Math.max(missed * this.#longestMs, leastMs);
	}

	#wait(ms: number): void {
		if (this.#response.destroyed) return;
		this.#timer ??= setTimeout(() => this.#check(), ms).unref();
	}

	#check(): void {
		this.#timer = undefined;
		if (this.#response.isPaused() || this.#rules.isBusy?.()) this.#readAt = performance.now();
		const leftMs = this.#limitMs - (performance.now() - this.#readAt);
		if (leftMs > 0) return this.#wait(leftMs);
		const readAt = this.#readAt;
		// After a suspend of the machine the bytes that wait are read first.
		setImmediate(() => (this.#readAt === readAt ? this.#response.destroy() : this.#wait(this.#limitMs)));
	}
}
