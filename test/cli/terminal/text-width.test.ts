import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tableLines } from '../../../src/cli/terminal/table.ts';
import { cutText, padText, textWidth } from '../../../src/cli/terminal/text-width.ts';

describe('textWidth', () => {
	it.each([
		['', 0],
		['plain', 5],
		['工具', 4],
		['ツール', 6],
		['한국', 4],
		['ｆｕｌｌ', 8],
		['e\u0301', 1],
		['👍', 2],
		['👍🏽', 2],
		['👩‍👩‍👧‍👦', 2],
		['🇫🇷', 2],
		['❤️', 2],
		['1️⃣', 2],
		['©', 1],
		['…', 1],
		['\u200B', 0],
	])('%s takes %i columns', (text, width) => {
		expect(textWidth(text)).toBe(width);
	});
});

describe('cutText', () => {
	it('fits any text into any width, without breaking a character', () => {
		const text = fc.string({ unit: 'grapheme' });
		fc.assert(
			fc.property(text, fc.integer({ min: 1, max: 20 }), (whole, width) => {
				const cut = cutText(whole, width);
				expect(textWidth(cut)).toBeLessThanOrEqual(width);
				expect(whole.startsWith(cut.replace(/…$/, '')) || whole === cut).toBe(true);
			}),
		);
	});

	it('leaves out a character that would stand half outside', () => {
		expect(cutText('工具箱', 4)).toBe('工…');
		expect(cutText('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3)).toBe('👩‍👩‍👧‍👦…');
		expect(cutText('工具', 4)).toBe('工具');
	});
});

describe('tableLines', () => {
	it('aligns columns by what the terminal shows', () => {
		const lines = tableLines(
			['A', 'B'],
			[
				['工具', 'x'],
				['é́', 'y'],
				['plain', 'z'],
			],
			40,
		);
		expect(lines).toEqual(['A      B', '工具   x', `${padText('é́', 5)}  y`, 'plain  z']);
	});
});
