/* Exponential backoff: the delay doubles with each attempt, up to a maximum. */

export class Backoff {
	readonly #firstMs: number;
	readonly #maxMs: number;
	#delayMs: number;

	constructor(firstMs: number, maxMs: number) {
		this.#firstMs = firstMs;
		this.#maxMs = maxMs;
		this.#delayMs = firstMs;
	}

	/** True before the first delay, and after `reset`. */
	get isReset(): boolean {
		return this.#delayMs === this.#firstMs;
	}

	/** The delay before the next attempt, in milliseconds. */
	nextMs(): number {
		const delayMs = this.#delayMs;
		this.#delayMs = Math.min(delayMs * 2, this.#maxMs);
		return delayMs;
	}

	/** Start again with the first delay. */
	reset(): void {
		this.#delayMs = this.#firstMs;
	}
}
