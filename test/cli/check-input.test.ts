/* The words of a tool call: signatures, examples that are accepted, and what is said about wrong ones. */
import { describe, expect, it } from 'vitest';
import { checkInput } from '../../src/cli/input/check-input.ts';
import { exampleArgs } from '../../src/cli/input/example-args.ts';
import { typeText } from '../../src/schema/schema-text.ts';
import { signatureLine } from '../../src/schema/tool-signature.ts';
import { inputFromArgs } from '../../src/tool/input.ts';
import type { JsonObject } from '../../src/wire/json.ts';
import { thrownBy } from '../support/programs.ts';

const schema: JsonObject = {
	type: 'object',
	properties: {
		path: { type: 'string', description: 'The file\nto read' },
		head: { type: 'integer', minimum: 1, default: 10 },
		isDeep: { type: 'boolean' },
		mode: { enum: ['fast', 'slow'] },
		tags: { type: 'array', items: { type: 'integer' } },
		options: { type: 'object', properties: { depth: { type: 'integer' } }, required: ['depth'] },
		either: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
	},
	required: ['path', 'mode'],
};

describe('a signature', () => {
	it('has required parameters first, with types, defaults and fields of objects', () => {
		expect(signatureLine('read', schema)).toBe(
			'read(path: string, mode: "fast" | "slow", head?: integer = 10, isDeep?: boolean, tags?: integer[], ' +
				'options?: { depth: integer }, either?: integer | null)',
		);
	});

	it('ends for a schema that refers to itself', () => {
		const root: JsonObject = { properties: { a: { $ref: '#' }, b: { $ref: '#/properties/b' } } };
		expect(typeText({ schema: root, root })).toBe('any');
		expect(signatureLine('x', root)).toContain('a?: ');
		expect(signatureLine('x', { anyOf: [{ $ref: '#' }] })).toBe('x()');
	});
});

describe('an example', () => {
	it.each([
		[schema],
		[
			{
				properties: {
					n: { type: 'number', exclusiveMinimum: 5 },
					list: { type: 'array', items: { type: 'string' } },
				},
			},
		],
		[{ properties: { o: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } } }],
		[{ properties: { x: {}, y: { type: 'null' }, z: { type: ['integer', 'boolean'] } } }],
		[
			{
				properties: {
					all: {
						type: 'array',
						items: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
					},
				},
			},
		],
		[{ properties: { "it's": { enum: ['a b', "c'd"] }, mixed: { enum: [1, 'x'] } } }],
	] as [JsonObject][])('is accepted as it is typed: %j', (each) => {
		const all = { ...each, required: Object.keys(each['properties'] as JsonObject) };
		const words = exampleArgs(all).map(unquoted);
		expect(words).toHaveLength(all.required.length);
		checkInput({ tool: 'x', schema: all, values: inputFromArgs(words, all) });
	});
});

describe('wrong input', () => {
	const needed = ['path=a', 'mode=fast'];
	it.each([
		[['path=a', 'mode=fats'], 'mode is "fats"; expected: "fast" | "slow"', 'mode=fast'],
		[[...needed, 'head=ten'], 'head is "ten"; expected: integer', 'head=10'],
		[[...needed, 'head=1.5'], 'head is "1.5"; expected: integer', 'head=10'],
		[[...needed, 'isDeep=yes'], 'isDeep is "yes"; expected: boolean', 'isDeep=true'],
		[[...needed, 'tags=1,x'], 'tags.1 is "x"; expected: integer', 'tags?: integer[]'],
		[[...needed, 'options.depth=x'], 'options.depth is "x"; expected: integer', 'options.depth=1'],
		[[...needed, 'either=x'], 'either is "x"; expected: integer | null', 'either=1'],
		[[...needed, 'pth=x'], 'there is no parameter "pth"; did you mean path', 'read(path: string'],
		[['path=a'], 'the parameter mode must be given', 'mode=fast'],
		[[], 'the parameters path, mode must be given', 'read(path: string'],
	])('%j: %s', async (words, message, hint) => {
		const values = inputFromArgs(words, schema);
		const thrown = await thrownBy(() => checkInput({ tool: 'read', schema, values }));
		expect(thrown).toMatchObject({ code: 'bad_input', message, hint: expect.stringContaining(hint) });
	});

	it('is not what the schema does not speak of, nor an unknown key of --input', () => {
		checkInput({ tool: 'x', schema: { type: 'object' }, values: { any: 1 } });
		checkInput({ tool: 'x', schema: { properties: {}, additionalProperties: {} }, values: { any: 1 } });
		const values = { path: 'a', mode: 'fast', extra: 1 };
		checkInput({ tool: 'x', schema, values, rawKeys: ['extra'] });
	});
});

/** As a POSIX shell reads one word. */
function unquoted(word: string): string {
	return word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word;
}
