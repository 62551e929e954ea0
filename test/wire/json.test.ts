import { describe, expect, it } from 'vitest';
import { jsonObject, stringsOf } from '../../src/wire/json.ts';

describe('a value out of JSON', () => {
	it.each([
		['{"a":1}', { a: 1 }],
		['\uFEFF{}', {}],
		['[1]', undefined],
		['null', undefined],
		['{', undefined],
	])('%j has the object %j', (text, object) => {
		expect(jsonObject(text)).toEqual(object);
	});

	it.each([
		[
			['a', 1, 'b'],
			['a', 'b'],
		],
		['a', undefined],
	])('%j has the strings %j', (value, strings) => {
		expect(stringsOf(value)).toEqual(strings);
	});
});
