import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { removeJsonKey, setJsonKey } from '../../../src/config/edit/json-edit.ts';
import { parseJsonc } from '../../../src/config/jsonc.ts';

describe('removeJsonKey', () => {
	it.each([
		['a key with its line', '{\n\t"a": 1,\n\t"b": 2\n}\n', 'a', '{\n\t"b": 2\n}\n'],
		['the last key with the comma before it', '{\n  "a": 1,\n  "b": 2\n}', 'b', '{\n  "a": 1\n}'],
		['the only key', '{\n  "a": 1\n}', 'a', '{}'],
		['the only key with a trailing comma', '{\n  "a": 1,\n}', 'a', '{}'],
		['a key in a line of several', '{ "a": 1, "b": 2, "c": 3 }', 'b', '{ "a": 1, "c": 3 }'],
		['the last key in a line of several', '{ "a": 1, "b": 2 }', 'b', '{ "a": 1 }'],
		['a key of a minified text', '{"a":1,"b":{"x":[1,2]},"c":3}', 'b', '{"a":1,"c":3}'],
		[
			'a key over several lines',
			'{\r\n  "a": {\r\n    "x": 1\r\n  },\r\n  "b": 2\r\n}',
			'a',
			'{\r\n  "b": 2\r\n}',
		],
		[
			'no comment of another key',
			'{\n  "a": 1, // one\n  // two\n  "b": 2\n}',
			'b',
			'{\n  "a": 1 // one\n  // two\n}',
		],
		['no comment of its own line', '{\n  "a": 1, // one\n  "b": 2\n}', 'a', '{\n  // one\n  "b": 2\n}'],
	])('removes %s', (_, text, key, expected) => {
		expect(removeJsonKey(text, [key])).toBe(expected);
	});

	it('keeps a byte order mark, and a text without the key', () => {
		expect(removeJsonKey('\uFEFF{"a":1,"b":2}', ['a'])).toBe('\uFEFF{"b":2}');
		expect(removeJsonKey('{ "a": 1 }', ['b'])).toBe('{ "a": 1 }');
	});
});

describe('setJsonKey', () => {
	it.each([
		['behind the last key', '{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"n": {\n\t\t"x": 1\n\t}\n}\n'],
		['behind a trailing comma', '{\n  "a": 1,\n}', '{\n  "a": 1,\n  "n": {\n    "x": 1\n  },\n}'],
		[
			'behind the comment of the last key',
			'{\n  "a": 1 // one\n}',
			'{\n  "a": 1, // one\n  "n": {\n    "x": 1\n  }\n}',
		],
		['in an empty object', '{}\n', '{\n  "n": {\n    "x": 1\n  }\n}\n'],
		['in an empty text', '', '{\n  "n": {\n    "x": 1\n  }\n}\n'],
		[
			'in an object with a comment',
			'{\r\n  // none\r\n}',
			'{\r\n  "n": {\r\n    "x": 1\r\n  }\r\n  // none\r\n}',
		],
		['in a line', '{ "a": 1 }', '{ "a": 1, "n": { "x": 1 } }'],
		['in a minified text', '{"a":1}', '{"a":1,"n":{"x":1}}'],
		[
			'in place of its value',
			'{\n  "n": 7, // seven\n  "a": 1\n}',
			'{\n  "n": {\n    "x": 1\n  }, // seven\n  "a": 1\n}',
		],
	])('writes a key %s', (_, text, expected) => {
		expect(setJsonKey(text, ['n'], { x: 1 })).toBe(expected);
	});

	it('makes the objects on the way', () => {
		expect(setJsonKey('{"a":{}}', ['a', 'b', 'c'], 1)).toBe('{"a":{"b":{"c":1}}}');
	});

	it('writes an object in place of null', () => {
		expect(setJsonKey('{"a":null}', ['a', 'b'], 1)).toBe('{"a":{"b":1}}');
	});

	it('refuses to add a key to a value that is no object', () => {
		expect(() => setJsonKey('{"a":[1]}', ['a', 'b'], 1)).toThrow('a is not an object');
	});
});

describe('any text with comments', () => {
	it('loses exactly the key that is removed, and gains exactly the key that is set', () => {
		fc.assert(
			fc.property(document(), fc.nat(), ({ text, keys }, pick) => {
				const value = parseJsonc(text, 'x').value as Record<string, unknown>;
				const key = keys[pick % keys.length] ?? '';
				const { [key]: _gone, ...rest } = value;
				const removed = removeJsonKey(text, [key]);
				expect(parseJsonc(removed, 'x').value).toEqual(rest);
				expect(commentsOf(removed)).toEqual(commentsOf(text).filter((each) => !each.includes(`in ${key}.`)));
				const added = setJsonKey(removed, ['new key'], { a: [1] });
				expect(parseJsonc(added, 'x').value).toEqual({ ...rest, 'new key': { a: [1] } });
				expect(commentsOf(added)).toEqual(commentsOf(removed));
			}),
			{ numRuns: 300 },
		);
	});
});

function commentsOf(text: string): string[] {
	return text.match(/\/\*#[^*]*\*\/|\/\/#[^\n\r]*/g) ?? [];
}

/** An object with comments, blank lines and line breaks anywhere, and its keys. */
function document(): fc.Arbitrary<{ text: string; keys: string[] }> {
	const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\t', ' /*# c */ ', ' //# line, } "\n', '\n\n');
	const value = (key: string): fc.Arbitrary<string> =>
		fc.constantFrom('1', '"}, {"', '[1,\n 2]', `{ "x": 1 /*# in ${key}. */ }`, '{}', '"a\\"//b"');
	return fc
		.uniqueArray(fc.constantFrom('a', 'b', 'c d', 'e', '{'), { minLength: 1, maxLength: 5 })
		.chain((keys) =>
			fc.record({
				keys: fc.constant(keys),
				values: fc.tuple(...keys.map(value)),
				gaps: fc.array(gap, { minLength: keys.length * 4 + 2, maxLength: keys.length * 4 + 2 }),
				hasTrailingComma: fc.boolean(),
				hasMark: fc.boolean(),
			}),
		)
		.map(({ keys, values, gaps, hasTrailingComma, hasMark }) => {
			const members = keys.map((key, index) => {
				const [a, b, c, d] = gaps.slice(index * 4, index * 4 + 4);
				const comma = index < keys.length - 1 || hasTrailingComma ? ',' : '';
				const within = [b, c].map((each) => (each ?? '').replace(/# c|# line/, `# in ${key}.`));
				return `${a}${JSON.stringify(key)}${within.join(':')}${values[index]}${d}${comma}`;
			});
			const text = `${hasMark ? '\uFEFF' : ''}{${members.join('')}${gaps.at(-1)}}${gaps.at(-2)}`;
			return { text, keys };
		});
}
