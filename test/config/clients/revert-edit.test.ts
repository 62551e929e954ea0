import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { revertEdit } from '../../../src/config/clients/revert-edit.ts';

describe('revertEdit', () => {
	it('restores the old text exactly when nobody else changed it', () => {
		const text = fc.array(fc.constantFrom('{', '}', 'a', 'b', '')).map((lines) => lines.join('\n'));
		fc.assert(
			fc.property(text, text, (before, after) => {
				const reverted = revertEdit({ before, after, now: after });
				expect([before, undefined]).toContain(reverted);
			}),
		);
	});

	it('keeps lines that were added and changed elsewhere', () => {
		const before = '{\n"count": 1,\n"servers": {\n"a": 1\n},\n"more": {\n"b": 2\n}\n}';
		const after = '{\n"count": 1,\n"servers": {\n"hub": 0\n},\n"more": {\n}\n}';
		const others = (text: string) => text.replace('1,', '2,').replace(/}$/, ',"x": 1\n}');
		expect(revertEdit({ before, after, now: others(after) })).toBe(others(before));
	});

	it('gives up when the edit is not there, or in two places', () => {
		const [before, after] = ['a\nold\nb', 'a\nnew\nb'];
		expect(revertEdit({ before, after, now: 'a\nother\nb' })).toBeUndefined();
		expect(revertEdit({ before, after, now: 'a\nnew\nb\na\nnew\nb' })).toBeUndefined();
	});
});
