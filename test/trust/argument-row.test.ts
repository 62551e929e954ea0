import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/files/sha256.ts';
import { escapedJson, escapedName } from '../../src/printable.ts';
import { addSecret } from '../../src/redact.ts';
import { argumentLine, argumentRows } from '../../src/trust/argument-row.ts';
import { canonicalSha256 } from '../../src/wire/canonical-json.ts';

const SECRET = 'hunter2-is-a-long-secret';
const INVISIBLE = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

describe('escapedJson', () => {
	it('parses to the same value and has no invisible character, whatever the value is', () => {
		const unit = fc.string({ unit: 'binary', maxLength: 20 });
		fc.assert(
			fc.property(fc.array(fc.tuple(unit, unit)), (pairs) => {
				const value = Object.fromEntries(pairs);
				const text = escapedJson(value);
				expect(JSON.parse(text)).toEqual(value);
				expect(INVISIBLE.test(text)).toBe(false);
			}),
		);
	});

	it.each([
		['a line break', 'a\nb', '"a\\nb"'],
		['the text of one', 'a\\nb', '"a\\\\nb"'],
		['a bidirectional override', 'a\u202eb', '"a\\u202eb"'],
		['a space of no width', 'a\u200bb', '"a\\u200bb"'],
		['a space that does not break', 'a\u00a0b', '"a\\u00a0b"'],
		['an invisible letter', 'a\u3164b', '"a\\u3164b"'],
		['a tag character', 'a\u{e0041}b', '"a\\udb40\\udc41b"'],
		['half a character', 'a\ud800b', '"a\\ud800b"'],
		['an escape sequence', 'a\u001b[2Jb', '"a\\u001b[2Jb"'],
	])('shows %s as an escape', (_what, value, shown) => {
		expect(escapedJson(value)).toBe(shown);
	});

	it('quotes the name of an argument that could pass for two columns', () => {
		expect(['path', 'größe', 'a b', 'path  "/tmp"', 'x\u200b', ''].map(escapedName)).toEqual([
			'path',
			'größe',
			'"a b"',
			'"path  \\"/tmp\\""',
			'"x\\u200b"',
			'""',
		]);
	});
});

describe('argumentRows', () => {
	it('has a row for each argument, the short ones first, with length and hash of the real value', () => {
		const content = `one\n}\n${'x'.repeat(500)}`;
		expect(argumentRows({ content, path: '/etc/passwd', mode: { a: [1, null] } })).toEqual([
			{ name: 'path', text: '"/etc/passwd"', ...sizes('/etc/passwd') },
			{
				name: 'mode',
				text: '{"a":[1,null]}',
				...sizes('{"a":[1,null]}'),
				sha256: canonicalSha256({ a: [1, null] }),
			},
			{ name: 'content', text: escapedJson(content), ...sizes(content), isLong: true },
		]);
		expect(argumentRows({})).toEqual([]);
		expect(argumentRows(undefined)).toEqual([]);
		expect(argumentRows([1])).toMatchObject([{ name: '(all arguments)', text: '[1]' }]);
	});

	it('leaves no argument out: those above the limit are one row', () => {
		const many = Object.fromEntries(Array.from({ length: 130 }, (_, at) => [`a${at}`, at]));
		const rows = argumentRows(many);
		expect(rows).toHaveLength(101);
		expect(rows.at(-1)).toMatchObject({ name: '(30 more arguments)', isLong: true, leftOut: 0 });
		expect(rows.at(-1)?.text).toContain('"a129":129');
	});

	it('is whole up to 64 Ki characters, and says how many are left out', () => {
		expect(argumentRows({ text: 'x'.repeat(60_000) })).toMatchObject([{ leftOut: 0 }]);
		const [long] = argumentRows({ text: 'x'.repeat(100_000), path: 'p' }).slice(1);
		expect(long).toMatchObject({ characters: 100_000, leftOut: 100_000 - 65_536 });
		expect(long?.text).toHaveLength(65_536 + 2);
	});

	it('counts escapes as what they are on the screen', () => {
		expect(argumentRows({ a: '\u200b'.repeat(50) })).toMatchObject([{ isLong: true, characters: 50 }]);
	});

	it('has no secret, also where a value is cut, and says that there was one', () => {
		addSecret(SECRET);
		const cut = { text: `${'x'.repeat(65_536 - 18)}${SECRET}` };
		const inputs = [
			{ token: SECRET },
			{ [SECRET]: 1 },
			cut,
			{ text: `${SECRET}\n${SECRET}` },
			{ a: [SECRET] },
		];
		for (const input of inputs) {
			const rows = argumentRows(input);
			expect(JSON.stringify(rows)).not.toContain(SECRET.slice(0, 10));
			for (const row of rows) expect(argumentLine(row, 400)).not.toContain(SECRET.slice(0, 10));
		}
		expect(argumentRows({ token: SECRET, plain: 'x' })).toMatchObject([
			{ hasSecret: true, text: '"•••"' },
			{ hasSecret: false },
		]);
	});
});

it('a row on one line says length and hash of what it leaves out', () => {
	const [long] = argumentRows({ text: 'x'.repeat(1000) });
	if (long === undefined) throw new Error('expected a row');
	expect(argumentLine(long, 10)).toBe(
		`text: (the start of 1,000 characters, SHA-256 ${sha256('x'.repeat(1000))}) "xxxxxxxxx…`,
	);
	expect(argumentLine(long, 2000)).toBe(`text: "${'x'.repeat(1000)}"`);
});

function sizes(text: string): object {
	return { characters: text.length, sha256: sha256(text), isLong: false, leftOut: 0, hasSecret: false };
}
