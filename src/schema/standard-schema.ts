/*
 * Standard Schema (standardschema.dev): the interface that zod, valibot, arktype and
 * others share. We depend on none of them: a schema with `~standard` validates, and
 * produces its JSON Schema where its library supports that.
 */
import { OrchestraError } from '../errors.ts';
import { isObject, type JsonObject } from '../wire/json.ts';

/** A schema of any library that implements Standard Schema 1. */
export interface StandardSchema<Input = unknown, Output = Input> {
	readonly '~standard': {
		readonly version: 1;
		readonly vendor: string;
		readonly validate: (value: unknown) => StandardOutcome | Promise<StandardOutcome>;
		readonly types?: { readonly input: Input; readonly output: Output } | undefined;
	};
}

/** The result of a Standard Schema: the transformed value, or the issues. */
export type StandardOutcome =
	| { readonly value: unknown; readonly issues?: undefined }
	| { readonly issues: readonly StandardIssue[] };

/** One reason why a value does not fit. */
export interface StandardIssue {
	readonly message: string;
	readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The dialect of JSON Schema that MCP and this package use. */
const JSON_SCHEMA_DIALECT = 'draft-2020-12';

export function isStandardSchema(schema: object): schema is StandardSchema {
	return '~standard' in schema;
}

/** The JSON Schema of a tool that clients see. Throws `bad_input` for what is no schema, or has no JSON Schema. */
export function jsonSchemaOf(schema: unknown, side: 'input' | 'output', tool: string): JsonObject {
	if (!isObject(schema) && typeof schema !== 'function')
		throw new OrchestraError('bad_input', `the ${side} schema of the tool ${tool} is a ${typeof schema}`, {
			hint: 'Give a JSON Schema, or a schema of a library that implements Standard Schema.',
		});
	// A JSON Schema written in JavaScript is an object of JSON values.
	if (!isStandardSchema(schema)) return schema as JsonObject;
	const { vendor } = schema['~standard'];
	const convert: unknown = Reflect.get(schema['~standard'], 'jsonSchema');
	const convertSide: unknown = isObject(convert) ? convert[side] : undefined;
	const converted: unknown =
		typeof convertSide === 'function' ? convertSide({ target: JSON_SCHEMA_DIALECT }) : undefined;
	if (isObject(converted)) return converted as JsonObject;
	throw new OrchestraError('bad_input', `tool ${tool}: a schema of ${vendor} has no JSON Schema`, {
		hint: `Use a version of ${vendor} with Standard JSON Schema support, or convert the schema to JSON Schema first.`,
		data: { vendor },
	});
}

/** The issues as sentences that name the path: `arguments.city must be a string`. */
export function describeIssues(issues: readonly StandardIssue[], name: string): string[] {
	return issues.map(({ message, path = [] }) => `${[name, ...path.map(keyOf)].join('.')}: ${message}`);
}

function keyOf(step: PropertyKey | { readonly key: PropertyKey }): string {
	return String(typeof step === 'object' ? step.key : step);
}
