import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsOf, memberText, parseJson } from '../../src/wire/json.ts';
import {
	ExactNumber,
	encodeError,
	encodeNotification,
	encodeRequest,
	encodeResult,
	type Id,
	idFromHead,
	idKey,
	readMessage,
} from '../../src/wire/json-rpc.ts';

describe('readMessage', () => {
	it('classifies requests, notifications and responses', () => {
		expect(read('{"jsonrpc":"2.0","id":1,"method":"a"}')).toMatchObject({
			kind: 'request',
			message: { id: 1 },
		});
		expect(read('{"jsonrpc":"2.0","method":"a"}')).toMatchObject({ kind: 'notification' });
		expect(read('{"jsonrpc":"2.0","id":1,"result":5}')).toMatchObject({
			kind: 'response',
			message: { result: 5 },
		});
	});

	it('accepts a notification with any params', () => {
		for (const line of [
			'{"jsonrpc":"2.0","method":"a","params":null}',
			'{"jsonrpc":"2.0","id":9,"method":"notifications/a","params":3}',
		])
			expect(read(line)).toMatchObject({ kind: 'notification', message: { params: undefined } });
	});

	it('treats a method under notifications/ as a notification even with an id', () => {
		expect(read('{"jsonrpc":"2.0","id":1,"method":"notifications/x"}').kind).toBe('notification');
	});

	it('reads a response without a result as null, and prefers an error over a result', () => {
		expect(read('{"jsonrpc":"2.0","id":1}')).toMatchObject({ kind: 'response', message: { result: null } });
		const both = read('{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":-1,"message":"m","data":[2]}}');
		expect(both).toMatchObject({ message: { error: { code: -1, message: 'm', data: [2] } } });
	});

	it('accepts an error object without code or message, and an error that is null', () => {
		expect(read('{"jsonrpc":"2.0","id":1,"error":{}}')).toMatchObject({
			message: { error: { code: -32603 } },
		});
		expect(read('{"jsonrpc":"2.0","id":1,"error":null,"result":3}')).toMatchObject({
			message: { result: 3 },
		});
	});

	it.each([
		['5', 'a message must be an object'],
		['{"id":1,"method":"a"}', '`jsonrpc` must be "2.0"'],
		['{"jsonrpc":"1.0","method":"a"}', '`jsonrpc` must be "2.0"'],
		['{"jsonrpc":"2.0","id":1,"method":5}', '`method` must be a string'],
		['{"jsonrpc":"2.0","method":5}', '`method` must be a string'],
		['{"jsonrpc":"2.0","id":1,"method":"a","params":"no"}', '`params` must be an object or an array'],
		['{"jsonrpc":"2.0","id":1,"method":"a","params":3}', '`params` must be an object or an array'],
		['{"jsonrpc":"2.0","id":null,"method":"a"}', '`id` must be a string or a number'],
		['{"jsonrpc":"2.0","id":{},"method":"a"}', '`id` must be a string or a number'],
		['{"jsonrpc":"2.0","result":1}', 'a response needs an `id`'],
		['{"jsonrpc":"2.0","id":1,"error":"no"}', '`error` must be an object'],
		['{"jsonrpc":"2.0"}', 'a message needs a `method`, a `result` or an `error`'],
	])('refuses %s', (text, reason) => {
		expect(read(text)).toMatchObject({ kind: 'invalid', reason });
	});

	it('never throws, whatever the JSON value', () => {
		fc.assert(fc.property(fc.jsonValue(), (value) => void readMessage(value, JSON.stringify(value))));
	});
});

