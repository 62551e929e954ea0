import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { exactBytes, exactText, parseExact, readExact } from '../../src/plugin/exact-json.ts';

describe('exact JSON', () => {
	it('keeps every digit of an integer that a double would lose', () => {
		const text = '{"id":9007199254740993}';
		const sent = parseExact(text);
		const got = readExact(sent.value, exactBytes(sent, true));
		expect(exactText(got)).toBe(text);
	});

	it('adds no bytes when the Struct says it all, or the peer would ignore them', () => {
		expect(exactBytes(parseExact('{"id":42}'), true)).toHaveLength(0);
		expect(exactBytes(parseExact('{"id":9007199254740993}'), false)).toHaveLength(0);
	});

	it('returns any object unchanged', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
				const text = JSON.stringify(object);
				const sent = parseExact(text);
				const got = readExact(sent.value, exactBytes(sent, true));
				expect(JSON.parse(exactText(got))).toEqual(JSON.parse(text));
			}),
		);
	});

	it('refuses what is no object, and bytes that are no JSON', () => {
		for (const text of ['[1]', '1', 'null', '{', ''])
			expect(() => parseExact(text)).toThrowError(OrchestraError);
		expect(() => readExact({}, Uint8Array.of(0xff, 0xfe))).toThrowError(/damaged/);
	});
});
