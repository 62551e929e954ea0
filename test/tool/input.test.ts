import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainCheck } from '../../src/schema/plain-schema.ts';
import { validate } from '../../src/schema/validate.ts';
import { inputFromArgs, inputFromJson } from '../../src/tool/input.ts';
import { RUN_TIMEOUT_MS, runTimeoutMs } from '../../src/tool/run-limits.ts';
import { flatten, settingsOf } from '../../src/tool/settings.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { thrownBy } from '../support/programs.ts';
import { manifestOf } from '../support/tool-folder.ts';

const schema: JsonObject = {
	type: 'object',
	properties: {
		text: { type: 'string' },
		count: { type: 'integer' },
		isOn: { type: 'boolean' },
		tags: { type: 'array', items: { type: 'integer' } },
		any: { type: ['number', 'null'] },
		deep: { type: 'object' },
	},
};

describe('inputFromArgs', () => {
	it('splits at the first = and returns strings when there is no schema', () => {
		expect(inputFromArgs(['a=1', 'b=x=y', 'c='])).toEqual({ a: '1', b: 'x=y', c: '' });
	});

	it('converts each value to the type in the schema', () => {
		const words = [
			'text=1',
			'count=3',
			'isOn=true',
			'any=null',
			'deep={"a":1}',
			'tags=1',
			'tags=2',
			'other=9',
		];
		expect(inputFromArgs(words, schema)).toEqual({
			text: '1',
			count: 3,
			isOn: true,
			any: null,
			deep: { a: 1 },
			tags: [1, 2],
			other: '9',
		});
		expect(inputFromArgs(['tags=[4,5]'], schema)).toEqual({ tags: [4, 5] });
	});

	it('splits the elements of an array at commas, and adds those of a repeated key', () => {
		expect(inputFromArgs(['tags=1,2', 'tags=3'], schema)).toEqual({ tags: [1, 2, 3] });
		expect(inputFromArgs(['tags='], schema)).toEqual({ tags: [] });
		const objects: JsonObject = { properties: { list: { type: 'array', items: { type: 'object' } } } };
		expect(inputFromArgs(['list={"a":1,"b":2}'], objects)).toEqual({ list: [{ a: 1, b: 2 }] });
	});

	it('takes key:=json as it is, whatever the schema says', () => {
		expect(inputFromArgs(['text:=[1,"x"]', 'other:=null'], schema)).toEqual({ text: [1, 'x'], other: null });
		expect(() => inputFromArgs(['text:=[1'], schema)).toThrow('the value of text:= is not JSON');
	});

	it('puts the content of a file where a word names it, in the form that the schema wants', () => {
		const bytes = Buffer.from([0x89, 0xff, 0]);
		const forms: JsonObject = {
			properties: {
				text: { type: 'string' },
				image: { anyOf: [{ type: 'string', contentEncoding: 'base64' }, { type: 'null' }] },
				blob: { type: 'string', format: 'byte' },
				lines: { type: 'array', items: { type: 'string' } },
				options: { type: 'object' },
			},
		};
		const files = new Map([
			['text=@a', Buffer.from('1,2\n')],
			['image=@b', bytes],
			['blob=@b', bytes],
			['lines=@a', Buffer.from('1,2')],
			['options=@c', Buffer.from('{"a":1}')],
			['raw:=@c', Buffer.from('[1]')],
		]);
		expect(inputFromArgs([...files.keys(), 'lines=x', 'name=@@you'], forms, { files })).toEqual({
			text: '1,2\n',
			image: 'if8A',
			blob: 'if8A',
			lines: ['1,2', 'x'],
			options: { a: 1 },
			raw: [1],
			name: '@you',
		});
		const binary = { files: new Map([['text=@b', bytes]]) };
		expect(() => inputFromArgs(['text=@b'], forms, binary)).toThrow('the file of text is not UTF-8 text');
		expect(inputFromArgs(['text=@a', 'name=@@you'], forms)).toEqual({ text: '@a', name: '@@you' });
	});

	it('follows dots into an object that the schema has, and keeps them in any other key', () => {
		const nested: JsonObject = {
			properties: {
				options: { $ref: '#/$defs/options' },
				'a.b': { type: 'integer' },
				text: { type: 'string' },
			},
			$defs: { options: { type: 'object', properties: { depth: { type: 'integer' } } } },
		};
		expect(inputFromArgs(['options.depth=2', 'options.name=x', 'a.b=1', 'text.x=y'], nested)).toEqual({
			options: { depth: 2, name: 'x' },
			'a.b': 1,
			'text.x': 'y',
		});
		expect(inputFromArgs(['a.b.c=1'], { type: 'object' })).toEqual({ a: { b: { c: '1' } } });
	});

	it('lets arguments override the base, inside of its objects too', () => {
		const base = { text: 'old', tags: [9], deep: { kept: true, changed: 1 } };
		expect(inputFromArgs(['tags=1', 'deep.changed=2', 'deep.__proto__=x'], schema, { base })).toEqual({
			text: 'old',
			tags: [1],
			deep: JSON.parse('{"kept":true,"changed":"2","__proto__":"x"}'),
		});
		expect(base.deep).toEqual({ kept: true, changed: 1 });
	});

	it('finds the type behind references and alternatives', () => {
		const indirect: JsonObject = {
			properties: {
				level: { anyOf: [{ $ref: '#/$defs/level' }, { type: 'null' }] },
				kind: { enum: [1, 2] },
				self: { $ref: '#/properties/self' },
			},
			$defs: { level: { type: 'integer' } },
		};
		expect(inputFromArgs(['level=3', 'kind=2', 'self=1'], indirect)).toEqual({
			level: 3,
			kind: 2,
			self: '1',
		});
	});

	it('ends for a schema that refers to itself', () => {
		const schema = {
			$defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } },
			properties: { x: { $ref: '#/$defs/a' } },
		};
		expect(inputFromArgs(['x=text'], schema)).toEqual({ x: ['text'] });
		expect(inputFromArgs(['x=[[],[[]]]'], schema)).toEqual({ x: [[], [[]]] });
	});

	it('leaves a value of the wrong type as a string, for the validation to report', () => {
		expect(inputFromArgs(['count=many', 'isOn=1'], schema)).toEqual({ count: 'many', isOn: '1' });
	});

	it('refuses a word without = and an empty key', async () => {
		for (const word of ['lonely', '=x']) {
			expect(await thrownBy(() => inputFromArgs([word]))).toMatchObject({ code: 'bad_input' });
		}
	});

	it('keeps every key and value, for any arguments', () => {
		const word = fc.tuple(
			fc.string({ minLength: 1 }).filter((key) => !key.includes('=') && !/.:$/.test(key)),
			fc.string(),
		);
		fc.assert(
			fc.property(fc.uniqueArray(word, { selector: ([key]) => key }), (pairs) => {
				const input = inputFromArgs(pairs.map(([key, value]) => `${key}=${value}`));
				expect(Object.entries(input).length).toBe(pairs.length);
				for (const [key, value] of pairs)
					expect(Object.getOwnPropertyDescriptor(input, key)?.value).toBe(value);
			}),
		);
	});
});

