/*
 * The official JSON Schema of every revision, where it is at hand: a folder named by
 * ORCHESTRA_MCP_SCHEMAS, or `shared/mcp/schema` beside the checkout. Without it
 * nothing is checked, and one line says so.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

const folder =
	process.env['ORCHESTRA_MCP_SCHEMAS'] ?? resolve(import.meta.dirname, '../../../shared/mcp/schema');

/** Whether messages can be checked. */
export const hasSchemas: boolean = existsSync(folder);
if (!hasSchemas) console.log(`MCP messages are not checked against the official schemas: no ${folder}`);

const compiled = new Map<string, ValidateFunction>();

/** What is wrong with `value` as a `definition` of this revision. */
export function schemaFaults(version: string, definition: string, value: unknown): string[] {
	if (!hasSchemas) return [];
	const name = `${version} ${definition}`;
	const check = compiled.get(name) ?? compile(version, definition);
	compiled.set(name, check);
	if (check(value)) return [];
	return (check.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath} ${message}`);
}

function compile(version: string, definition: string): ValidateFunction {
	const schema = JSON.parse(readFileSync(join(folder, `${version}.json`), 'utf8'));
	const options = { strict: false, validateFormats: false, logger: false } as const;
	const ajv = '$defs' in schema ? new Ajv2020(options) : new Ajv(options);
	return ajv.compile({ ...schema, $ref: `#/${'$defs' in schema ? '$defs' : 'definitions'}/${definition}` });
}
