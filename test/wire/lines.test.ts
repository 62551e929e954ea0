import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter, type OversizeLine } from '../../src/wire/lines.ts';

const LIMIT = 1_000_000;

describe('LineSplitter', () => {
	it('gives the same lines wherever the bytes are cut, inside a character too', () => {
		fc.assert(
			fc.property(fc.array(line()), cuts(), (lines, sizes) => {
				const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
				expect(split(bytes, sizes, LIMIT)).toEqual(lines.filter((text) => text !== ''));
			}),
		);
	});

	it('never throws and never invents a line, whatever the bytes', () => {
		fc.assert(
			fc.property(
				fc.uint8Array({ maxLength: 400 }),
				cuts(),
				fc.integer({ min: 1, max: 64 }),
				(bytes, sizes, limit) => {
					const got = split(Buffer.from(bytes), sizes, limit);
					const whole = split(Buffer.from(bytes), [bytes.length + 1], limit);
					expect(got.map(shape)).toEqual(whole.map(shape));
				},
			),
		);
	});

	it('buffers a line without a newline, and returns it at the end of the stream', () => {
		const splitter = new LineSplitter(100);
		expect(splitter.push(Buffer.from('half'))).toEqual([]);
		expect(splitter.end()).toEqual(['half']);
		expect(splitter.end()).toEqual([]);
	});

	it('accepts \\r\\n and skips blank lines', () => {
		expect(split(Buffer.from('{"a":1}\r\n\r\n\n{"b":2}\n'), [7], LIMIT)).toEqual(['{"a":1}', '{"b":2}']);
	});

	it('takes a plain Uint8Array as well as a Buffer', () => {
		expect(new LineSplitter(100).push(new TextEncoder().encode('plain\n'))).toEqual(['plain']);
	});

	it('reports an oversize line once, drops the rest of it and reads the next one', () => {
		const bytes = Buffer.from(`${'x'.repeat(30)}\n{"ok":1}\n`);
		for (const size of [1, 5, 1000]) {
			expect(split(bytes, [size], 10)).toEqual([
				{ limitBytes: 10, head: expect.stringMatching(/^x+$/) },
				'{"ok":1}',
			]);
		}
	});

	it('reports an oversize message whose beginning has no id at its end, with the last bytes', () => {
		const end = `${'y'.repeat(600)}"},"jsonrpc":"2.0","id":7}`;
		const bytes = Buffer.from(`{"result":{"x":"${end}\n{"ok":1}\n`);
		for (const size of [1, 5, 1000]) {
			const [oversize, ...rest] = split(bytes, [size], 20);
			expect(oversize).toMatchObject({ limitBytes: 20, tail: end.slice(-100) });
			expect(rest).toEqual(['{"ok":1}']);
		}
	});

	it('lets a line of exactly the limit pass and counts bytes, not characters', () => {
		expect(split(Buffer.from('1234567890\n'), [99], 10)).toEqual(['1234567890']);
		expect(split(Buffer.from('ééééé\n'), [99], 10)).toEqual(['ééééé']);
		expect(split(Buffer.from('éééééé\n'), [99], 10)).toEqual([{ limitBytes: 10, head: 'éééééé' }]);
	});

	it('keeps the head of an oversize line, so that its id can be found', () => {
		const bytes = Buffer.from(`{"jsonrpc":"2.0","id":7,"method":"x","params":"${'y'.repeat(5000)}"}\n`);
		const [report] = split(bytes, [100], 1000) as OversizeLine[];
		expect(report?.head.slice(0, 23)).toBe('{"jsonrpc":"2.0","id":7');
		expect(report?.head.length).toBeLessThanOrEqual(512);
	});

	it('buffers no more than the limit of an endless line', () => {
		const splitter = new LineSplitter(64 * 1024);
		const chunk = Buffer.alloc(16 * 1024, 'x');
		const before = process.memoryUsage().arrayBuffers;
		for (let i = 0; i < 4096; i++) splitter.push(chunk);
		expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
	});

	it('carries a 64 MiB line when the limit allows it', () => {
		const text = 'a'.repeat(64 * 1024 * 1024);
		const lines = split(Buffer.from(`${text}\n`), [65_536], 70 * 1024 * 1024);
		expect(lines).toHaveLength(1);
		expect(lines[0] === text).toBe(true);
	});

	it('buffers a long line in one-byte chunks without an object per chunk', () => {
		const splitter = new LineSplitter(LIMIT);
		const byte = Buffer.from('x');
		for (let i = 0; i < 300_000; i++) splitter.push(byte);
		expect(splitter.push(Buffer.from('\n'))).toEqual(['x'.repeat(300_000)]);
	});
});

function line(): fc.Arbitrary<string> {
	return fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !/[\r\n]/.test(text));
}

function cuts(): fc.Arbitrary<number[]> {
	return fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });
}

function split(bytes: Buffer, sizes: number[], limit: number): (string | OversizeLine)[] {
	const splitter = new LineSplitter(limit);
	const lines: (string | OversizeLine)[] = [];
	for (let at = 0, turn = 0; at < bytes.length; turn++) {
		const size = sizes[turn % sizes.length] ?? 1;
		lines.push(...splitter.push(bytes.subarray(at, at + size)));
		at += size;
	}
	return [...lines, ...splitter.end()];
}

/** The head of an oversize line depends on how much had come; all else may not. */
function shape(line: string | OversizeLine): string {
	return typeof line === 'string' ? line : `over ${line.limitBytes}`;
}
