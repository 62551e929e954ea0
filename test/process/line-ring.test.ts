import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineRing } from '../../src/process/line-ring.ts';
import { RING_LINE_CHARACTERS, RING_LINES } from '../../src/process/process-limits.ts';

describe('LineRing', () => {
	it('retains the last lines, including an incomplete one', () => {
		const ring = new LineRing();
		ring.push(Buffer.from('one\r\n\ntwo\nthr'));
		expect(ring.lines).toEqual(['one', 'two', 'thr']);
		ring.push(Buffer.from('ee\n'));
		expect(ring.lines).toEqual(['one', 'two', 'three']);
	});

	it('decodes a character that is split between chunks', () => {
		const ring = new LineRing();
		const bytes = Buffer.from('né\n');
		ring.push(bytes.subarray(0, 2));
		ring.push(bytes.subarray(2));
		expect(ring.lines).toEqual(['né']);
	});

	it('stays within its limits for any input', () => {
		fc.assert(
			fc.property(fc.array(fc.uint8Array({ maxLength: 3000 })), (chunks) => {
				const ring = new LineRing();
				for (const chunk of chunks) ring.push(chunk);
				expect(ring.lines.length).toBeLessThanOrEqual(RING_LINES);
				for (const line of ring.lines) expect(line.length).toBeLessThanOrEqual(RING_LINE_CHARACTERS);
			}),
		);
		const flooded = new LineRing();
		flooded.push(Buffer.from('x\n'.repeat(1_000_000)));
		expect(flooded.lines).toHaveLength(RING_LINES);
	});
});
