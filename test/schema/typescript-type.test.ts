import { expect, it } from 'vitest';
import { docComment, typescriptType } from '../../src/schema/typescript-type.ts';

it.each([
	[{ type: 'string' }, 'string'],
	[{ type: ['integer', 'null'] }, 'number | null'],
	[{ enum: ['a', 1, null] }, '"a" | 1 | null'],
	[{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, '(string | number)[]'],
	[{ type: 'object' }, 'Record<string, unknown>'],
	[{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
	[{ type: 'object', properties: { 'a-b': { type: 'boolean' } } }, '{\n\t"a-b"?: boolean;\n}'],
	[{ type: 'object', required: ['a'] }, '{\n\ta: unknown;\n}'],
	[{ allOf: [{ type: 'string' }, {}] }, 'string'],
	[{}, 'unknown'],
])('writes %j as %s', (schema, type) => {
	expect(typescriptType(schema)).toBe(type);
});

it('ends for a schema that refers to itself', () => {
	const schema = { type: 'object', properties: { child: { $ref: '#' } } };
	expect(typescriptType(schema).length).toBeLessThan(2000);
});

it('keeps a description inside of its comment', () => {
	expect(docComment('a */ process.exit() /*\u2028 b', 0)).toBe('/** a *\\/ process.exit() /* b */\n');
});
