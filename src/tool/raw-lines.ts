/*
 * Cut a tool's stdout into lines without touching a byte.
 *
 * The splitter of `wire/` decodes and drops line ends, which is right for
 * messages; here the line must come out as it went in. Blank lines are left out.
 * There is no limit per line: the runner bounds the whole output.
 */
import { CARRIAGE_RETURN, NEWLINE } from '../wire/lines.ts';
import { ReassemblyBuffer } from '../wire/reassembly-buffer.ts';

export class RawLines {
	readonly #pending = new ReassemblyBuffer();

	/** Add a chunk. Returns the lines that it completed, newlines included. */
	push(chunk: Buffer): Buffer[] {
		const lines: Buffer[] = [];
		let start = 0;
		for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
			const line = chunk.subarray(start, end + 1);
			if (this.#pending.size > 0) lines.push(this.#takeWith(line));
			else if (!isBlank(line)) lines.push(line);
			start = end + 1;
		}
		if (start < chunk.length) this.#pending.append(chunk.subarray(start));
		return lines;
	}

	/** The stream is over: a last line without an end still counts. */
	end(): Buffer[] {
		return this.#pending.size > 0 ? [this.#takeWith(Buffer.alloc(0))] : [];
	}

	#takeWith(rest: Buffer): Buffer {
		const line = Buffer.concat([this.#pending.bytes, rest]);
		this.#pending.clear();
		return line;
	}
}

function isBlank(line: Buffer): boolean {
	return line.length === 1 || (line.length === 2 && line[0] === CARRIAGE_RETURN);
}
