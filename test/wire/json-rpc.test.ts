import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/wire/json.ts';
import {
	encodeError,
	encodeNotification,
	encodeRequest,
	encodeResult,
	readMessage,
} from '../../src/wire/json-rpc.ts';

describe('readMessage', () => {
	it('classifies requests, notifications and responses', () => {
		expect(read('{"jsonrpc":"2.0","id":1,"method":"a"}')).toMatchObject({
			kind: 'request',
			message: { id: '1' },
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
		'-0',
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
		const ids = ['1', '"1"', '9007199254740993', '9007199254740992'].map((id) => {
			const message = read(`{"jsonrpc":"2.0","id":${id},"method":"a"}`);
			return message.kind === 'request' ? message.message.id : '';
		});
		expect(new Set(ids).size).toBe(4);
	});

	it('of one value are one id, however the value is escaped', () => {
		const first = read('{"jsonrpc":"2.0","id":"\\u0061\\/","method":"a"}');
		expect(first).toMatchObject({ message: { id: '"a/"' } });
	});

	it('of a message that is nested too deeply are those of the parsed value', () => {
		const deep = `${'['.repeat(600)}${']'.repeat(600)}`;
		const message = read(`{"jsonrpc":"2.0","id":1.50,"method":"a","params":${deep}}`);
		expect(message).toMatchObject({ message: { id: '1.5' } });
	});
});

describe('encoding', () => {
	it('keeps the key order jsonrpc, id, then the rest, on one line', () => {
		expect(encodeRequest(1, 'a/b', { x: 'line\nbreak' })).toBe(
			'{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"x":"line\\nbreak"}}',
		);
		expect(encodeNotification('n', undefined)).toBe('{"jsonrpc":"2.0","method":"n"}');
		expect(encodeResult('"x"', undefined)).toBe('{"jsonrpc":"2.0","id":"x","result":null}');
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
