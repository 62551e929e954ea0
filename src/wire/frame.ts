/*
 * Length-prefixed framing: a 4-byte big-endian length, then the payload.
 *
 * QUIC streams and TLS use the same framing. A frame may be empty. A length over
 * the limit ends the stream, because the next frame starts only after the whole
 * payload. A frame that is complete within one chunk is returned without a copy.
 */
import { OrchestraError } from '../errors.ts';
import { ReassemblyBuffer } from './reassembly-buffer.ts';
import { FRAME_LIMIT_BYTES } from './wire-limits.ts';

/** Length prefix of a frame. */
export const FRAME_HEADER_BYTES = 4;

/** Header and payload in one buffer. */
export function encodeFrame(payload: Uint8Array): Uint8Array {
	const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
	frame.writeUInt32BE(payload.length);
	frame.set(payload, FRAME_HEADER_BYTES);
	return frame;
}

/** Splits a byte stream into frame payloads. Do not use a reader after it threw. */
export class FrameReader {
	readonly #limitBytes: number;
	readonly #buffer = new ReassemblyBuffer();

	/** @param limitBytes longest payload accepted; 16 MiB by default */
	constructor(limitBytes: number = FRAME_LIMIT_BYTES) {
		this.#limitBytes = limitBytes;
	}

	/** Buffered bytes of an incomplete frame. */
	get bufferedBytes(): number {
		return this.#buffer.size;
	}

	/** Returns the payloads that `chunk` completes. Throws `bad_frame` for a length over the limit. */
	push(chunk: Uint8Array): Uint8Array[] {
		const payloads: Uint8Array[] = [];
		let at = 0;
		while (at < chunk.length) {
			const whole = this.#buffer.size === 0 ? this.#frameAt(chunk, at) : undefined;
			if (whole) {
				payloads.push(whole);
				at += FRAME_HEADER_BYTES + whole.length;
			} else {
				const part = chunk.subarray(at, at + this.#missingBytes());
				this.#buffer.append(part);
				at += part.length;
				if (this.#missingBytes() === 0) payloads.push(this.#buffer.take(FRAME_HEADER_BYTES));
			}
		}
		return payloads;
	}

	/** Call at the end of the stream. Throws `bad_frame` when it ended inside a frame. */
	end(): void {
		const { size } = this.#buffer;
		if (size === 0) return;
		throw new OrchestraError('bad_frame', `the stream ended inside a frame, after ${size} bytes of it`);
	}

	#frameAt(chunk: Uint8Array, at: number): Uint8Array | undefined {
		const start = at + FRAME_HEADER_BYTES;
		if (start > chunk.length) return undefined;
		const length = this.#lengthAt(chunk, at);
		return start + length <= chunk.length ? chunk.subarray(start, start + length) : undefined;
	}

	/** Missing bytes of the buffered frame, or of its header while that is incomplete. */
	#missingBytes(): number {
		const { size, bytes } = this.#buffer;
		if (size < FRAME_HEADER_BYTES) return FRAME_HEADER_BYTES - size;
		return FRAME_HEADER_BYTES + this.#lengthAt(bytes, 0) - size;
	}

	#lengthAt(bytes: Uint8Array, at: number): number {
		const length = readLength(bytes, at);
		if (length <= this.#limitBytes) return length;
		throw new OrchestraError(
			'bad_frame',
			`a frame of ${length} bytes is over the limit of ${this.#limitBytes} bytes`,
			{
				data: { length, limitBytes: this.#limitBytes },
			},
		);
	}
}

/** Written by hand: a DataView would first move a small array out of the V8 heap. */
function readLength(bytes: Uint8Array, at: number): number {
	const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
	return a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
}
