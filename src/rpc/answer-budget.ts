/*
 * How much of what we say waits for a peer that does not read it.
 *
 * Thousands of calls may run at once, and only their answers show how large they are:
 * holding back new requests does not bound the answers of those that run. So an
 * answer that finds no room here is dropped, and a short error takes its place.
 * After a flush the count starts again, so up to twice the limit can wait.
 */
export class AnswerBudget {
	readonly limit: number;
	#posted = 0;
	#batched = 0;

	/** `limit` in characters. */
	constructor(limit: number) {
		this.limit = limit;
	}

	/** True when so many characters more may wait. A single answer may have any size. */
	hasRoom(characters: number): boolean {
		const waiting = this.#posted + this.#batched;
		return waiting === 0 || waiting + characters <= this.limit;
	}

	/** A message was posted while the output is above its high-water mark. */
	posted(characters: number): void {
		this.#posted += characters;
	}

	/** Answers wait in a batch for the rest of it; negative when they no longer do. */
	batched(characters: number): void {
		this.#batched += characters;
	}

	/** The output has been taken. */
	flushed(): void {
		this.#posted = 0;
	}
}
