import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonc } from '../../src/config/jsonc.ts';
import { thrownBy } from '../support/programs.ts';

describe('parseJsonc', () => {
	it('reads any JSON as JSON.parse does, however it is laid out', () => {
		fc.assert(
			fc.property(fc.json(), fc.constantFrom(undefined, '\t', 2), (text, space) => {
				const laidOut = JSON.stringify(JSON.parse(text), null, space);
				expect(parseJsonc(laidOut, 'x.json').value).toEqual(JSON.parse(text));
			}),
		);
	});

	it('never returns a value for invalid text, only an error with file and line', () => {
		fc.assert(
			fc.property(fc.string(), (text) => {
				// Comments and further commas are no JSON, and still have a value.
				fc.pre(!/[/,]/.test(text));
				const result = attempt(() => parseJsonc(text, 'x.json').value);
				const refused = { error: expect.objectContaining({ code: 'bad_input' }) };
				expect(result).toEqual(canParse(text) ? { value: JSON.parse(text) } : refused);
			}),
		);
	});

	it('skips comments of both kinds, trailing commas and a byte order mark', () => {
		const text = '\uFEFF{ // one\n "a": [1, /* two\n lines */ 2,],\n "b": "// no comment",\n}';
		expect(parseJsonc(text, 'x.json').value).toEqual({ a: [1, 2], b: '// no comment' });
	});

	it('records the line of every key, and gives the nearest line for a missing key', () => {
		const document = parseJsonc('{\n"a": {\n"b": [\n1,\n2]}}', 'x.json');
		expect(document.lineOf(['a', 'b'])).toBe(3);
		expect(document.lineOf(['a', 'b', '1'])).toBe(5);
		expect(document.lineOf(['a', 'zzz'])).toBe(2);
		expect(document.lineOf(['zzz'])).toBe(1);
	});

	it.each([
		['{\n"a": 1\n"b": 2}', 'x.json:3: expected , or }, found "\\"b\\": 2}"'],
		['{"a": tru}', 'x.json:1: expected a JSON value, found "tru}"'],
		['{\n"a": "open\n}', 'x.json:2: expected the closing " of the string'],
		['{} {}', 'x.json:1: expected the end of the file, found "{}"'],
		['{a: 1}', 'x.json:1: expected a key in double quotes or }'],
		['{"a" 1}', 'x.json:1: expected : after the key'],
		['[1 2]', 'x.json:1: expected , or ]'],
		['', 'x.json:1: expected a JSON value, found the end of the file'],
		['/* open', 'x.json:1: expected a JSON value'],
		['['.repeat(200), 'x.json:1: expected at most 64 levels'],
	])('says what is wrong with %j and where', async (text, message) => {
		const error = await thrownBy(() => parseJsonc(text, 'x.json'));
		expect((error as Error).message.startsWith(message)).toBe(true);
	});

	it('keeps a key named __proto__ as a plain key', () => {
		const { value } = parseJsonc('{"__proto__": {"x": 1}}', 'x.json');
		expect(Object.keys(value as object)).toEqual(['__proto__']);
		expect('x' in (value as object)).toBe(false);
	});
});

function canParse(text: string): boolean {
	return 'value' in attempt(() => JSON.parse(text) as unknown);
}

function attempt(action: () => unknown): { value: unknown } | { error: unknown } {
	try {
		return { value: action() };
	} catch (error) {
		return { error };
	}
}
