import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableJson, printableLine } from '../src/printable.ts';

// oxlint-disable-next-line no-control-regex -- what must not be there
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/;

const wild = fc.string({ unit: 'binary' });

describe('printable', () => {
	it('leaves no control character in any text, and plain text as it is', () => {
		fc.assert(fc.property(wild, (text) => !CONTROLS.test(printable(text))));
		expect(printable('añ 工具 👩‍👩‍👧 \t\n')).toBe('añ 工具 👩‍👩‍👧 \t\n');
	});

	it('shows a control character as its code', () => {
		expect(printable('\u001B[2J\u009B\u202E\u007F')).toBe('\\x1b[2J\\u009b\\u202e\\u007f');
	});

	it('keeps a line one line', () => {
		fc.assert(fc.property(wild, (text) => !/[\n\r\t]/.test(printableLine(text))));
		expect(printableLine('a\r\n\tb')).toBe('a\\r\\n\\tb');
	});

	it('gives JSON that parses to the same value', () => {
		fc.assert(
			fc.property(fc.dictionary(wild, wild), (value) => {
				const text = printableJson(value);
				expect(text).not.toMatch(CONTROLS);
				expect(JSON.parse(text)).toEqual(value);
			}),
		);
	});
});
