import { describe, expect, it } from 'vitest';
import { compile, validate } from '../../src/schema/validate.ts';
import type { JsonObject, JsonValue } from '../../src/wire/json.ts';

describe('validate', () => {
	it.each([
		['pattern', { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }],
		['patternProperties', { patternProperties: { '^(a+)+$': false } }],
		['propertyNames', { propertyNames: { pattern: '^(a+)+$' } }],
	])('ends in bounded time whatever the %s does', async (_, schema) => {
		const hostile = `${'a'.repeat(200)}!`;
		await validate(schema, { a: hostile, [hostile]: 1 }, 'arguments');
	});

	it('says which field does not match its pattern', async () => {
		const schema = { properties: { a: { type: 'string', pattern: '^b+$' } } };
		expect(await validate(schema, { a: 'c' }, 'arguments')).toEqual([
			'arguments.a must match pattern "^b+$"',
		]);
		expect(await validate(schema, { a: 'bb' }, 'arguments')).toEqual([]);
	});

	it('refuses a schema whose pattern cannot be bounded, naming the pattern', async () => {
		await expect(compile({ properties: { a: { pattern: '^(a)\\1$' } } })).rejects.toMatchObject({
			code: 'bad_input',
			message: expect.stringContaining('has a backreference'),
		});
	});

	it.each<[string, JsonObject, string]>([
		['nests too deep', nested(200), 'nested deeper than 64 levels'],
		['has too many schemas', { properties: many(2_100, {}) }, 'more than 2000 schemas'],
		[
			'has too many alternatives',
			{ oneOf: Array.from({ length: 300 }, () => ({})) },
			'more than 200 alternatives',
		],
		['has too long a chain of references', chain(300), 'more than 200 targets'],
	])('refuses a schema that %s', async (_, schema, why) => {
		await expect(compile(schema)).rejects.toMatchObject({
			code: 'bad_input',
			message: expect.stringContaining(why),
		});
	});

	it('refuses a value that a recursive schema would check without end', async () => {
		const tree = { type: 'array', items: { $ref: '#/$defs/tree' } };
		const schema: JsonObject = {
			$defs: { tree: { anyOf: [tree, { ...tree, minItems: 1 }] } },
			$ref: '#/$defs/tree',
		};
		let value: JsonValue = 'leaf';
		for (let depth = 0; depth < 50; depth++) value = [value];
		expect(await validate(schema, value, 'arguments')).toEqual([expect.stringContaining('100000 steps')]);
		expect(await validate(schema, [[], [[]]], 'arguments')).toEqual([]);
	});

	it('refuses a value that nests too deep, whatever the schema says', async () => {
		let value: JsonValue = 1;
		for (let depth = 0; depth < 5_000; depth++) value = { a: value };
		const schema = { properties: { a: { $ref: '#' } }, type: 'object' };
		expect(await validate(schema, value, 'arguments')).toEqual(['arguments: nested deeper than 64 levels']);
	});

	it('compares unique items by value, in time that grows with their number', async () => {
		const schema = { uniqueItems: true };
		const items = Array.from({ length: 50_000 }, (_, at) => ({ at, b: 1 }));
		expect(await validate(schema, items, 'list')).toEqual([]);
		expect(await validate(schema, [...items, { b: 1, at: 7 }], 'list')).toEqual([
			'list must not hold equal items',
		]);
	});

	it('keeps what looks like a reference inside of data as it is', async () => {
		const schema = { const: { $ref: 'x' }, properties: { const: true, enum: true } };
		expect(await validate(schema, { $ref: 'x' }, 'value')).toEqual([]);
	});
});

function nested(depth: number): JsonObject {
	let schema: JsonObject = { type: 'string' };
	for (let at = 0; at < depth; at++) schema = { properties: { a: schema } };
	return schema;
}

function many(count: number, schema: JsonObject): JsonObject {
	return Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema]));
}

function chain(length: number): JsonObject {
	const links = Array.from({ length }, (_, at) => [`d${at}`, { not: { $ref: `#/$defs/d${at + 1}` } }]);
	return { $defs: { ...Object.fromEntries(links), [`d${length}`]: {} }, $ref: '#/$defs/d0' };
}
