/*
 * The response to a batch: one array, sent when the last of its requests is done.
 * A batch of notifications alone gets no response.
 */
export class BatchResponse {
	readonly #send: (text: string) => void;
	readonly #responses: string[] = [];
	#openCount = 1;

	constructor(send: (text: string) => void) {
		this.#send = send;
	}

	expect(): void {
		this.#openCount++;
	}

	/** Add a response; undefined for a canceled request. */
	add(text: string | undefined): void {
		if (text !== undefined) this.#responses.push(text);
		this.#countDown();
	}

	/** Undo one `expect`: no response will come for it. */
	release(): void {
		this.#countDown();
	}

	/** All items were read; no further `expect` follows. */
	seal(): void {
		this.#countDown();
	}

	#countDown(): void {
		this.#openCount--;
		if (this.#openCount === 0 && this.#responses.length > 0) this.#send(`[${this.#responses.join(',')}]`);
	}
}
