/*
 * A ring buffer of the last lines of a stream, for the diagnosis of a failure.
 *
 * Bounded in lines and in characters per line, so a child may flood its stderr. Lines of a
 * stack are dropped first: the stack of a large program would displace the reason of its crash.
 * A character that is split between two chunks is decoded correctly. Secrets are replaced
 * when the lines are read, and before a line is cut, so that no part of one is left.
 */
import { redact } from '../redact.ts';
import { TextLines } from '../wire/text-lines.ts';
import { CrashReader, type LineKind } from './crash-lines.ts';
import {
	RAW_LINE_CHARACTERS,
	RING_LINE_CHARACTERS,
	RING_LINES,
	STDERR_TAIL_BYTES,
} from './process-limits.ts';

export class LineRing {
	readonly #text = new TextLines(RAW_LINE_CHARACTERS);
	readonly #reader = new CrashReader();
	readonly #lines: { text: string; kind: LineKind }[] = [];

	/** Add a chunk of the stream; it may end anywhere. */
	push(chunk: Uint8Array): void {
		// Only the tail of a large chunk is retained, so only that is decoded.
		const bytes = chunk.length > STDERR_TAIL_BYTES ? chunk.subarray(-STDERR_TAIL_BYTES) : chunk;
		for (const line of this.#text.push(bytes)) this.add(line.replace(/\r$/, ''));
	}

	/** Add one complete line. */
	add(line: string): void {
		if (line === '') return;
		const text = plainPart(line);
		this.#lines.push({ text, kind: this.#reader.kindOf(text) });
		if (this.#lines.length <= RING_LINES) return;
		const stack = this.#lines.findIndex(({ kind }) => kind === 'frame' || kind === 'noise');
		this.#lines.splice(Math.max(0, stack), 1);
	}

	/** The retained lines, oldest first, including an incomplete last one. */
	get lines(): string[] {
		const all = this.#lines.map(({ text }) => text);
		if (this.#text.rest !== '') all.push(plainPart(this.#text.rest));
		return all.slice(-RING_LINES).map((text) => redact(text).slice(0, RING_LINE_CHARACTERS));
	}
}

function plainPart(line: string): string {
	return line.slice(0, RAW_LINE_CHARACTERS).replace(COLOR, '');
}

// oxlint-disable-next-line no-control-regex -- the escape sequences of colors
const COLOR = /\u001b\[[\d;]*m/g;
