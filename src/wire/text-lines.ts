/* Cuts a stream of bytes that may end anywhere into lines of text. What is beyond the limit of a line without an end is dropped. */

export class TextLines {
	readonly #limitCharacters: number;
	readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	#rest = '';

	constructor(limitCharacters: number) {
		this.#limitCharacters = limitCharacters;
	}

	/** The line that has no end yet. */
	get rest(): string {
		return this.#rest;
	}

	/** The lines that these bytes end. */
	push(bytes: Uint8Array): string[] {
		return this.#cut(this.#decoder.decode(bytes, { stream: true }));
	}

	/** The last line, which may have no end. */
	end(): string[] {
		return this.#cut(`${this.#decoder.decode()}\n`);
	}

	#cut(text: string): string[] {
		const lines = (this.#rest + text).split('\n');
		this.#rest = (lines.pop() ?? '').slice(0, this.#limitCharacters);
		return lines;
	}
}
