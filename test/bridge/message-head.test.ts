/* The quick look at a message must never see anything else than a parser does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canceledId, parseHead, readHead, withId } from '../../src/bridge/message-head.ts';

const id = fc.oneof(fc.integer(), fc.string(), fc.maxSafeInteger());
const method = fc.oneof(fc.constantFrom('tools/call', 'ping', 'notifications/x'), fc.string());
const params = fc.dictionary(fc.string(), fc.jsonValue());

describe('readHead', () => {
	it('sees the id and the method of a request, whatever the order of its keys', () => {
		fc.assert(
			fc.property(id, method, params, orders(4), (id, method, params, order) => {
				fc.pre(!method.startsWith('notifications/'));
				const text = ordered({ jsonrpc: '2.0', id, method, params }, order);
				expect(readHead(text)).toMatchObject({ kind: 'request', id: JSON.stringify(id), method });
			}),
		);
	});

	it('sees the id of an answer, and whether it is a result', () => {
		fc.assert(
			fc.property(id, fc.constantFrom('result', 'error'), params, orders(3), (id, key, value, order) => {
				const text = ordered({ jsonrpc: '2.0', id, [key]: value }, order);
				expect(readHead(text)).toEqual({
					kind: 'response',
					id: JSON.stringify(id),
					isResult: key === 'result',
				});
			}),
		);
	});

	it('is not misled by what stands inside the params', () => {
		const inner = { jsonrpc: '2.0', id: 9, method: 'other', text: ',"jsonrpc":"2.0","id":9}' };
		const outer = { method: 'tools/call', params: { inner, last: [inner] }, jsonrpc: '2.0', id: 1 };
		expect(readHead(JSON.stringify(outer))).toMatchObject({ kind: 'request', id: '1', method: 'tools/call' });
		const unusual = { method: 'm', id: 2, jsonrpc: '2.0', params: inner };
		expect(readHead(JSON.stringify(unusual))).toMatchObject({ kind: 'request', id: '2', method: 'm' });
	});

	it('never throws, and reports anything else as invalid', () => {
		fc.assert(fc.property(fc.string(), (text) => void readHead(text)));
		for (const text of ['{', '{}', '[', '[]', 'null', '{"jsonrpc":"2.0","id":1,"method":']) {
			expect(readHead(text)).toMatchObject({ kind: 'invalid', id: '' });
		}
		expect(readHead(' ')).toEqual({ kind: 'blank' });
	});

	it('takes no string with a raw control character for an id or a method', () => {
		for (const at of ['"id":"a\u0001","method":"m"', '"id":1,"method":"a\tb"']) {
			expect(readHead(`{"jsonrpc":"2.0",${at}}`)).toMatchObject({ kind: 'invalid', error: { code: -32700 } });
		}
	});

	it('keeps the digits of an id that no double holds', () => {
		const text = '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}';
		expect(readHead(text)).toMatchObject({ id: '9007199254740993' });
	});

	it('reads the parts of a batch', () => {
		expect(readHead('[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"b"},5]')).toEqual({
			kind: 'batch',
			parts: [
				{ kind: 'request', id: '1', method: 'a', isModern: false },
				{ kind: 'notification', method: 'b' },
				{ kind: 'invalid', id: '', error: expect.anything() },
			],
		});
		expect(readHead('[{"jsonrpc":"2.0","id":9007199254740993,"result":{}}]')).toMatchObject({
			parts: [{ id: '9007199254740993' }],
		});
	});
});

describe('parseHead', () => {
	it('takes the last of two ids, as every parser does', () => {
		expect(parseHead('{"jsonrpc":"2.0","id":1,"method":"m","id":2}')).toMatchObject({ id: '2' });
	});

	it('finds a syntax error in the middle of a line', () => {
		expect(parseHead('{"jsonrpc":"2.0","id":1,"method":"m","params":{x}}')).toMatchObject({
			kind: 'invalid',
			error: { code: -32700 },
		});
	});
});

describe('withId', () => {
	it('changes the id and nothing else', () => {
		fc.assert(
			fc.property(id, id, params, orders(4), (from, to, params, order) => {
				const message = { jsonrpc: '2.0', id: from, method: 'm', params };
				const text = withId(ordered(message, order), JSON.stringify(from), JSON.stringify(to));
				expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ ...message, id: to })));
			}),
		);
	});
});

describe('canceledId', () => {
	it('is the id in the params, and nothing for anything else', () => {
		const notice = (params: unknown): string =>
			JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
		expect(canceledId(notice({ requestId: 'a' }))).toBe('"a"');
		for (const params of [{}, null, { requestId: {} }, undefined])
			expect(canceledId(notice(params))).toBeUndefined();
		expect(canceledId('{')).toBeUndefined();
	});

	it('keeps every digit, so that it names the request that `readHead` named', () => {
		const id = '12345678901234567890';
		const notice = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;
		expect(canceledId(notice)).toBe(id);
		expect(readHead(`{"jsonrpc":"2.0","id":${id},"method":"tools/call"}`)).toMatchObject({ id });
	});
});

function orders(size: number): fc.Arbitrary<number[]> {
	const places = Array.from({ length: size }, (_, index) => index);
	return fc.shuffledSubarray(places, { minLength: size, maxLength: size });
}

function ordered(message: Record<string, unknown>, order: number[]): string {
	const entries = Object.entries(message);
	return JSON.stringify(Object.fromEntries(order.map((index) => entries[index] ?? ['', 0])));
}
