import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRequest, encodePluginRequest } from '../../src/plugin/codec.ts';
import { toolOf } from '../../src/plugin/mcp-translation.ts';
import { PROTOBUF_VALUE_LEVELS } from '../../src/plugin/plugin-limits.ts';
import type { JsonObject, JsonValue } from '../../src/wire/json.ts';

describe('nested arguments', () => {
	it.each(['object', 'array'])('of %ss survive up to the limit, and are refused beyond', (kind) => {
		const deepest = nested(PROTOBUF_VALUE_LEVELS, kind);
		const request = (value: JsonObject) =>
			({
				requestId: 'a',
				request: { case: 'toolCall', value: { toolName: 't', arguments: value } },
			}) as const;
		expect(decodeRequest(encodePluginRequest(request(deepest)))).toMatchObject(request(deepest));
		expect(() => encodePluginRequest(request(nested(PROTOBUF_VALUE_LEVELS + 5, kind)))).toThrow(
			`a value is nested deeper than ${PROTOBUF_VALUE_LEVELS} levels`,
		);
	});
});

describe('a schema that came as a Struct', () => {
	it('is the same bytes in whatever order its keys came', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
				// `jsonValue` makes JSON.
				const one = object as JsonObject;
				const other = shuffled(one) as JsonObject;
				expect(JSON.stringify(schemaOf(other))).toBe(JSON.stringify(schemaOf(one)));
				expect(schemaOf(one)).toEqual({ type: 'object', ...JSON.parse(JSON.stringify(one)) });
			}),
		);
	});

	it('is sorted in the list of tools', () => {
		const inputSchema = {
			required: ['a'],
			properties: { b: { type: 'string' }, a: { type: 'number' } },
			type: 'object',
		};
		expect(JSON.stringify(schemaOf(inputSchema))).toBe(
			'{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"string"}},"required":["a"]}',
		);
	});
});

function schemaOf(inputSchema: JsonObject): JsonObject {
	const $typeName = 'orchestra.plugin.v1.ToolDefinition';
	return toolOf({ $typeName, name: 't', description: '', inputSchema }).inputSchema;
}

function nested(depth: number, kind: string): JsonObject {
	let value: JsonValue = {};
	for (let n = 1; n < depth; n++) value = kind === 'array' ? [value] : { a: value };
	return { top: value };
}

function shuffled(value: JsonValue): JsonValue {
	if (Array.isArray(value)) return value.map(shuffled);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([key, inner]) => [key, shuffled(inner)]),
	);
}
