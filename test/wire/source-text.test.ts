import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeResult } from '../../src/wire/json-rpc.ts';
import { rememberResultText, sourceTextOf, withMembers } from '../../src/wire/source-text.ts';

describe('the source text of a result', () => {
	it.each([
		['id first', '{"jsonrpc":"2.0","id":7,"result":{"big":12345678901234567890}}'],
		['result first', '{"result":{"big":12345678901234567890},"jsonrpc":"2.0","id":7}'],
	])('is written with all its digits when the response has the form: %s', (_form, response) => {
		const { result } = JSON.parse(response);
		rememberResultText(result, response, 7);
		expect(encodeResult('a', result)).toBe(
			'{"jsonrpc":"2.0","id":"a","result":{"big":12345678901234567890}}',
		);
	});

	it.each([
		['another id', '{"jsonrpc":"2.0","id":8,"result":{"a":1}}'],
		['white space', '{ "jsonrpc":"2.0","id":7,"result":{"a":1}}'],
		['a line break', '{"jsonrpc":"2.0","id":7,"result":{\n"a":1}}'],
		['another order', '{"id":7,"jsonrpc":"2.0","result":{"a":1}}'],
	])('is not kept for a response with %s', (_what, response) => {
		const { result } = JSON.parse(response);
		rememberResultText(result, response, 7);
		expect(sourceTextOf(result)).toBeUndefined();
		expect(encodeResult(1, result)).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1}}');
	});

	it('does not follow a copy', () => {
		const result = remembered({ a: 1 });
		expect(sourceTextOf({ ...result })).toBeUndefined();
	});

	it('is the text of the same value, for any result and any members in front', () => {
		fc.assert(
			fc.property(
				fc.dictionary(fc.string(), fc.jsonValue()),
				fc.dictionary(fc.string(), fc.jsonValue()),
				(result, members) => {
					// JSON cannot hold a negative zero.
					const value = JSON.parse(JSON.stringify(result));
					const extended = withMembers(remembered(value), JSON.parse(JSON.stringify(members)));
					expect(JSON.parse(encodeResult(1, extended)).result).toEqual(JSON.parse(JSON.stringify(extended)));
				},
			),
		);
	});
});

function remembered(result: Record<string, unknown>): Record<string, unknown> {
	const response = `{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(result)}}`;
	rememberResultText(result, response, 1);
	expect(sourceTextOf(result)).toBeDefined();
	return result;
}
