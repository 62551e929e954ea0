import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutJson } from '../../../src/hub/results/cut-json.ts';
import { cutMiddle, firstPart, lastPart, wellFormed } from '../../../src/hub/results/cut-text.ts';
import { shapeOf } from '../../../src/hub/results/json-shape.ts';
import { shortenText, textOfResult } from '../../../src/hub/results/shorten-result.ts';
import { estimateTokens } from '../../../src/library/match/tokens.ts';
import type { CallToolResult } from '../../../src/protocol/mcp-types.ts';

const about = { handle: `r-${'0'.repeat(24)}`, look: 'look', isError: false };

describe('shortenText', () => {
	it('stays within the budget, in well-formed Unicode, with the beginning of the text', () => {
		fc.assert(
			fc.property(longText(), fc.integer({ min: 200, max: 2000 }), (text, budget) => {
				const { shown, notice } = shortenText({ text: wellFormed(text), json: undefined }, budget, about);
				expect(estimateTokens(shown) + estimateTokens(notice)).toBeLessThanOrEqual(budget * 1.02);
				expect(wellFormed(shown + notice)).toBe(shown + notice);
				expect(wellFormed(text).startsWith(shown)).toBe(true);
			}),
			{ numRuns: 60 },
		);
	});

	it('makes JSON of JSON, whose leaves are those of the server', () => {
		let lists = 0;
		fc.assert(
			fc.property(
				longJson(),
				fc.integer({ min: 200, max: 800 }),
				fc.constantFrom(0, 2),
				(value, budget, indent) => {
					const text = JSON.stringify(value, null, indent);
					const { shown, notice } = shortenText({ text, json: value }, budget, about);
					expect(estimateTokens(shown) + estimateTokens(notice)).toBeLessThanOrEqual(budget * 1.02);
					expect(isPartOf(JSON.parse(shown), value)).toBe(true);
					if (!Array.isArray(value) || JSON.parse(shown).length < 2) return;
					expect(text.startsWith(shown.replace(/\s*\]$/, ''))).toBe(true);
					lists++;
				},
			),
			{ numRuns: 60 },
		);
		expect(lists).toBeGreaterThan(0);
	});

	it('makes JSON within the budget of JSON that is written in any way', () => {
		fc.assert(
			fc.property(jsonText(), fc.integer({ min: 200, max: 800 }), (written, budget) => {
				const whole = textOfResult(textResult(written));
				expect(whole.json).toBeDefined();
				const { shown, notice } = shortenText(whole, budget, about);
				expect(estimateTokens(shown) + estimateTokens(notice)).toBeLessThanOrEqual(budget * 1.02);
				expect(wellFormed(shown + notice)).toBe(shown + notice);
				expect(isPartOf(JSON.parse(shown), whole.json)).toBe(true);
			}),
			{ numRuns: 100, endOnFailure: true },
		);
	});

	it('says in numbers what was left out, the shape of JSON, and how to go on', () => {
		const items = Array.from({ length: 1200 }, (_, id) => ({ id, title: `Title of item ${id}` }));
		const json = { total: 1200, items };
		const { shown, notice } = shortenText({ text: JSON.stringify(json), json }, 500, about);
		const { total, items: some } = JSON.parse(shown) as typeof json;
		expect(total).toBe(1200);
		expect(some).toEqual(items.slice(0, some.length));
		expect(notice).toContain(`${some.length} of 1,200 items of items`);
		expect(notice).toContain('{total: number, items: [1,200 × {id: number, title: string}]}');
		expect(notice).toContain(`look {"handle":"${about.handle}"`);
	});

	it('cuts rows as Python prints them after a row, with their shape', () => {
		const rows = Array.from(
			{ length: 900 },
			(_, id) => `{'id': ${id}, 'name': 'it\\'s }, {${id}', 'gone': None}`,
		);
		const { shown, notice } = shortenText(textOfResult(textResult(`[${rows.join(', ')}]`)), 500, about);
		const count = shown.split("'id'").length - 1;
		expect(shown).toBe(`[${rows.slice(0, count).join(', ')}]`);
		expect(notice).toContain(`${count} of 900 rows`);
		expect(notice).toContain('Shape: [900 × {id: number, name: string, gone: null}].');
		expect(notice).toContain('"op":"select"');
	});

	it('makes JSON of JSON that is nested too deeply to be cut', () => {
		for (const [open, close, shown] of [
			['{"a":', '}', '{}'],
			['[', ']', '[]'],
		] as const) {
			const text = `${open.repeat(3000)}1${close.repeat(3000)}`;
			const short = shortenText(textOfResult(textResult(text)), 200, about);
			expect(short.shown).toBe(shown);
			expect(short.notice).toContain('too deep');
		}
	});

	it('says how many characters of a long line are shown', () => {
		const { shown, notice } = shortenText(textOfResult(textResult('word '.repeat(9000))), 300, about);
		expect(notice).toContain(`${shown.length} of 45,000 characters`);
	});

	it('keeps the last lines of an error', () => {
		const text = `${'at frame\n'.repeat(2000)}Error: the reason`;
		const { shown } = shortenText({ text, json: undefined }, 300, { ...about, isError: true });
		expect(shown.startsWith('at frame\n')).toBe(true);
		expect(shown.endsWith('Error: the reason')).toBe(true);
	});
});

