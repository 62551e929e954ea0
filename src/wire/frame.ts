/*
 * Length-prefixed frames: four bytes, big-endian, then the payload.
 *
 * The same shape travels over QUIC streams and TLS. A frame may be empty. A
 * length over the limit ends the stream it came on, because there is no way to
 * find the start of the next frame without reading the whole of this one. A
 * frame that lies whole in one chunk is handed out without a copy.
 */
import { OrchestraError } from '../errors.ts';
import { HeldBytes } from './held-bytes.ts';
import { FRAME_LIMIT_BYTES } from './wire-limits.ts';

/** Bytes before each payload. */
export const FRAME_HEADER_BYTES = 4;

/** One frame as bytes ready to send. */
export function encodeFrame(payload: Uint8Array): Uint8Array {
	const frame = Buffer.allocUnsafe(FRAME_HEADER_BYTES + payload.length);
	frame.writeUInt32BE(payload.length);
	frame.set(payload, FRAME_HEADER_BYTES);
	return frame;
}

/** Cuts a byte stream into frame payloads. A reader that threw is done for. */
export class FrameReader {
	readonly #limitBytes: number;
	readonly #held = new HeldBytes();

	/** @param limitBytes longest payload that is accepted; 16 MiB by default */
	constructor(limitBytes: number = FRAME_LIMIT_BYTES) {
		this.#limitBytes = limitBytes;
	}

	/** Bytes of a frame that is not complete yet. */
	get heldBytes(): number {
		return this.#held.size;
	}

	/** Take one chunk; give back the payloads it completed. Throws `bad_frame` for a length over the limit. */
	push(chunk: Uint8Array): Uint8Array[] {
		const payloads: Uint8Array[] = [];
		let at = 0;
		while (at < chunk.length) {
			const whole = this.#held.size === 0 ? this.#frameAt(chunk, at) : undefined;
			if (whole) {
				payloads.push(whole);
				at += FRAME_HEADER_BYTES + whole.length;
			} else {
				const part = chunk.subarray(at, at + this.#missingBytes());
				this.#held.append(part);
				at += part.length;
				if (this.#missingBytes() === 0) payloads.push(this.#take());
			}
		}
		return payloads;
	}

	/** The stream is over. Throws `bad_frame` when it ended inside a frame. */
	end(): void {
		const { size } = this.#held;
		if (size === 0) return;
		throw new OrchestraError('bad_frame', `the stream ended inside a frame, after ${size} bytes of it`);
	}

	#frameAt(chunk: Uint8Array, at: number): Uint8Array | undefined {
		const start = at + FRAME_HEADER_BYTES;
		if (start > chunk.length) return undefined;
		const length = this.#lengthAt(chunk, at);
		return start + length <= chunk.length ? chunk.subarray(start, start + length) : undefined;
	}

	/** How many bytes the held frame lacks; while its header is cut, how many the header lacks. */
	#missingBytes(): number {
		const { size, bytes } = this.#held;
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

	#take(): Uint8Array {
		return this.#held.take(FRAME_HEADER_BYTES);
	}
}

/** By hand: a view of a small array would first have to move it out of the heap. */
function readLength(bytes: Uint8Array, at: number): number {
	const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
	return a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
}
