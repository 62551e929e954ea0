/** A token bucket: so many within a time at once, and one more whenever its part of the time has passed. */
export class TokenBucket {
	readonly #size: number;
	readonly #msEach: number;
	#tokens: number;
	#filledAt: number;

	/** @param size tokens when it is full @param fillMs how long an empty one takes to be full */
	constructor(size: number, fillMs: number, now: number) {
		this.#size = size;
		this.#msEach = fillMs / size;
		this.#tokens = size;
		this.#filledAt = now;
	}

	/** How long until one can be taken, in milliseconds; 0 for now. */
	leftMs(now: number): number {
		this.#fill(now);
		return this.#tokens >= 1 ? 0 : (1 - this.#tokens) * this.#msEach;
	}

	take(now: number): void {
		this.#fill(now);
		this.#tokens--;
	}

	/** One was not needed. */
	giveBack(): void {
		this.#tokens = Math.min(this.#size, this.#tokens + 1);
	}

	#fill(now: number): void {
		this.#tokens = Math.min(this.#size, this.#tokens + (now - this.#filledAt) / this.#msEach);
		this.#filledAt = now;
	}
}
