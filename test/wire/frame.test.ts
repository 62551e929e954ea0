import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { encodeFrame, FrameReader } from '../../src/wire/frame.ts';

describe('FrameReader', () => {
	it('gives the same payloads wherever the bytes are cut', () => {
		fc.assert(
			fc.property(
				fc.array(fc.uint8Array({ maxLength: 40 })),
				fc.integer({ min: 1, max: 9 }),
				(payloads, size) => {
					const bytes = Buffer.concat(payloads.map(encodeFrame));
					expect(readInChunks(bytes, size).map(hex)).toEqual(payloads.map(hex));
				},
			),
		);
	});

	it('reassembles a large frame from small chunks, and the next one after it', () => {
		const payloads = [Buffer.alloc(200_000, 1), Buffer.from('small')];
		const bytes = Buffer.concat(payloads.map(encodeFrame));
		const reader = new FrameReader(1_000_000);
		const got: Uint8Array[] = [];
		for (let at = 0; at < bytes.length; at += 1_000) got.push(...reader.push(bytes.subarray(at, at + 1_000)));
		expect(got.map(hex)).toEqual(payloads.map(hex));
		expect(reader.bufferedBytes).toBe(0);
	});

	it('throws only bad_frame, whatever the bytes', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (bytes, size) => {
				try {
					readInChunks(Buffer.from(bytes), size);
				} catch (error) {
					expect(OrchestraError.is(error, 'bad_frame')).toBe(true);
				}
			}),
		);
	});

	it('writes four bytes of length, big-endian, before the payload', () => {
		expect(hex(encodeFrame(Buffer.from('68310a', 'hex')))).toBe('0000000368310a');
		expect(hex(encodeFrame(new Uint8Array(0)))).toBe('00000000');
	});

	it('refuses a length over the limit, naming both, before the payload comes', () => {
		const reader = new FrameReader(16);
		expect(() => reader.push(Buffer.from('00000011', 'hex'))).toThrow(
			'a frame of 17 bytes is over the limit of 16 bytes',
		);
	});

	it('throws bad_frame when the stream ends inside a frame', () => {
		const reader = new FrameReader(16);
		reader.push(Buffer.from('0000000461', 'hex'));
		expect(() => reader.end()).toThrow('the stream ended inside a frame, after 5 bytes of it');
		expect(() => new FrameReader(16).end()).not.toThrow();
	});
});

function readInChunks(bytes: Buffer, size: number): Uint8Array[] {
	const reader = new FrameReader(1000);
	const payloads: Uint8Array[] = [];
	for (let at = 0; at < bytes.length; at += size)
		payloads.push(...reader.push(bytes.subarray(at, at + size)));
	reader.end();
	return payloads;
}

function hex(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString('hex');
}