describe('ids', () => {
	it.each([
		'1',
		'-7',
		'"a\\"b"',
		'""',
		'9007199254740993',
		'12345678901234567890',
		'1.5',
		'1e400',
		'-0.10000000000000000001',
	])('%s is echoed exactly', (id) => {
		const message = read(`{"params":{"id":3},"jsonrpc":"2.0", "id" : ${id} ,"method":"a"}`);
		const echoed = message.kind === 'request' ? encodeResult(message.message.id, {}) : '';
		expect(echoed).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
	});

	it('are distinguished by type and by every digit', () => {
		const ids: Id[] = [1, '1', new ExactNumber('9007199254740993'), new ExactNumber('9007199254740992')];
		expect(new Set(ids.map(idKey)).size).toBe(4);
	});

	it('are found at the start of an oversize line', () => {
		expect(idFromHead('{"jsonrpc":"2.0","id":7,"method":"x","par')).toEqual({ id: 7, isRequest: true });
		expect(idFromHead('{"jsonrpc":"2.0","id":"a b","result":{"x')).toEqual({ id: 'a b', isRequest: false });
		expect(idFromHead('{"jsonrpc":"2.0","id":9007199254740993,"result"')).toMatchObject({
			id: { text: '9007199254740993' },
		});
		expect(idFromHead('{"jsonrpc":"2.0","id":1.50,"method"')).toMatchObject({ id: { text: '1.50' } });
		expect(idFromHead('{"method":"x"')).toBeUndefined();
		for (const id of ['007', '"\\x"', '1.', '-', '1e', '1-2'])
			expect(idFromHead(`{"jsonrpc":"2.0","id":${id},"method":"x"`), id).toBeUndefined();
		expect(idFromHead('garbage')).toBeUndefined();
	});

	it('serialize to a number outside a message', () => {
		expect(JSON.stringify({ id: new ExactNumber('9007199254740993') })).toBe('{"id":9007199254740992}');
	});

	it('keep their digits anywhere in a message', () => {
		const exact = new ExactNumber('12345678901234567890');
		const params = { requestId: exact, _meta: [{ deep: exact }], text: '"exact:1"' };
		const said =
			'{"requestId":12345678901234567890,"_meta":[{"deep":12345678901234567890}],"text":"\\"exact:1\\""}';
		expect(encodeNotification('a', params)).toBe(`{"jsonrpc":"2.0","method":"a","params":${said}}`);
		expect(encodeRequest(1, 'a', params)).toBe(`{"jsonrpc":"2.0","id":1,"method":"a","params":${said}}`);
		expect(encodeResult(exact, params)).toBe(`{"jsonrpc":"2.0","id":${exact.text},"result":${said}}`);
		expect(encodeError(1, { code: 1, message: '', data: params })).toContain(said);
		const circle: Record<string, unknown> = {};
		circle['circle'] = circle;
		expect(() => encodeResult(1, circle)).toThrow(TypeError);
		expect(JSON.stringify(exact)).toBe('12345678901234567000');
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

describe('memberText', () => {
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
					const text = memberText(JSON.stringify(object, null, space), key);
					expect(JSON.parse(text ?? 'null')).toEqual(object[key]);
				},
			),
		);
	});

	it('takes the last of two, and finds nothing where there is nothing', () => {
		expect(memberText('{"a":1,"b":{"a":2},"a":[3, "}"]}', 'a')).toBe('[3, "}"]');
		expect(memberText('{"b":{"a":2},"c":"a"}', 'a')).toBeUndefined();
	});

	it('follows a path of keys', () => {
		const text = '{"params":{"id":1,"_meta":{"token":1.50}},"token":2}';
		expect(memberText(text, 'params', '_meta', 'token')).toBe('1.50');
		expect(memberText(text, 'params', 'token')).toBeUndefined();
		expect(memberText(text, 'absent', 'token')).toBeUndefined();
	});

	it('scans a huge line without trouble', () => {
		const text = `{"a":"${'\\"x'.repeat(3_000_000)}","id":1.50}`;
		expect(memberText(text, 'id')).toBe('1.50');
	});
});

describe('encoding', () => {
	it('keeps the key order jsonrpc, id, then the rest, on one line', () => {
		expect(encodeRequest(1, 'a/b', { x: 'line\nbreak' })).toBe(
			'{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"x":"line\\nbreak"}}',
		);
		expect(encodeNotification('n', undefined)).toBe('{"jsonrpc":"2.0","method":"n"}');
		expect(encodeResult('x', undefined)).toBe('{"jsonrpc":"2.0","id":"x","result":null}');
	});

	it('writes an unknown id as null, or leaves it out for peers that refuse null', () => {
		const error = { code: -32700, message: 'bad' };
		expect(encodeError(null, error)).toBe(
			'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}',
		);
		expect(encodeError(undefined, error)).toBe('{"jsonrpc":"2.0","error":{"code":-32700,"message":"bad"}}');
	});

	it('leaves params out when they are absent or no JSON value', () => {
		expect(encodeRequest(1, 'a', undefined)).toBe('{"jsonrpc":"2.0","id":1,"method":"a"}');
		expect(encodeRequest(1, 'a', () => {})).toBe('{"jsonrpc":"2.0","id":1,"method":"a"}');
	});
});

describe('parseJson', () => {
	it('skips a byte order mark', () => {
		expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
	});
});

function read(text: string): ReturnType<typeof readMessage> {
	return readMessage(parseJson(text), text);
}