describe('textOfResult', () => {
	it('makes an array of blocks that are JSON, and lines of others', () => {
		const block = (text: string) => ({ type: 'text' as const, text });
		expect(textOfResult({ content: [block('{"a":1.0}'), block('{"a":2}')] }).text).toBe(
			'[{"a":1.0},\n{"a":2}]',
		);
		expect(textOfResult({ content: [block('one'), block('two')] }).text).toBe('one\ntwo');
	});
});

describe('firstPart', () => {
	it('cuts after a line, not inside a pair or an escape sequence', () => {
		expect(firstPart('one\ntwo\nthree', 9)).toBe('one\ntwo\n');
		expect(firstPart('😀😀😀', 3)).toBe('😀');
		expect(firstPart('12345678\u001B[31mred', 11)).toBe('12345678');
		const link = `\u001B]8;;https://example.com/${'a'.repeat(100)}\u001B\\here`;
		expect(firstPart(`${'word '.repeat(40)}${link}`, 250)).toBe('word '.repeat(40));
		expect(lastPart('1\u001B[38:2;1mred', 7)).toBe('red');
	});

	it('has both ends of a text', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), fc.nat(300), (text, limit) => {
				const cut = cutMiddle(text, limit + 60);
				expect(wellFormed(cut)).toBe(cut);
				expect(cut.length).toBeLessThanOrEqual(Math.max(text.length, limit + 60));
				expect(text.endsWith(lastPart(text, limit))).toBe(true);
			}),
		);
	});
});

describe('cutJson', () => {
	it('keeps the digits of numbers and the small members of an object', () => {
		const text = `{"price":1.50,"id":12345678901234567890,"body":"${'x'.repeat(500)}","next":null}`;
		const { text: cut, parts } = cutJson(text, 150);
		expect(cut).toMatch(
			/^\{"price":1\.50,"id":12345678901234567890,"body":"x+… \(500 characters\)","next":null\}$/,
		);
		expect(parts).toMatchObject([{ path: 'body', unit: 'characters', total: 500 }]);
	});

	it('retains the blanks between the members that it shows', () => {
		const text =
			'{ "total" : 3, "items" : [ {"id": 1}, {"id":  2} , {"id": 3, "more": "xxxxxxxxxxxxxxxxxxxx"} ] }';
		expect(cutJson(text, 70).text).toBe('{ "total" : 3, "items" : [ {"id": 1}, {"id":  2} ] }');
	});

	it('never cuts inside an escape', () => {
		const text = JSON.stringify({ text: '\\\n\u0001"\ud83d\ude00'.repeat(60) });
		for (let limit = 60; limit < 160; limit++) {
			const cut = JSON.parse(cutJson(text, limit).text) as { text: string };
			expect(wellFormed(cut.text)).toBe(cut.text);
		}
	});
});