describe('inputFromJson', () => {
	it('accepts one object and no other value', async () => {
		expect(inputFromJson('{"a":1}', '--input')).toEqual({ a: 1 });
		for (const text of ['[]', '3', 'null', '{', '']) {
			expect(await thrownBy(() => inputFromJson(text, '--input'))).toMatchObject({ code: 'bad_input' });
		}
	});
});

describe('validate', () => {
	it('names the path of each wrong field', async () => {
		const strict = { ...schema, required: ['text'], additionalProperties: false };
		const wrong = await validate(strict, { count: 'x', tags: [1, 'y'], zzz: 1 }, 'input');
		expect(wrong.sort()).toEqual([
			'input.count must be integer',
			'input.tags.1 must be integer',
			'input.text is required',
			'input.zzz is not a field of this tool',
		]);
		const choice = { properties: { a: { enum: ['x', 'y'] } } };
		expect(await validate(choice, { a: 'z' }, 'input')).toEqual(['input.a must be one of "x", "y"']);
	});

	it('supports the keywords of 2020-12, for any draft in $schema', async () => {
		const tuple = {
			$schema: 'http://json-schema.org/draft-07/schema#',
			properties: { a: { prefixItems: [{ type: 'string' }] } },
		};
		expect(await validate(tuple, { a: [1] }, 'input')).toEqual(['input.a.0 must be string']);
		expect(await validate(tuple, { a: ['x'] }, 'input')).toEqual([]);
	});

	it('reports an invalid schema', async () => {
		const broken = { properties: { a: { type: 'strnig' } } };
		expect(await thrownBy(() => validate(broken, { a: 1 }, 'input'))).toMatchObject({ code: 'bad_input' });
	});
});

