/*
 * The input of a tool from words on a command line.
 *
 * `key=value` is split at the first `=`. Without a schema every value is a string;
 * with one, a value takes the type that the schema gives its key. A word that does
 * not fit its type stays a string, and the validation reports it.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue, parseJson } from '../wire/json.ts';

/** `key=value` words as an object. Throws `bad_input` for a word without `=`. */
export function inputFromWords(words: readonly string[], schema?: JsonObject): JsonObject {
	const input = new Map<string, JsonValue>();
	for (const word of words) {
		const at = word.indexOf('=');
		if (at < 1) {
			throw new OrchestraError('bad_input', `"${word}" is not an input of the form key=value`, {
				hint: 'Write for example name=World, or give a whole object with --input \'{"name":"World"}\'.',
			});
		}
		const key = word.slice(0, at);
		const value = typedValue(word.slice(at + 1), propertyOf(schema, key), input.get(key));
		input.set(key, value);
	}
	return Object.fromEntries(input);
}

/** The text of `--input` as an object. Throws `bad_input` naming `source`. */
export function inputFromJson(text: string, source: string): JsonObject {
	const fromFile = source === '--input' ? ' From a file: --input @file.json.' : '';
	const hint = `The input of a tool is one JSON object, for example {"name":"World"}.${fromFile}`;
	let value: unknown;
	try {
		value = parseJson(text);
	} catch (error) {
		throw new OrchestraError('bad_input', `${source} is not JSON: ${messageOf(error)}`, { hint });
	}
	if (isObject(value)) return value as JsonObject; // it came out of a JSON text
	throw new OrchestraError('bad_input', `${source} is not a JSON object`, { hint });
}

function propertyOf(schema: JsonObject | undefined, key: string): unknown {
	const properties = schema?.['properties'];
	if (isObject(properties) && Object.hasOwn(properties, key)) return properties[key];
	return schema?.['additionalProperties'];
}

function typedValue(text: string, schema: unknown, earlier: JsonValue | undefined): JsonValue {
	const types = typesOf(schema);
	if (types.includes('array')) return arrayValue(text, schema, earlier);
	if (types.length === 0 || types.includes('string')) return text;
	const value = parsed(text);
	return value !== undefined && types.includes(typeOf(value)) ? value : text;
}

/** A JSON array, or one more element: `tag=a tag=b`. */
function arrayValue(text: string, schema: unknown, earlier: JsonValue | undefined): JsonValue {
	const whole = text.startsWith('[') ? parsed(text) : undefined;
	if (Array.isArray(whole)) return whole;
	const element = typedValue(text, isObject(schema) ? schema['items'] : undefined, undefined);
	return Array.isArray(earlier) ? [...earlier, element] : [element];
}

function typesOf(schema: unknown): string[] {
	const type = isObject(schema) ? schema['type'] : undefined;
	if (typeof type === 'string') return type === 'integer' ? ['number'] : [type];
	return Array.isArray(type) ? type.map((name) => (name === 'integer' ? 'number' : String(name))) : [];
}

function typeOf(value: JsonValue): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'array' : typeof value;
}

function parsed(text: string): JsonValue | undefined {
	try {
		// Parsed JSON is a JSON value.
		return JSON.parse(text) as JsonValue;
	} catch {
		return undefined; // the validation reports it
	}
}