describe('shapeOf', () => {
	it('marks keys that not all elements have, and stays short', () => {
		expect(shapeOf([{ a: 1 }, { a: 'x', b: [] }], 200)).toBe('[2 × {a: number|string, b?: []}]');
		const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`key${at}`, { at }]));
		expect(shapeOf(wide, 300).length).toBeLessThanOrEqual(300);
	});
});

function textResult(text: string): CallToolResult {
	return { content: [{ type: 'text', text }] };
}

/** JSON with the escapes, names, blanks, digits and depth that encoders do not write. */
function jsonText(): fc.Arbitrary<string> {
	const escapes = ['\\\\', '\\"', '\\n', '\\ud83d', '\\ude00', '\\\\ud83d', '\\u00e9', '\\/'];
	const piece = fc.constantFrom('word ', '😀', '👩‍👧', ...escapes);
	const pieces = (maxLength: number): fc.Arbitrary<string> =>
		fc.array(piece, { maxLength, size: 'max' }).map((each) => `"${each.join('')}"`);
	const string = fc.oneof(pieces(8), pieces(2000));
	const blank = fc.constantFrom('', ' ', '\r\n\t');
	const digits = fc.constantFrom('1.50', '-0', '12345678901234567890', '9'.repeat(5000));
	const list = (each: fc.Arbitrary<string>): fc.Arbitrary<string> =>
		fc
			.tuple(fc.array(each, { maxLength: 6 }), blank)
			.map(([all, gap]) => `[${gap}${all.join(`,${gap}`)}${gap}]`);
	const object = (each: fc.Arbitrary<string>): fc.Arbitrary<string> =>
		fc.tuple(fc.array(fc.tuple(string, each), { maxLength: 6 }), blank).map(([all, gap]) => {
			const byName = new Map(all.map((member) => [JSON.parse(member[0]), member]));
			const members = [...byName.values()].map((member) => member.join(`${gap}:${gap}`));
			return `{${gap}${members.join(`,${gap}`)}${gap}}`;
		});
	const flat = fc.oneof(string, digits);
	const value = fc.oneof(flat, list(flat), object(fc.oneof(flat, list(flat))));
	const deep = fc
		.tuple(value, fc.integer({ min: 1, max: 60 }))
		.map(([each, levels]) => `${'[{"a":'.repeat(levels)}${each}${'}]'.repeat(levels)}`);
	const mark = fc.constantFrom('', '\uFEFF');
	return fc.tuple(mark, fc.oneof(list(value), object(value), deep)).map((parts) => parts.join(''));
}

function longText(): fc.Arbitrary<string> {
	const line = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });
	return fc
		.array(line, { minLength: 50, maxLength: 200 })
		.map((lines) => lines.join('\n').padEnd(9000, 'é😀 '));
}

function longJson(): fc.Arbitrary<object> {
	const value = fc.jsonValue({ maxDepth: 4 });
	const record = fc.record({ id: fc.nat(), value, text: fc.string({ unit: 'grapheme', maxLength: 300 }) });
	const list = fc.array(record, { minLength: 60, maxLength: 90 });
	return fc.oneof(list, fc.record({ list, other: value, long: fc.constant('long "text" '.repeat(1000)) }));
}

/** Arrays are prefixes, objects have some of the members, strings may be cut with a mark, numbers of thousands of digits are null. */
function isPartOf(part: unknown, whole: unknown): boolean {
	if (Array.isArray(part)) return Array.isArray(whole) && part.every((each, at) => isPartOf(each, whole[at]));
	if (typeof part === 'object' && part !== null)
		return Object.entries(part).every(([name, each]) => isPartOf(each, Reflect.get(whole as object, name)));
	if (typeof part === 'string' && part !== whole)
		return String(whole).startsWith(part.replace(/… \([\d,]+ characters\)$/, ''));
	return part === whole || (part === null && typeof whole === 'number');
}
