/*
 * The answer to a batch: one array, sent when the last of its requests is done.
 * A batch of notifications alone gets no answer at all.
 */
export class BatchAnswer {
	readonly #send: (text: string) => void;
	readonly #onHeld: (characters: number) => void;
	readonly #answers: string[] = [];
	#characters = 0;
	#open = 1;

	/** `onHeld` gets the characters of each answer that waits here, and their negative sum when they leave. */
	constructor(send: (text: string) => void, onHeld: (characters: number) => void = () => {}) {
		this.#send = send;
		this.#onHeld = onHeld;
	}

	/** One more answer will come. */
	expect(): void {
		this.#open++;
	}

	/** An answer, or undefined for a request that was given up. */
	add(text: string | undefined): void {
		if (text !== undefined) {
			this.#answers.push(text);
			this.#characters += text.length;
			this.#onHeld(text.length);
		}
		this.#close();
	}

	/** What was expected by `expect` needs no answer of its own any more. */
	release(): void {
		this.#close();
	}

	/** All items have been read; no further `expect` follows. */
	seal(): void {
		this.#close();
	}

	#close(): void {
		this.#open--;
		if (this.#open !== 0 || this.#answers.length === 0) return;
		this.#onHeld(-this.#characters);
		this.#send(`[${this.#answers.join(',')}]`);
	}
}
