/*
 * A ring buffer of the last lines of a stream, for the diagnosis of a failure.
 *
 * Bounded in lines and in characters per line, so a child may flood its stderr.
 * A character that is split between two chunks is decoded correctly.
 */
import { StringDecoder } from 'node:string_decoder';

/** How many lines are kept. */
export const RING_LINES = 20;
/** How much of each line is kept, in characters. */
export const RING_LINE_CHARACTERS = 500;

export class LineRing {
	readonly #decoder = new StringDecoder('utf8');
	readonly #lines: string[] = [];
	#partialLine = '';

	/** Add a chunk of the stream; it may end anywhere. */
	push(chunk: Uint8Array): void {
		// Only the tail of a large chunk is kept, so only that is decoded.
		const bytes = chunk.length > TAIL_BYTES ? chunk.subarray(-TAIL_BYTES) : chunk;
		const lines = (this.#partialLine + this.#decoder.write(Buffer.from(bytes))).split('\n');
		this.#partialLine = (lines.pop() ?? '').slice(0, RING_LINE_CHARACTERS);
		for (const line of lines) this.add(line.replace(/\r$/, ''));
	}

	/** Add one complete line. */
	add(line: string): void {
		if (line === '') return;
		this.#lines.push(line.slice(0, RING_LINE_CHARACTERS));
		if (this.#lines.length > RING_LINES) this.#lines.shift();
	}

	/** The kept lines, oldest first, including an incomplete last one. */
	get lines(): string[] {
		const all = this.#partialLine === '' ? this.#lines : [...this.#lines, this.#partialLine];
		return all.slice(-RING_LINES);
	}
}

const TAIL_BYTES = RING_LINES * RING_LINE_CHARACTERS * 4;
