import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import { unreachable } from '../../../src/transport/http/http-errors.ts';
import { headerValue } from '../../../src/transport/http/mcp-headers.ts';
import { errorIn, responseId, resultIn, splitBatch } from '../../../src/transport/http/response-messages.ts';

describe('responseId', () => {
	const long = 'x'.repeat(5000);
	const texts: [text: string, id: string | null | undefined][] = [
		['{"jsonrpc":"2.0","id":7,"result":{}}', '7'],
		['{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"x"}}', '"a"'],
		['{"result":{"id":1},"jsonrpc":"2.0","id":7}', '7'],
		['{"result":{"text":"\\",\\"id\\":9}"},"id":"x","jsonrpc":"2.0"}', '"x"'],
		['{"result":{},"jsonrpc":"2.0","id":"s"}', '"s"'],
		['{ "id" : 3, "jsonrpc" : "2.0", "result" : null }', '3'],
		['{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}', null],
		['{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}', null],
		['{"jsonrpc":"2.0","id":1,"method":"ping"}', undefined],
		['{"method":"ping","jsonrpc":"2.0","id":1}', undefined],
		['{"jsonrpc":"2.0","method":"notifications/x","params":{"id":1}}', undefined],
		['{"jsonrpc":"2.0","result":{}}', undefined],
		['{"jsonrpc":"2.0","id":7,"result":{"x', '7'],
		[`{"jsonrpc":"2.0","id":7,"result":"${long}"}`, '7'],
		[`{"result":"${long}","jsonrpc":"2.0","id":"s"}`, '"s"'],
		[`{"x":"${long}","jsonrpc":"2.0","id":1.50,"result":null}`, '1.50'],
		[`{"jsonrpc":"2.0","id":1,"method":"${long}"}`, undefined],
		['<html>', undefined],
		['[]', undefined],
	];
	for (const [text, id] of texts) {
		it(`is ${id} for ${text.replace(long, 'x…')}`, () => expect(responseId(text)).toBe(id));
	}
});

describe('other readers of a message', () => {
	it('split a batch and keep the text of its elements', () => {
		expect(splitBatch(' [{"a":1.0}, 2]')).toEqual(['{"a":1.0}', '2']);
		expect(splitBatch('[]')).toEqual([]);
		expect(splitBatch('[{"a":1},')).toEqual(['[{"a":1},']);
		expect(splitBatch('{"a":[]}')).toEqual(['{"a":[]}']);
	});

	it('find an error only in an error response', () => {
		expect(errorIn('{"error":{"code":1,"message":"m","data":2}}')).toEqual({
			code: 1,
			message: 'm',
			data: 2,
		});
		for (const text of [
			'{"error":"x"}',
			'{"error":{"code":"1"}}',
			'{"error":{},"result":1}',
			'"error"',
			'{"a":1}',
		])
			expect(errorIn(text)).toBeUndefined();
	});

	it('find a result only when it is an object', () => {
		expect(resultIn('{"result":{"a":1}}')).toEqual({ a: 1 });
		for (const text of ['{"result":1}', '1', 'x']) expect(resultIn(text)).toBeUndefined();
	});

	it('encode header values that ASCII cannot carry', () => {
		expect(headerValue('plain text')).toBe('plain text');
		for (const text of ['', ' a', 'a\n', 'é', '=?base64?YQ==?='])
			expect(Buffer.from(headerValue(text).slice(9, -2), 'base64').toString()).toBe(text);
	});
});

describe('unreachable', () => {
	const label = { url: 'http://x/mcp', name: 'x' };
	for (const [code, part] of [
		['ETIMEDOUT', 'no connection before the deadline'],
		['EHOSTUNREACH', 'no route'],
		['EAI_AGAIN', 'host name was not found'],
	]) {
		it(`explains ${code}, and that nothing was processed`, () => {
			const error = unreachable(label, Object.assign(new Error('no route'), { code }));
			expect(error.message).toContain(part);
			expect([error.hint !== undefined, error.data['outcome']]).toEqual([true, 'not_run']);
		});
	}

	it('accepts a cause without a code', () => {
		expect(OrchestraError.is(unreachable(label, 'odd'), 'io')).toBe(true);
	});
});
