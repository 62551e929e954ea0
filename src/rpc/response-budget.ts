/*
 * The limit of unread output for a peer that does not read.
 *
 * Thousands of calls may be in flight, and the size of their responses is known only
 * at the end: queueing new requests does not bound them. So a response over the limit
 * is dropped and replaced by a short error. After a flush the count restarts, so up to
 * twice the limit can be unread.
 */
export class ResponseBudget {
	readonly limit: number;
	#posted = 0;
	#batched = 0;

	/** `limit` in characters. */
	constructor(limit: number) {
		this.limit = limit;
	}

	/** True when this many more characters fit. A single response may have any size. */
	hasRoom(characters: number): boolean {
		const waiting = this.#posted + this.#batched;
		return waiting === 0 || waiting + characters <= this.limit;
	}

	/** Count a message posted while the output is above its high-water mark. */
	posted(characters: number): void {
		this.#posted += characters;
	}

	/** Count responses buffered in a batch; negative when they are sent. */
	batched(characters: number): void {
		this.#batched += characters;
	}

	/** The output was flushed. */
	flushed(): void {
		this.#posted = 0;
	}
}
