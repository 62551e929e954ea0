/* The quick look at a message must never see anything else than a parser does. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	canceledId,
	clientMessage,
	type Head,
	hubHead,
	readHead,
	withId,
} from '../../src/bridge/message-head.ts';
import { metaOf } from '../../src/protocol/meta.ts';
import { parseJson } from '../../src/wire/json.ts';
import { readMessage } from '../../src/wire/json-rpc.ts';

const id = fc.oneof(fc.integer(), fc.string(), fc.maxSafeInteger());
const method = fc.oneof(fc.constantFrom('tools/call', 'ping', 'notifications/x'), fc.string());
const params = fc.dictionary(fc.string(), fc.jsonValue());

describe('clientMessage', () => {
	it('sees the same as a parser, in every message and in every mutation of it', () => {
		const value = fc.oneof(params, fc.jsonValue());
		const cut = fc.record({ at: fc.nat(), remove: fc.nat(3), insert: fc.string({ maxLength: 2 }) });
		fc.assert(
			fc.property(id, method, value, orders(4), cut, (id, method, params, order, { at, remove, insert }) => {
				const text = ordered({ jsonrpc: '2.0', id, method, params }, order);
				const place = at % text.length;
				for (const each of [text, text.slice(0, place) + insert + text.slice(place + remove)])
					expect(kindOf(clientMessage(each).head)).toEqual(parserKind(each));
			}),
		);
	});

	it('is modern with a version or capabilities in its `_meta`', () => {
		for (const name of ['protocolVersion', 'clientCapabilities']) {
			const text = `{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{"io.modelcontextprotocol/${name}":null}}}`;
			expect(clientMessage(text).head).toMatchObject({ kind: 'request', isModern: true });
		}
	});

	it('sends a request that two parsers may read differently as its parsed value, and others as they came', () => {
		const one = '{"jsonrpc":"2.0","id":1,"method":"m","params":{"n":1.0,"a":{"b":1,"\\u0062":2}}}';
		const value = '{"jsonrpc":"2.0","id":1,"method":"m","params":{"n":1,"a":{"b":2}}}';
		expect(clientMessage(one).text).toBe(value);
		expect(clientMessage(`[${one}]`).text).toBe(`[${value}]`);
		const long = '{"jsonrpc":"2.0","id":7,"method":"m","id":9007199254740993}';
		expect(clientMessage(long).text).toBe('{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}');
		for (const text of ['{"jsonrpc":"2.0","id":1,"result":{"a":1.0,"a":2}}', '[ {"id":1.0, "method":"m"} ]'])
			expect(clientMessage(text).text).toBe(text);
	});
});

/** A parser gives another reason than a scan for the same invalid text. */
function kindOf(head: Head): unknown {
	return head.kind === 'invalid' ? { kind: 'invalid', id: head.id, code: head.error.code } : head;
}

/** The same from the parsed value. */
function parserKind(text: string): unknown {
	let value: unknown;
	try {
		value = parseJson(text);
	} catch {
		return text.trim() === '' ? { kind: 'blank' } : { kind: 'invalid', id: undefined, code: -32700 };
	}
	const read = readMessage(value, text);
	if (read.kind === 'invalid')
		return read.isNotification
			? { kind: 'blank' }
			: { kind: 'invalid', id: read.id ?? undefined, code: -32600 };
	if (read.kind === 'response') {
		const { id, error } = read.message;
		const bare = read.isBare ? { isBare: true } : {};
		return { kind: 'response', id: id ?? 'null', isResult: error === undefined, ...bare };
	}
	const { method, params } = read.message;
	if (read.kind === 'notification') return { kind: 'notification', method };
	const names = Object.keys(metaOf(params)).filter((name) => name.startsWith('io.modelcontextprotocol/'));
	return { kind: 'request', id: read.message.id, method, isModern: names.length > 0 };
}

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
			expect(readHead(text)).toMatchObject({ kind: 'invalid', id: undefined });
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
				{ kind: 'invalid', id: undefined, error: expect.anything() },
			],
		});
		expect(readHead('[{"jsonrpc":"2.0","id":9007199254740993,"result":{}}]')).toMatchObject({
			parts: [{ id: '9007199254740993' }],
		});
	});
});

describe('a message of a hub', () => {
	it('has the same head when it is long, whatever the order of its keys', () => {
		const long = 'x'.repeat(5000);
		fc.assert(
			fc.property(id, fc.constantFrom('result', 'error', 'params'), orders(3), (id, key, order) => {
				const text = ordered({ jsonrpc: '2.0', id, [key]: { long } }, order);
				expect(hubHead(text)).toEqual(readHead(text));
			}),
		);
	});

	it('may be nested more deeply than a view goes', () => {
		const deep = `${'['.repeat(600)}${']'.repeat(600)}`;
		const request = `{"jsonrpc":"2.0","id":1,"method":"m","params":${deep}}`;
		expect(hubHead(request)).toEqual({ kind: 'request', id: '1', method: 'm', isModern: false });
		expect(clientMessage(`[${request}]`)).toMatchObject({ head: { parts: [{ id: '1' }] } });
	});

	it('has the last of two ids, as every parser does', () => {
		expect(hubHead('{"jsonrpc":"2.0","id":1,"method":"m","id":2}')).toMatchObject({ id: '2' });
	});

	it('is invalid with a syntax error in the middle of the line', () => {
		expect(hubHead('{"jsonrpc":"2.0","id":1,"method":"m","params":{x}}')).toMatchObject({
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
				const text = withId(ordered(message, order), JSON.stringify(to));
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
