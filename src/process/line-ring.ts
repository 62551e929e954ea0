/*
 * A ring buffer of the last lines of a stream, for the diagnosis of a failure.
 *
 * Bounded in lines and in characters per line, so a child may flood its stderr.
 * A character that is split between two chunks is decoded correctly. Secrets are replaced
 * before a line is cut, so that no part of one is left.
 */
import { StringDecoder } from 'node:string_decoder';
import { redact } from '../redact.ts';

/** How many lines are kept. */
export const RING_LINES = 20;
/** How much of each line is kept, in characters. */
export const RING_LINE_CHARACTERS = 500;
/** How much of a line is searched for secrets: a secret that begins in the kept part may end here. */
const RAW_LINE_CHARACTERS = 8 * 1024;

export class LineRing {
	readonly #decoder = new StringDecoder('utf8');
	readonly #lines: string[] = [];
	#partialLine = '';

	/** Add a chunk of the stream; it may end anywhere. */
	push(chunk: Uint8Array): void {
		// Only the tail of a large chunk is kept, so only that is decoded.
		const bytes = chunk.length > TAIL_BYTES ? chunk.subarray(-TAIL_BYTES) : chunk;
		const lines = (this.#partialLine + this.#decoder.write(Buffer.from(bytes))).split('\n');
		this.#partialLine = (lines.pop() ?? '').slice(0, RAW_LINE_CHARACTERS);
		for (const line of lines) this.add(line.replace(/\r$/, ''));
	}

	/** Add one complete line. */
	add(line: string): void {
		if (line === '') return;
		this.#lines.push(keptPart(line));
		if (this.#lines.length > RING_LINES) this.#lines.shift();
	}

	/** The kept lines, oldest first, including an incomplete last one. */
	get lines(): string[] {
		const all = this.#partialLine === '' ? this.#lines : [...this.#lines, keptPart(this.#partialLine)];
		return all.slice(-RING_LINES);
	}
}

function keptPart(line: string): string {
	return redact(line.slice(0, RAW_LINE_CHARACTERS)).slice(0, RING_LINE_CHARACTERS);
}

const TAIL_BYTES = RING_LINES * RING_LINE_CHARACTERS * 4;
