import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeError, encodeNotification, encodeRequest, encodeResult } from '../../src/wire/json-rpc.ts';
import {
	elementsOf,
	encodeJson,
	exactly,
	JsonText,
	rewritesNumbers,
	textAt,
	withMember,
	withoutMembers,
} from '../../src/wire/json-text.ts';

describe('JsonText', () => {
	it('is written as it was read anywhere in a message', () => {
		const exact = new JsonText('12345678901234567890');
		const params = { requestId: exact, _meta: [{ deep: exact }], text: '"exact:1"' };
		const said =
			'{"requestId":12345678901234567890,"_meta":[{"deep":12345678901234567890}],"text":"\\"exact:1\\""}';
		expect(encodeNotification('a', params)).toBe(`{"jsonrpc":"2.0","method":"a","params":${said}}`);
		expect(encodeRequest(1, 'a', params)).toBe(`{"jsonrpc":"2.0","id":1,"method":"a","params":${said}}`);
		expect(encodeResult('1', params)).toBe(`{"jsonrpc":"2.0","id":1,"result":${said}}`);
		expect(encodeError('1', { code: 1, message: '', data: params })).toContain(said);
		expect(JSON.stringify({ id: exact })).toBe('{"id":12345678901234567000}');
	});

	it('is on one line, whatever it was written on', () => {
		expect(encodeResult('1', new JsonText('{\r\n"a":\n1.0}'))).toBe(
			'{"jsonrpc":"2.0","id":1,"result":{  "a": 1.0}}',
		);
	});

	it('leaves nothing behind when a value cannot be encoded', () => {
		const circle: Record<string, unknown> = { text: new JsonText('1.0') };
		circle['circle'] = circle;
		expect(() => encodeResult('1', circle)).toThrow(TypeError);
		expect(encodeResult('1', [new JsonText('2.0')])).toBe('{"jsonrpc":"2.0","id":1,"result":[2.0]}');
	});
});

describe('the exact value of a text', () => {
	it('lets our encoder write the same value, whatever it is', () => {
		fc.assert(
			fc.property(fc.json(), fc.constantFrom('', ' ', '\n'), (json, blank) => {
				const text = `{${blank}"big":12345678901234567890,"value":[${json}${blank}]}`;
				const value = exact(text);
				expect(encodeJson(value)).toBe(text.replaceAll('\n', ' '));
				expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
			}),
		);
	});

	it('keeps the numbers of a part inside a copy of what is above it', () => {
		const { name, ...rest } = exact('{"name":"a","schema":{"default":1.0},"list":[{"n":1e2}]}');
		expect(encodeJson({ name: `x${String(name)}`, ...rest })).toBe(
			'{"name":"xa","schema":{"default":1.0},"list":[{"n":1e2}]}',
		);
	});

	it('gives other encoders the current content', () => {
		const value = exact('{"name":"a","n":1.0}');
		value['name'] = 'b';
		expect(JSON.stringify(value)).toBe('{"name":"b","n":1}');
	});

	it('is left alone when it has a member toJSON of its own, nothing to keep, or too many levels', () => {
		expect(encodeJson(exact('{"toJSON":"x","n":1.0}'))).toBe('{"toJSON":"x","n":1}');
		expect(Object.getOwnPropertyNames(exact('{"n":1}'))).toEqual(['n']);
		const deep = `{"n":1.0,"deep":${'['.repeat(600)}${']'.repeat(600)}}`;
		expect(exact(deep)['n']).toBe(1);
	});
});

describe('rewritesNumbers', () => {
	it.each(['[123456789.123456789]', '[1e400]', '{"a":-1.5E-400}', '{"a":12345678901234567}', '{"a":1.0}'])(
		'finds a number that we would write differently: %s',
		(text) => expect(rewritesNumbers(text)).toBe(true),
	);

	it.each(['{"a":0.1}', '{"a":"3e4"}', '[123456789012345]'])('finds none in %s', (text) =>
		expect(rewritesNumbers(text)).toBe(false),
	);
});

describe('exactly', () => {
	it('keeps the parts of an object', () => {
		const text = '{"error":{"data":{"a":1.0}}}';
		expect(encodeJson([exactly({ a: 1 }, text, 'error', 'data')])).toBe('[{"a":1.0}]');
		const plain = { a: 1 };
		expect(Object.getOwnPropertyNames(exactly(plain, '{"a":1}'))).toEqual(['a']);
		expect(exactly(plain, '{"a":1.0}', 'absent')).toBe(plain);
		expect(exactly(null, '1.0')).toBe(null);
	});

	it('keeps a number that a double changes, and nothing else', () => {
		const text = '{"params":{"a":9007199254740993,"b":1.5,"c":-0,"d":7}}';
		expect(exactly(9007199254740992, text, 'params', 'a')).toEqual(new JsonText('9007199254740993'));
		expect(exactly(1.5, text, 'params', 'b')).toBe(1.5);
		expect(exactly(-0, text, 'params', 'c')).toEqual(new JsonText('-0'));
		expect(exactly(7, text, 'params', 'd')).toBe(7);
		expect(exactly('x', text, 'params', 'e')).toBe('x');
	});
});

