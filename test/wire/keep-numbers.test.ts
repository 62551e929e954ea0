import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeJson } from '../../src/wire/json-rpc.ts';
import { keepNumbers } from '../../src/wire/keep-numbers.ts';

describe('keepNumbers', () => {
	it('lets our encoder write the same value, whatever it is', () => {
		fc.assert(
			fc.property(fc.json(), fc.constantFrom('', ' ', '\n'), (json, blank) => {
				const text = `{${blank}"big":12345678901234567890,"value":[${json}${blank}]}`;
				const value = kept(text);
				expect(encodeJson(value)).toBe(text.replaceAll('\n', ' '));
				expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
			}),
		);
	});

	it('keeps the numbers of a part inside a copy of what is above it', () => {
		const { name, ...rest } = kept('{"name":"a","schema":{"default":1.0},"list":[{"n":1e2}]}');
		expect(encodeJson({ name: `x${String(name)}`, ...rest })).toBe(
			'{"name":"xa","schema":{"default":1.0},"list":[{"n":1e2}]}',
		);
	});

	it('gives other encoders the current content', () => {
		const value = kept('{"name":"a","n":1.0}');
		value['name'] = 'b';
		expect(JSON.stringify(value)).toBe('{"name":"b","n":1}');
	});

	it('leaves a value alone that has a member toJSON of its own, or nothing to keep', () => {
		expect(encodeJson(kept('{"toJSON":"x","n":1.0}'))).toBe('{"toJSON":"x","n":1}');
		expect(Object.getOwnPropertyNames(kept('{"n":1}'))).toEqual(['n']);
	});
});

function kept(text: string): Record<string, unknown> {
	const value = JSON.parse(text) as Record<string, unknown>;
	keepNumbers(value, text);
	return value;
}
