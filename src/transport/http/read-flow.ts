/* The responses being read, so that all of them can be paused: backpressure of the receiver. */
import type { IncomingMessage } from 'node:http';

export class ReadFlow {
	readonly #responses = new Set<IncomingMessage>();
	#isPaused = false;

	/** Count `response` until it is closed. */
	add(response: IncomingMessage): void {
		this.#responses.add(response);
		if (this.#isPaused) response.pause();
		response.once('close', () => this.#responses.delete(response));
	}

	pause(): void {
		this.#isPaused = true;
		for (const response of this.#responses) response.pause();
	}

	resume(): void {
		this.#isPaused = false;
		for (const response of this.#responses) response.resume();
	}
}
