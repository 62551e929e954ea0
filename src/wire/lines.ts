/*
 * Cut a byte stream into lines.
 *
 * MCP over stdio is one JSON message per line. Chunks arrive cut anywhere, even
 * inside a character, so we look for the newline in bytes and decode only whole
 * lines: all complete lines of a chunk in one go, since a newline byte is never
 * part of another character. Only new bytes are ever scanned. A line over the limit is reported once and skipped;
 * what comes after it is read as if nothing had happened.
 */
import { HeldBytes } from './held-bytes.ts';
import { OVERSIZE_HEAD_BYTES } from './wire-limits.ts';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A line that was longer than the limit. The rest of it has been dropped. */
export interface OversizeLine {
	readonly limitBytes: number;
	/** How the line begins, to find out whose it was. */
	readonly head: string;
}

export class LineSplitter {
	readonly #limitBytes: number;
	readonly #held = new HeldBytes();
	#isSkipping = false;

	constructor(limitBytes: number) {
		this.#limitBytes = limitBytes;
	}

	/** Take one chunk; give back what it completed, in order, without line ends and without blank lines. */
	push(chunk: Uint8Array): (string | OversizeLine)[] {
		const bytes = asBuffer(chunk);
		const last = bytes.lastIndexOf(NEWLINE);
		if (last === -1) return this.#hold(bytes);
		const lines: (string | OversizeLine)[] = [];
		let start = 0;
		if (this.#held.size > 0 || this.#isSkipping) {
			start = bytes.indexOf(NEWLINE) + 1;
			lines.push(...this.#hold(bytes.subarray(0, start - 1)));
			this.#take(lines);
		}
		if (last - start <= this.#limitBytes) addLines(lines, bytes.toString('utf8', start, last));
		else this.#pushEach(lines, bytes.subarray(start, last + 1));
		if (last + 1 < bytes.length) lines.push(...this.#hold(bytes.subarray(last + 1)));
		return lines;
	}

	/** The stream is over: a last line without a newline still counts. */
	end(): string[] {
		const lines: string[] = [];
		this.#take(lines);
		return lines;
	}

	/** The slow way, for a chunk that holds a line over the limit. */
	#pushEach(lines: (string | OversizeLine)[], bytes: Buffer): void {
		for (let start = 0; start < bytes.length; ) {
			const end = bytes.indexOf(NEWLINE, start);
			lines.push(...this.#hold(bytes.subarray(start, end)));
			this.#take(lines);
			start = end + 1;
		}
	}

	/** Keep the bytes of an unfinished line; the one report of an oversize line comes from here. */
	#hold(part: Buffer): OversizeLine[] {
		if (this.#isSkipping || part.length === 0) return [];
		if (this.#held.size + part.length > this.#limitBytes) return [this.#skip(part)];
		this.#held.append(part);
		return [];
	}

	#skip(part: Buffer): OversizeLine {
		const begin = this.#held.bytes.subarray(0, OVERSIZE_HEAD_BYTES);
		const rest = part.subarray(0, OVERSIZE_HEAD_BYTES - begin.length);
		const head = Buffer.concat([begin, rest]).toString('utf8');
		this.#held.clear();
		this.#isSkipping = true;
		return { limitBytes: this.#limitBytes, head };
	}

	/** The newline came: give out the held line, or end the skipping. */
	#take(lines: (string | OversizeLine)[]): void {
		if (this.#held.size > 0) addLine(lines, this.#held.bytes.toString('utf8'));
		this.#isSkipping = false;
		this.#held.clear();
	}
}

function addLines(lines: (string | OversizeLine)[], text: string): void {
	for (const line of text.split('\n')) addLine(lines, line);
}

function addLine(lines: (string | OversizeLine)[], line: string): void {
	const isCrLf = line.charCodeAt(line.length - 1) === CARRIAGE_RETURN;
	const content = isCrLf ? line.slice(0, -1) : line;
	if (content.length > 0) lines.push(content);
}

function asBuffer(chunk: Uint8Array): Buffer {
	return Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
