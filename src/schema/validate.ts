/*
 * Check a value against a JSON Schema (2020-12).
 *
 * The schema library is loaded when it is first needed, since loading it takes
 * longer than running most tools, and each schema is compiled once. The texts name
 * the path of each wrong field.
 */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { messageOf, OrchestraError } from '../errors.ts';
import type { JsonObject } from '../wire/json.ts';
import { type PlainCheck, plainCheck } from './plain-schema.ts';

const compiled = new WeakMap<JsonObject, Promise<ValidateFunction>>();
const plain = new WeakMap<JsonObject, PlainCheck>();

/** What is wrong with `value`, one sentence each; none when it is valid. Throws `bad_input` for a broken schema. */
export function validate(schema: JsonObject, value: unknown, name: string): string[] | Promise<string[]> {
	let isPlainlyValid = plain.get(schema);
	if (isPlainlyValid === undefined) {
		isPlainlyValid = plainCheck(schema);
		plain.set(schema, isPlainlyValid);
	}
	return isPlainlyValid(value) ? none : validateFully(schema, value, name);
}

const none: string[] = [];

async function validateFully(schema: JsonObject, value: unknown, name: string): Promise<string[]> {
	const check = await compile(schema);
	if (check(value)) return [];
	return [...new Set((check.errors ?? []).map((error) => sentence(error, name)))];
}

/** Compile a schema, to find out whether it is one. Throws `bad_input` saying why not. */
export function compile(schema: JsonObject): Promise<ValidateFunction> {
	const known = compiled.get(schema) ?? compileNew(schema);
	compiled.set(schema, known);
	return known;
}

async function compileNew(schema: JsonObject): Promise<ValidateFunction> {
	const { Ajv2020 } = await import('ajv/dist/2020.js');
	// A schema may name an older draft; it is read as 2020-12 all the same.
	const { $schema: _draft, ...rest } = schema;
	try {
		return new Ajv2020({ allErrors: true, strict: false, validateFormats: false, logger: false }).compile(
			rest,
		);
	} catch (error) {
		throw new OrchestraError('bad_input', `the schema is not JSON Schema 2020-12: ${messageOf(error)}`, {
			hint: 'Correct inputSchema or outputSchema in the manifest.',
		});
	}
}

function sentence(
	{ instancePath, keyword, params, message = 'is not valid' }: ErrorObject,
	name: string,
): string {
	const path = name + instancePath.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
	const extra: unknown = params['additionalProperty'];
	const allowed: unknown = params['allowedValues'];
	if (keyword === 'additionalProperties') return `${path}.${String(extra)} is not a field of this tool`;
	if (keyword === 'required') return `${path}.${String(params['missingProperty'])} is required`;
	if (Array.isArray(allowed))
		return `${path} must be one of ${allowed.map((v) => JSON.stringify(v)).join(', ')}`;
	return `${path} ${message}`;
}
