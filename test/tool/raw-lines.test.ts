import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RawLines } from '../../src/tool/exchange.ts';

describe('RawLines', () => {
	it('returns every byte of every non-blank line, for any cut of the stream', () => {
		const line = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => bytes.filter((b) => b !== 10));
		fc.assert(
			fc.property(
				fc.array(line),
				fc.constantFrom('\n', '\r\n'),
				fc.integer({ min: 1, max: 9 }),
				(lines, end, size) => {
					const whole = lines.map((bytes) => Buffer.concat([bytes, Buffer.from(end)]));
					const wanted = whole.filter((bytes) => !['\n', '\r\n'].includes(bytes.toString('latin1')));
					const found = cutLines(Buffer.concat(whole), size).filter(
						(bytes) => bytes.toString('latin1') !== '\r\n',
					);
					expect(Buffer.concat(found).equals(Buffer.concat(wanted))).toBe(true);
					expect(found.map((bytes) => bytes.length)).toEqual(wanted.map((bytes) => bytes.length));
				},
			),
		);
	});

	it('buffers a line without a newline, and returns it at the end of the stream', () => {
		const lines = new RawLines();
		expect(lines.push(Buffer.from('half'))).toEqual([]);
		expect(lines.end().map(String)).toEqual(['half']);
		expect(lines.end()).toEqual([]);
	});
});

function cutLines(bytes: Buffer, size: number): Buffer[] {
	const lines = new RawLines();
	const found: Buffer[] = [];
	for (let at = 0; at < bytes.length; at += size) found.push(...lines.push(bytes.subarray(at, at + size)));
	return [...found, ...lines.end()];
}
