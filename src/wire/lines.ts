/*
 * Split a byte stream into lines.
 *
 * MCP over stdio is one JSON message per line. A chunk may end anywhere, even inside
 * a character, so newlines are searched in the bytes and only whole lines are
 * decoded, all complete lines of a chunk at once. Each byte is scanned once. A line
 * over the limit is reported once and skipped; reading continues after it. A message
 * whose beginning has no id is reported at its end, where the id may be.
 */
import { messageOutline } from './message-outline.ts';
import { ReassemblyBuffer } from './reassembly-buffer.ts';
import { OVERSIZE_HEAD_BYTES, OVERSIZE_TAIL_BYTES } from './wire-limits.ts';

export const NEWLINE = 0x0a;
export const CARRIAGE_RETURN = 0x0d;

/** A line over the limit. The rest of it is dropped. */
export interface OversizeLine {
	readonly limitBytes: number;
	/** The first bytes of the line, which may contain its id. */
	readonly head: string;
	/** The last bytes of a message whose beginning has no id. */
	readonly tail?: string;
}

/** Splits chunks of bytes into lines of bounded length. */
export class LineSplitter {
	readonly #limitBytes: number;
	readonly #buffer = new ReassemblyBuffer();
	#isSkipping = false;
	/** An oversize line that is reported at its end. */
	#unreported: { readonly line: OversizeLine; tail: Buffer } | undefined;

	constructor(limitBytes: number) {
		this.#limitBytes = limitBytes;
	}

	/** Returns the lines that `chunk` completes, in order, without line ends and blank lines. */
	push(chunk: Uint8Array): (string | OversizeLine)[] {
		const bytes = asBuffer(chunk);
		const last = bytes.lastIndexOf(NEWLINE);
		if (last === -1) return this.#append(bytes);
		const lines: (string | OversizeLine)[] = [];
		let start = 0;
		if (this.#buffer.size > 0 || this.#isSkipping) {
			start = bytes.indexOf(NEWLINE) + 1;
			lines.push(...this.#append(bytes.subarray(0, start - 1)));
			this.#endLine(lines);
		}
		if (last - start <= this.#limitBytes) addLines(lines, bytes.toString('utf8', start, last));
		else this.#pushEach(lines, bytes.subarray(start, last + 1));
		if (last + 1 < bytes.length) lines.push(...this.#append(bytes.subarray(last + 1)));
		return lines;
	}

	/** Call at the end of the stream: returns a last line that has no newline, unless it is oversize. */
	end(): string[] {
		const lines: string[] = [];
		this.#unreported = undefined;
		this.#endLine(lines);
		return lines;
	}

	/** Slow path, for a chunk that may contain a line over the limit. */
	#pushEach(lines: (string | OversizeLine)[], bytes: Buffer): void {
		for (let start = 0; start < bytes.length; ) {
			const end = bytes.indexOf(NEWLINE, start);
			lines.push(...this.#append(bytes.subarray(start, end)));
			this.#endLine(lines);
			start = end + 1;
		}
	}

	/** Buffer the bytes of an incomplete line; reports an oversize line once. */
	#append(part: Buffer): OversizeLine[] {
		if (part.length === 0) return [];
		if (this.#isSkipping) this.#extendTail(part);
		else if (this.#buffer.size + part.length > this.#limitBytes) return this.#skip(part);
		else this.#buffer.append(part);
		return [];
	}

	#skip(part: Buffer): OversizeLine[] {
		const begin = this.#buffer.bytes.subarray(0, OVERSIZE_HEAD_BYTES);
		const rest = part.subarray(0, OVERSIZE_HEAD_BYTES - begin.length);
		const head = Buffer.concat([begin, rest]).toString('utf8');
		const line = { limitBytes: this.#limitBytes, head };
		this.#isSkipping = true;
		const { id, kind } = messageOutline(head);
		if (id === undefined && kind)
			this.#unreported = { line, tail: Buffer.from(lastBytes(this.#buffer.bytes)) };
		this.#buffer.clear();
		this.#extendTail(part);
		return this.#unreported ? [] : [line];
	}

	#extendTail(part: Buffer): void {
		if (this.#unreported === undefined) return;
		this.#unreported.tail = lastBytes(Buffer.concat([this.#unreported.tail, lastBytes(part)]));
	}

	/** A newline was found: add the buffered line, or stop skipping. */
	#endLine(lines: (string | OversizeLine)[]): void {
		if (this.#buffer.size > 0) addLine(lines, this.#buffer.bytes.toString('utf8'));
		if (this.#unreported) {
			const { line, tail } = this.#unreported;
			lines.push({ ...line, tail: tail.toString('utf8') });
			this.#unreported = undefined;
		}
		this.#isSkipping = false;
		this.#buffer.clear();
	}
}

function lastBytes(bytes: Buffer): Buffer {
	return bytes.subarray(Math.max(0, bytes.length - OVERSIZE_TAIL_BYTES));
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