describe('elementsOf', () => {
	it('splits any array into the texts of its elements', () => {
		fc.assert(
			fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat(3), (array, indent) => {
				const texts = elementsOf(` ${JSON.stringify(array, undefined, indent)}\n`);
				expect(texts.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(array)));
			}),
		);
	});

	it('keeps every digit', () => {
		expect(elementsOf('[{"id":90071992547409931}, 1.50 ,"a,]"]')).toEqual([
			'{"id":90071992547409931}',
			'1.50',
			'"a,]"',
		]);
	});
});

describe('textAt', () => {
	it('gives the text of a member, spaces aside', () => {
		const value = fc.dictionary(fc.string(), fc.jsonValue());
		fc.assert(
			fc.property(
				value,
				fc.string(),
				fc.jsonValue(),
				fc.constantFrom(undefined, 2),
				(rest, key, found, space) => {
					const object = JSON.parse(JSON.stringify({ ...rest, [key]: found }));
					const text = textAt(JSON.stringify(object, null, space), key);
					expect(JSON.parse(text ?? 'null')).toEqual(object[key]);
				},
			),
		);
	});

	it('takes the last of two, and finds nothing where there is nothing', () => {
		expect(textAt('{"a":1,"b":{"a":2},"a":[3, "}"]}', 'a')).toBe('[3, "}"]');
		expect(textAt('{"b":{"a":2},"c":"a"}', 'a')).toBeUndefined();
		for (const text of ['{"a":1} b', '{"a":1', '"a"', '']) expect(textAt(text, 'a')).toBeUndefined();
	});

	it('follows a path of keys', () => {
		const text = '{"params":{"id":1,"_meta":{"token":1.50}},"token":2}';
		expect(textAt(text, 'params', '_meta', 'token')).toBe('1.50');
		expect(textAt(text, 'params', 'token')).toBeUndefined();
		expect(textAt(text, 'absent', 'token')).toBeUndefined();
	});

	it('scans a huge line without trouble', () => {
		const text = `{"a":"${'\\"x'.repeat(3_000_000)}","id":1.50}`;
		expect(textAt(text, 'id')).toBe('1.50');
	});
});

describe('withMember', () => {
	it('reads back as the changed value, for any object and path', () => {
		const value = fc.dictionary(fc.string(), fc.jsonValue());
		const path = fc.array(fc.constantFrom('a', 'b', 'ü'), { minLength: 1, maxLength: 3 });
		fc.assert(
			fc.property(value, path, fc.jsonValue(), fc.constantFrom(undefined, 2), (object, names, set, space) => {
				const text = JSON.stringify(object, null, space);
				const changed = JSON.parse(withMember(text, names, JSON.stringify(set)));
				expect(changed).toEqual(setAt(JSON.parse(text), names, JSON.parse(JSON.stringify(set))));
			}),
		);
	});

	it('keeps everything else as it was written', () => {
		expect(withMember('{ "a" : 1.0 , "b":{"c":2} }', ['b', 'c'], '3')).toBe('{ "a" : 1.0 , "b":{"c":3} }');
		expect(withMember('{"a":1.0}', ['_meta', 'x'], '"y"')).toBe('{"a":1.0,"_meta":{"x":"y"}}');
		expect(withMember('{"_meta":{}}', ['_meta', 'x'], '1')).toBe('{"_meta":{"x":1}}');
	});

	it('changes nothing where the path is blocked by another value', () => {
		expect(withMember('[1]', ['a'], '1')).toBe('[1]');
		expect(withMember('{"a":5}', ['a', 'b'], '1')).toBe('{"a":5}');
	});
});

describe('withoutMembers', () => {
	it('removes members at paths and keeps the rest as it was written', () => {
		const text = '{"a":1.0,"b":{"c":2,"d":1e5},"\\u0061":3}';
		expect(withoutMembers(text, [['a']])).toBe('{"b":{"c":2,"d":1e5}}');
		expect(withoutMembers(text, [['b', 'c'], ['x']])).toBe('{"a":1.0,"b":{"d":1e5},"\\u0061":3}');
		expect(withoutMembers('[1.0]', [['a']])).toBe('[1.0]');
		expect(withoutMembers('{}', [['a']])).toBe('{}');
	});
});

function exact(text: string): Record<string, unknown> {
	return new JsonText(text).exact as Record<string, unknown>;
}

/** A copy with the member at a path set; unchanged where something on the path is no object. */
function setAt(value: unknown, [name = '', ...rest]: readonly string[], set: unknown): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	const object = value as Record<string, unknown>;
	const inner = Object.hasOwn(object, name) ? object[name] : {};
	return { ...object, [name]: rest.length === 0 ? set : setAt(inner, rest, set) };
}
