import { describe, expect, it } from 'vitest';
import { signatureLine } from '../../src/schema/tool-signature.ts';
import type { JsonObject } from '../../src/wire/json.ts';

describe('the signature of a tool', () => {
	it('keeps scalars and arrays of scalars below the depth of objects', () => {
		const leaf = {
			type: 'object',
			properties: {
				name: { type: 'string' },
				tags: { type: 'array', items: { type: 'string' } },
				rows: { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
				size: { anyOf: [{ type: 'number' }, { type: 'null' }] },
				list: { type: ['array', 'null'], items: { anyOf: [{ type: 'string' }, { type: 'boolean' }] } },
				more: { type: 'object', properties: { deep: { type: 'string' } } },
				others: { type: 'array', items: { type: 'object', properties: { deep: { type: 'string' } } } },
			},
		};
		const inner = { type: 'object', properties: { leaf } };
		const signature = signatureLine('t', { type: 'object', properties: { a: inner } });
		expect(signature).toBe(
			't(a?: { leaf?: { name?: string; tags?: string[]; rows?: integer[][]; size?: number | null; ' +
				'list?: (string | boolean)[] | null; more?: object; others?: object[] } })',
		);
	});

	it('ends for a schema that contains itself', () => {
		const schema = {
			type: 'object',
			properties: { all: { $ref: '#/$defs/list' }, one: { $ref: '#/$defs/union' } },
			$defs: {
				list: { type: 'array', items: { $ref: '#/$defs/list' } },
				union: { anyOf: [{ $ref: '#/$defs/union' }, { $ref: '#/$defs/list' }, { type: 'string' }] },
			},
		} as JsonObject;
		expect(signatureLine('t', schema)).toMatch(/^t\(all\?: object(\[\])+, one\?: .*string.*\)$/);
	});
});
