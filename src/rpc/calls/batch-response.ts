/*
 * The response to a batch: one array, sent when the last of its requests is done.
 * A batch of notifications alone gets no response.
 */
export class BatchResponse {
	readonly #send: (text: string) => void;
	readonly #onBuffered: (characters: number) => void;
	readonly #responses: string[] = [];
	#characters = 0;
	#openCount = 1;

	/** `onBuffered` gets the characters of each buffered response, and their negative sum when they are sent. */
	constructor(send: (text: string) => void, onBuffered: (characters: number) => void = () => {}) {
		this.#send = send;
		this.#onBuffered = onBuffered;
	}

	expect(): void {
		this.#openCount++;
	}

	/** Add a response; undefined for a canceled request. */
	add(text: string | undefined): void {
		if (text !== undefined) {
			this.#responses.push(text);
			this.#characters += text.length;
			this.#onBuffered(text.length);
		}
		this.release();
	}

	/** Nothing more comes for one `expect`, or for the batch itself: all its items were read. */
	release(): void {
		this.#openCount--;
		if (this.#openCount !== 0 || this.#responses.length === 0) return;
		this.#onBuffered(-this.#characters);
		this.#send(`[${this.#responses.join(',')}]`);
	}
}
