/*
 * Arguments that a tool accepts, for the example of its signature and for hints: a value
 * that its schema gives (`examples`, `default`, `enum`), else the simplest of its type.
 */
import { quoted } from '../../printable.ts';
import {
	alternativesOf,
	propertiesOf,
	requiredOf,
	resolveSchema,
	type SchemaPlace,
	typesOf,
} from '../../schema/schema-types.ts';
import type { JsonObject, JsonValue } from '../../wire/json.ts';
import { EXAMPLE_DEPTH } from '../cli-limits.ts';

/** The arguments for every required key, quoted for a shell. */
export function exampleArgs(schema: JsonObject): string[] {
	const place: SchemaPlace = { schema, root: schema };
	const properties = propertiesOf(place);
	return requiredOf(place).map((name) =>
		exampleArg(name, properties.get(name) ?? { schema: {}, root: schema }),
	);
}

/** `key=value` with a value that fits, quoted for a shell. */
export function exampleArg(key: string, place: SchemaPlace): string {
	const value = exampleValue(key, place, 0);
	const types = typesOf(place);
	if (typeof value === 'string' && (types.length === 0 || types.includes('string'))) {
		// A value that begins with @ would name a file.
		return quoted(`${key}=${value.startsWith('@') ? '@' : ''}${value}`);
	}
	const isList = Array.isArray(value) && value.length > 0 && value.every(isPlainWord);
	if (isList && types.includes('array')) return quoted(`${key}=${value.join(',')}`);
	const isReadAsText = types.length === 0 || types.includes('string') || typeof value === 'string';
	return quoted(`${key}${isReadAsText ? ':=' : '='}${JSON.stringify(value)}`);
}

function isPlainWord(value: unknown): value is string | number | boolean {
	return (
		typeof value === 'number' ||
		typeof value === 'boolean' ||
		(typeof value === 'string' && /^[\w./-]+$/.test(value))
	);
}

function exampleValue(key: string, place: SchemaPlace, depth: number): JsonValue {
	const schema = resolveSchema(place);
	const given = [listed(schema['examples']), schema['default'], schema['const'], listed(schema['enum'])];
	const found = given.find((value) => value !== undefined && value !== null && value !== '');
	if (found !== undefined) return found as JsonValue; // a schema is JSON
	const [first = place] = alternativesOf(place);
	if (first !== place && depth < EXAMPLE_DEPTH) return exampleValue(key, first, depth + 1);
	const [type = 'string'] = typesOf(place);
	switch (type) {
		case 'integer':
		case 'number':
			return exampleNumber(schema, type === 'integer');
		case 'boolean':
			return true;
		case 'array':
			return [exampleValue(key, { schema: schema['items'], root: place.root }, depth + 1)];
		case 'object':
			return depth < EXAMPLE_DEPTH ? exampleObject(place, depth) : {};
		case 'null':
			return null;
		default:
			return exampleText(key, schema);
	}
}

function listed(values: unknown): unknown {
	return Array.isArray(values) ? values[0] : undefined;
}

function exampleNumber(schema: Readonly<Record<string, unknown>>, isInteger: boolean): number {
	const { minimum, exclusiveMinimum, maximum } = schema;
	const least =
		typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : 1;
	const value = isInteger ? Math.ceil(least) : least;
	return typeof maximum === 'number' ? Math.min(value, maximum) : value;
}

function exampleObject(place: SchemaPlace, depth: number): JsonObject {
	const properties = propertiesOf(place);
	return Object.fromEntries(
		requiredOf(place).map((name) => {
			return [name, exampleValue(name, properties.get(name) ?? { schema: {}, root: place.root }, depth + 1)];
		}),
	);
}

const formats: ReadonlyMap<unknown, string> = new Map([
	['email', 'you@example.com'],
	['uri', 'https://example.com/'],
	['url', 'https://example.com/'],
	['date', '2026-01-31'],
	['date-time', '2026-01-31T12:00:00Z'],
	['uuid', '00000000-0000-4000-8000-000000000000'],
]);

function exampleText(key: string, schema: Readonly<Record<string, unknown>>): string {
	const known = formats.get(schema['format']);
	if (known !== undefined) return known;
	if (/ur[li]$/i.test(key)) return 'https://example.com/';
	if (/path$|^(file|dir|directory|folder)$/i.test(key)) return '.';
	const { minLength } = schema;
	return 'text'.padEnd(typeof minLength === 'number' ? Math.min(minLength, 1000) : 0, 'x');
}
