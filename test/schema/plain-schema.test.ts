import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainCheck } from '../../src/schema/plain-schema.ts';
import { validate } from '../../src/schema/validate.ts';

const flat = {
	type: 'object',
	properties: {
		text: { type: 'string', minLength: 2, maxLength: 3 },
		count: { type: 'integer', minimum: 1, maximum: 9 },
		kind: { enum: ['a', 1, null] },
		list: { type: 'array', items: { type: ['boolean', 'null'] } },
		rest: true,
	},
	required: ['text'],
	additionalProperties: false,
	description: 'all that is plain',
};

describe('plainCheck', () => {
	it('knows a flat object of typed properties', () => {
		const check = plainCheck(flat);
		expect(check({ text: '😀😀' })).toBe(true);
		expect(check({ text: 'abc', count: 9, kind: null, list: [true, null], rest: {} })).toBe(true);
		for (const wrong of [
			{},
			{ text: '😀' },
			{ text: 'abcd' },
			{ text: 'ab', count: 1.5 },
			{ text: 'ab', count: 0 },
			{ text: 'ab', count: 10 },
			{ text: 'ab', kind: 'b' },
			{ text: 'ab', list: [1] },
			{ text: 'ab', more: 1 },
			[],
			'text',
		])
			expect(check(wrong)).toBe(false);
	});

	it('leaves every keyword that it does not know to the library, and broken rules too', () => {
		for (const schema of [
			{ pattern: 'x' },
			{ $ref: '#' },
			{ constructor: 1 },
			{ type: 'strange' },
			{ enum: 5 },
			{ required: [5] },
			{ properties: 5 },
			{ additionalProperties: {} },
			{ minimum: 'x' },
			{ minLength: 'x' },
			{ items: { pattern: 'x' } },
			false,
			null,
		])
			expect(plainCheck(schema)('x')).toBe(false);
	});

	it('never calls valid what the library refuses', () => {
		const types = ['string', 'number', 'integer', 'object', 'array', 'null', 'boolean'];
		const given = {
			object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.oneof(fc.string(), fc.integer())),
			array: fc.array(fc.oneof(fc.integer(), fc.string({ maxLength: 2 })), { maxLength: 3 }),
			number: fc.oneof(fc.integer(), fc.double()),
			string: fc.string(),
			any: fc.jsonValue(),
		};
		const keywords = {
			type: fc.constantFrom(...types),
			enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }),
			required: fc.uniqueArray(fc.constantFrom('a', 'b', 'toString')),
			properties: fc.dictionary(
				fc.constantFrom('a', 'b'),
				fc.constantFrom({ type: 'string' }, { minimum: 2 }),
			),
			additionalProperties: fc.boolean(),
			items: fc.constantFrom({ type: 'integer' }, true),
			minimum: fc.integer(),
			maxLength: fc.nat(5),
		};
		const { type, required, properties, additionalProperties, items, minimum, maxLength } = keywords;
		const optional = { requiredKeys: [] };
		// Keywords of different types exclude each other, so most values are of the type that their schema is about.
		const pair = fc.oneof(
			fc.tuple(fc.record({ type, required, properties, additionalProperties }, optional), given.object),
			fc.tuple(fc.record({ type, items }, optional), given.array),
			fc.tuple(fc.record({ type, minimum }, optional), given.number),
			fc.tuple(fc.record({ type, maxLength }, optional), given.string),
			fc.tuple(fc.record(keywords, optional), given.any),
		);
		let compared = 0;
		fc.assert(
			fc.property(pair, ([schema, value]) => {
				if (!plainCheck(schema)(value)) return;
				expect(new Ajv2020({ strict: false }).compile(schema)(value)).toBe(true);
				compared++;
			}),
			{ numRuns: 500 },
		);
		expect(compared).toBeGreaterThan(15);
	});
});

describe('validate', () => {
	it('answers at once for plain schemas, and names every fault of a wrong value', async () => {
		expect(validate(flat, { text: 'ab' }, 'arguments')).toEqual([]);
		expect(await validate(flat, { text: 5, more: 1, kind: 'x' }, 'arguments')).toEqual(
			expect.arrayContaining([
				'arguments.text must be string',
				'arguments.more is not a field of this tool',
				'arguments.kind must be one of "a", 1, null',
			]),
		);
	});

	it('refuses an invalid schema', async () => {
		await expect(validate({ type: 'strange' }, 1, 'x')).rejects.toMatchObject({ code: 'bad_input' });
	});
});