describe('plainCheck', () => {
	const scalar = fc.oneof(
		fc.string({ maxLength: 3 }),
		fc.integer({ min: -3, max: 3 }),
		fc.boolean(),
		fc.constant(null),
		fc.double({ noNaN: true, noDefaultInfinity: true }),
	);
	const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
	const property = fc.record(
		{
			type,
			enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3, comparator: 'SameValueZero' }),
			minimum: fc.integer({ min: -2, max: 2 }),
			maximum: fc.integer({ min: -2, max: 2 }),
			minLength: fc.nat(2),
			maxLength: fc.nat(2),
			items: fc.record({ type }),
			pattern: fc.constant('a'),
			title: fc.constant('x'),
		},
		{ requiredKeys: [] },
	);
	const anySchema = fc.record(
		{
			type: fc.constant('object'),
			properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), property),
			required: fc.uniqueArray(fc.constantFrom('a', 'b')),
			additionalProperties: fc.boolean(),
		},
		{ requiredKeys: ['type'] },
	);
	const value = fc.dictionary(
		fc.constantFrom('a', 'b', 'c', 'd'),
		fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })),
	);

	it('never accepts a value that ajv rejects', () => {
		const library = new Ajv2020({ strict: false, logger: false });
		fc.assert(
			fc.property(anySchema, value, (schema, value) => {
				fc.pre(plainCheck(schema)(value));
				expect(library.validate(schema, value)).toBe(true);
			}),
			{ numRuns: 300 },
		);
	});

	it('accepts the plain cases itself, so that ajv is not loaded for them', () => {
		expect(plainCheck({ ...schema, additionalProperties: false })({ text: 'x', count: 3, tags: [1] })).toBe(
			true,
		);
		expect(plainCheck(schema)({ text: 3 })).toBe(false);
		expect(plainCheck({ oneOf: [{}] })({})).toBe(false);
	});
});

describe('settingsOf', () => {
	const tool = {
		...JSON.parse(manifestOf('x')),
		requiredConfig: ['azdo.token'],
		optionalConfig: ['azdo.org', 'flat.key', 'list'],
	};

	it('passes only declared keys, from flat and dotted spellings', () => {
		const config = { azdo: { token: 't', secret: 's' }, 'flat.key': 1, list: [1], other: 'no' };
		expect(settingsOf(tool, config)).toEqual({
			config: { 'azdo.token': 't', 'flat.key': 1, list: [1] },
			missing: [],
		});
		expect([...flatten({ a: { b: { c: 1 } } })]).toEqual([['a.b.c', 1]]);
	});

	it.each([{}, { azdo: {} }, { azdo: { token: null } }])('reports a missing required key in %j', (config) => {
		expect(settingsOf(tool, config).missing).toEqual(['azdo.token']);
	});
});

describe('runTimeoutMs', () => {
	it('is --timeout, else that of the configuration, the manifest, the default, 30 s, in this order', () => {
		const all = { requested: 1, byTool: { x: 2 }, manifest: 3, fallback: 4 };
		expect(runTimeoutMs('x', all)).toBe(1);
		expect(runTimeoutMs('x', { ...all, requested: undefined })).toBe(2);
		expect(runTimeoutMs('y', { ...all, requested: undefined })).toBe(3);
		expect(runTimeoutMs('y', { fallback: 4 })).toBe(4);
		expect(runTimeoutMs('y', {})).toBe(RUN_TIMEOUT_MS);
	});
});
