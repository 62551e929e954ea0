/* A JSON Schema as a form, and what is entered into it. */
import { describe, expect, it } from 'vitest';
import { formOf, type JsonSchema } from '../../../src/dashboard/page/form/form-field.ts';
import {
	initialDraft,
	problemsOf,
	Unparsed,
	valueAt,
	variantOf,
	withValue,
} from '../../../src/dashboard/page/form/form-value.ts';

const object = (properties: object, required: string[] = []): JsonSchema => ({
	type: 'object',
	properties,
	required,
});

describe('the form of a schema', () => {
	it.each([
		[{ type: 'string' }, 'text'],
		[{ type: 'integer' }, 'number'],
		[{ type: 'boolean' }, 'boolean'],
		[{ enum: ['a', 1] }, 'choice'],
		[{ oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, 'choice'],
		[{ anyOf: [{ type: 'number' }, { type: 'null' }] }, 'number'],
		[{ type: ['string', 'null'] }, 'text'],
		[{ type: 'array', items: { enum: ['a'] } }, 'choices'],
		[{ type: 'array', items: { type: 'string' } }, 'list'],
		[{ type: 'object', properties: { a: {} } }, 'group'],
		[{ type: 'object' }, 'json'],
		[{ oneOf: [{ type: 'string' }, { type: 'object' }] }, 'variants'],
		[{ oneOf: [{ type: 'string' }, { type: 'object' }], not: {} }, 'json'],
		[{ type: 'object', anyOf: [{ required: ['a'] }, { properties: { b: {} } }] }, 'variants'],
		[{ allOf: [{ type: 'string' }] }, 'json'],
		[{ $ref: '#/properties/other' }, 'number'],
		[{ $ref: 'http://other.example/schema' }, 'json'],
		[true, 'json'],
		['no schema', 'json'],
	])('shows %j as %s', (schema, kind) => {
		const field = formOf(object({ field: schema, other: { type: 'number' } }));
		expect(field.fields.find(({ name }) => name === 'field')?.kind).toBe(kind);
	});

	it('ends for a schema that refers to itself', () => {
		const schema = { ...object({ child: { $ref: '#' } }), $defs: { loop: { $ref: '#/$defs/loop' } } };
		expect(JSON.stringify(formOf(schema))).toContain('"json"');
		expect(formOf(object({ a: { $ref: '#/$defs/loop' } })).fields[0]?.kind).toBe('json');
	});

	it('is small for a schema that refers to itself many times, and its own fields are all there', () => {
		const names = Array.from({ length: 20 }, (_, at) => `field${at}`);
		const all = object(Object.fromEntries(names.map((name) => [name, { $ref: '#' }])));
		expect(JSON.stringify(formOf(all)).length).toBeLessThan(5_000_000);
		expect(formOf(all).fields.map(({ name }) => name)).toEqual(names);
		const variants = { oneOf: names.map(() => ({ $ref: '#/$defs/many' })).slice(0, 12) };
		const one = { ...object({ field: { $ref: '#/$defs/many' } }), $defs: { many: variants } };
		expect(JSON.stringify(formOf(one)).length).toBeLessThan(5_000_000);
	});

	it('takes a reference that is no URI for one to nothing', () => {
		expect(formOf(object({ a: { $ref: '#/%E0%A4' } })).fields[0]?.kind).toBe('json');
	});

	it('puts what is required first', () => {
		const field = formOf(object({ a: {}, b: {}, c: {} }, ['c']));
		expect(field.fields.map(({ name }) => name)).toEqual(['c', 'a', 'b']);
	});
});

describe('what is entered', () => {
	it('is nothing for a field that is called as every object has it', () => {
		const named = formOf(object({ constructor: { type: 'string' }, toString: { type: 'string' } }));
		for (const { name } of named.fields) expect(valueAt(initialDraft(named), [name])).toBeUndefined();
	});

	const schema = object(
		{
			name: { type: 'string', minLength: 2 },
			age: { type: 'integer', minimum: 0, default: 30 },
			tags: { type: 'array', items: { type: 'string' }, maxItems: 1 },
			place: object({ city: { type: 'string' } }, ['city']),
		},
		['name', 'place'],
	);
	const field = formOf(schema);

	it('begins with defaults and required groups', () => {
		expect(initialDraft(field)).toEqual({ age: 30, place: {} });
	});

	it('has a problem beside each field that is wrong', () => {
		const draft = { name: 'A', age: 1.5, tags: ['a', 'b'], place: {} };
		expect([...problemsOf(field, draft)]).toEqual([
			['/name', 'At least 2 characters.'],
			['/place/city', 'Required.'],
			['/age', 'Enter a whole number.'],
			['/tags', 'At most 1 item.'],
		]);
		expect(problemsOf(field, { name: 'Ada', age: new Unparsed('x'), place: { city: 'B' } })).toEqual(
			new Map([['/age', 'Enter a number.']]),
		);
	});

	it('has alternatives, each with what stands beside them, and checks the one that fits', () => {
		const one = object({ kind: { const: 'file' }, path: { type: 'string', minLength: 3 } }, ['kind', 'path']);
		const other = object({ kind: { const: 'page' }, url: { type: 'string' } }, ['kind', 'url']);
		const shape = { ...object({ note: { type: 'string' } }), oneOf: [one, other] };
		const alternatives = formOf(object({ source: shape }, ['source'])).fields[0];
		if (!alternatives) throw new Error('no field');
		expect(alternatives.variants?.map(({ fields }) => fields.map(({ name }) => name))).toEqual([
			['kind', 'path', 'note'],
			['kind', 'url', 'note'],
		]);
		expect(initialDraft(alternatives)).toEqual({ kind: 'file' });
		expect(variantOf(alternatives, { kind: 'page' })).toBe(1);
		expect(problemsOf(alternatives, { kind: 'page' })).toEqual(new Map([['/url', 'Required.']]));
		expect(problemsOf(alternatives, { kind: 'file', path: 'a' })).toEqual(
			new Map([['/path', 'At least 3 characters.']]),
		);
	});

	it('changes at a path without changing the rest, whatever the names are', () => {
		const draft = withValue({ a: { b: 1 } }, ['a', '__proto__'], 2);
		expect(valueAt(draft, ['a', 'b'])).toBe(1);
		expect(Object.hasOwn(valueAt(draft, ['a']) as object, '__proto__')).toBe(true);
		expect(Object.getPrototypeOf(valueAt(draft, ['a']))).toBe(Object.prototype);
		expect(withValue({ list: [1, 2, 3] }, ['list', 1], undefined)).toEqual({ list: [1, 3] });
		expect(withValue({ a: 1 }, ['a'], undefined)).toEqual({});
	});
});
