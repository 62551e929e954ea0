import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forLegacy } from '../../src/mcp/server/adapt.ts';
import type { Result } from '../../src/protocol/mcp-types.ts';
import { SERVER_INFO } from '../../src/protocol/meta.ts';
import { negotiate } from '../../src/protocol/revisions.ts';
import { rpcError, toRpcError } from '../../src/rpc/rpc-error.ts';
import { losesDigits } from '../../src/wire/json.ts';
import { encodeError, encodeResult, readMessage } from '../../src/wire/json-rpc.ts';
import {
	rememberErrorText,
	rememberResultText,
	sourceTextOf,
	withInnerMember,
	withMembers,
	withoutMembersAt,
} from '../../src/wire/source-text.ts';

describe('the source text of a result', () => {
	it.each([
		['id first', '{"jsonrpc":"2.0","id":7,"result":{"big":12345678901234567890}}'],
		['result first', '{"result":{"big":12345678901234567890},"jsonrpc":"2.0","id":7}'],
	])('is written with all its digits when the response has the form: %s', (_form, response) => {
		const { result } = remembering(response);
		expect(encodeResult('a', result)).toBe(
			'{"jsonrpc":"2.0","id":"a","result":{"big":12345678901234567890}}',
		);
	});

	it.each([
		['white space', '{ "jsonrpc": "2.0", "id": 7, "result": {"a":1.0}}'],
		['another order', '{"id":7,"jsonrpc":"2.0","result":{"a":1.0}}'],
		['a member more', '{"jsonrpc":"2.0","id":7,"result":{"a":1.0},"trace":"x","x":{}}'],
		['the id again', '{"jsonrpc":"2.0","id":7,"result":{"a":2},"id":7,"result":{"a":1.0}}'],
		['an escaped name again', '{"jsonrpc":"2.0","id":7,"result":{"a":2},"\\u0069d":7,"result":{"a":1.0}}'],
	])('is that of the result alone for a response with %s', (_what, response) => {
		const { result } = remembering(response);
		expect(encodeResult(1, result)).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1.0}}');
	});

	it('is not kept when it has a line break', () => {
		const { result } = remembering('{"jsonrpc":"2.0","id":7,"result":{\n"a":1}}');
		expect(sourceTextOf(result)).toBeUndefined();
		expect(encodeResult(1, result)).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1}}');
	});

	it('is kept for a client of another era, without the members of a modern server or with them', () => {
		const inner = '{"structuredContent":{"id":12345678901234567890}';
		const meta = `"_meta":{"a":1.0,"${SERVER_INFO}":{"name":"child"}}`;
		const modern = `${inner}, "resultType":"complete",${meta},"ttlMs":5}`;
		const { result } = remembering(`{"jsonrpc":"2.0","id":7,"result":${modern}}`);
		const legacy = forLegacy(result as Result, negotiate('2025-11-25'));
		expect(encodeResult(1, legacy)).toContain(`"result":${inner},"_meta":{"a":1.0}}}`);
		expect(legacy).toEqual({ structuredContent: { id: 12345678901234567000 }, _meta: { a: 1 } });
		const named = withInnerMember(legacy, ['_meta', SERVER_INFO], { name: 'hub' });
		expect(sourceTextOf(named)).toBe(`${inner},"_meta":{"a":1.0,"${SERVER_INFO}":{"name":"hub"}}}`);
	});

	it('is kept for the data of an error too', () => {
		const text =
			'{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"m","data":{"id":12345678901234567890}}}';
		const read = readMessage(JSON.parse(text), text);
		const error = (read.kind === 'response' && read.message.error) || { code: 0, message: '' };
		rememberErrorText(error, text);
		expect(encodeError(7, toRpcError(rpcError(error.code, error.message, error.data)))).toBe(text);
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
					const paths = [Object.keys(value).slice(0, 1), Object.keys(members).slice(0, 2)];
					const rest = withoutMembersAt(
						extended,
						paths.filter(({ length }) => length > 0),
					);
					expect(JSON.parse(encodeResult(1, rest)).result).toEqual(JSON.parse(JSON.stringify(rest)));
				},
			),
		);
	});
});

describe('losesDigits', () => {
	it.each([
		'[123456789.123456789]',
		'[1e400]',
		'{"a":-1.5E-400}',
		'{"a":12345678901234567}',
		'[0.10000000000000001]',
	])('finds a number that a double cannot hold: %s', (text) => {
		expect(losesDigits(text)).toBe(true);
	});

	it.each(['[1e21]', '{"a":0.1}', '{"a":"3e4"}', '[123456789012345]'])('finds none in %s', (text) => {
		expect(losesDigits(text)).toBe(false);
	});
});

function remembered(result: Record<string, unknown>): Record<string, unknown> {
	rememberResultText(
		{ result, isPlain: true },
		`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(result)}}`,
		1,
	);
	expect(sourceTextOf(result)).toBeDefined();
	return result;
}

function remembering(text: string): { result: object } {
	const read = readMessage(JSON.parse(text), text);
	if (read.kind !== 'response') throw new Error(`a ${read.kind}`);
	rememberResultText(read.message, text, 7);
	return { result: Object(read.message.result) };
}
