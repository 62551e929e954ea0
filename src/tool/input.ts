/*
 * The input of a tool from arguments of a command line.
 *
 * `key=value` is split at the first `=`. Without a schema every value is a string;
 * with one, a value takes the type that the schema gives its key: `tags=a,b` is an
 * array, `a.b=1` a field of the object `a`. `key:=value` is JSON as it is. An arg that
 * does not fit its type stays a string, and the validation reports it.
 *
 * Where the caller reads files, `key=@file` is the content of a file (base64 where the
 * schema wants that), `key:=@file` its JSON, and `key=@@text` the text `@text`.
 */
import { isUtf8 } from 'node:buffer';
import { attempt, messageOf, OrchestraError } from '../errors.ts';
import {
	alternativesOf,
	isAllowedType,
	propertiesOf,
	resolveSchema,
	type SchemaPlace,
	typesOf,
} from '../schema/schema-types.ts';
import { isObject, type JsonObject, type JsonValue, parseJson } from '../wire/json.ts';

export interface ArgOptions {
	/** The object that the arguments are put on top of. */
	readonly base?: JsonObject;
	/** The content of the file of each arg for which `fileOfArg` has one. Without it `@` is a letter like others. */
	readonly files?: ReadonlyMap<string, Buffer>;
}

/** `key=value` arguments as an object. Throws `bad_input` for an argument without `=`. */
export function inputFromArgs(
	args: readonly string[],
	schema?: JsonObject,
	{ base = {}, files }: ArgOptions = {},
): JsonObject {
	const input: Branch = new Map(Object.entries(base));
	const given = new Map<string, JsonValue>();
	for (const arg of args) {
		const { key, text, isJson } = splitArg(arg);
		const { path, place } = placeOf(key, schema);
		const file = files?.get(arg);
		const plain = files !== undefined && text.startsWith('@@') ? text.slice(1) : text;
		const value = isJson
			? rawValue(key, file === undefined ? text : textOfFile(key, file))
			: file === undefined
				? typedValue(plain, place, given.get(key))
				: fileValue(key, file, place, given.get(key));
		given.set(key, value);
		put(input, path, value);
	}
	return objectOf(input);
}

/** The file that an arg names: `a.txt` of `key=@a.txt` and `key:=@a.txt`. */
export function fileOfArg(arg: string): string | undefined {
	const { text } = splitArg(arg);
	return /^@[^@]/.test(text) ? text.slice(1) : undefined;
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

interface Arg {
	readonly key: string;
	readonly text: string;
	/** Written `key:=json`. */
	readonly isJson: boolean;
}

function splitArg(arg: string): Arg {
	const at = arg.indexOf('=');
	const isJson = at > 1 && arg[at - 1] === ':';
	if (at >= 1) return { key: arg.slice(0, isJson ? at - 1 : at), text: arg.slice(at + 1), isJson };
	throw new OrchestraError('bad_input', `"${arg}" is not an input of the form key=value`, {
		hint: 'Write for example name=World, or give a whole object with --input \'{"name":"World"}\'.',
	});
}

function rawValue(key: string, text: string): JsonValue {
	try {
		return parseJson(text) as JsonValue; // it came out of a JSON text
	} catch (error) {
		throw new OrchestraError('bad_input', `the value of ${key}:= is not JSON: ${messageOf(error)}`, {
			hint: `Write for example ${key}:='["a",1]', or ${key}=text for a string.`,
		});
	}
}

interface Placed {
	readonly path: readonly string[];
	/** Undefined when nothing is known about the value. */
	readonly place: SchemaPlace | undefined;
}

/** Dots lead into an object where the schema has one; else they are part of the key. */
function placeOf(key: string, schema: JsonObject | undefined): Placed {
	if (schema === undefined) return { path: [key], place: undefined };
	const root: SchemaPlace = { schema, root: schema };
	const declared = propertiesOf(root);
	const path = key.split('.');
	const isNested = path.length > 1 && !path.includes('') && !declared.has(key);
	if (!isNested || (declared.size > 0 && !mayHoldFields(declared.get(path[0] ?? '')))) {
		return { path: [key], place: declared.get(key) ?? additional(root) };
	}
	let place = root;
	for (const name of path) place = propertiesOf(place).get(name) ?? additional(place);
	return { path, place };
}

function mayHoldFields(place: SchemaPlace | undefined): boolean {
	if (place === undefined) return false;
	const types = typesOf(place);
	return types.length === 0 || types.includes('object');
}

function additional(place: SchemaPlace): SchemaPlace {
	return { schema: resolveSchema(place)['additionalProperties'], root: place.root };
}

function typedValue(text: string, place: SchemaPlace | undefined, earlier: JsonValue | undefined): JsonValue {
	const types = place === undefined ? [] : typesOf(place);
	if (place !== undefined && types.includes('array')) return arrayValue(text, place, earlier);
	return scalarValue(text, types);
}

function scalarValue(text: string, types: readonly string[]): JsonValue {
	if (types.length === 0 || types.includes('string')) return text;
	const value = parsed(text);
	return value !== undefined && isAllowedType(value, types) ? value : text;
}

/** A JSON array, or more elements: `tag=a tag=b`, and `tag=a,b` for elements that are no arrays or objects. A schema may refer to itself: elements are not looked into. */
function arrayValue(text: string, place: SchemaPlace, earlier: JsonValue | undefined): JsonValue {
	const whole = text.startsWith('[') ? parsed(text) : undefined;
	if (Array.isArray(whole)) return whole;
	const items: SchemaPlace = { schema: resolveSchema(place)['items'], root: place.root };
	const types = typesOf(items);
	const isScalar = !types.includes('object') && !types.includes('array');
	const strings = text === '' ? [] : isScalar ? text.split(',') : [text];
	const elements = strings.map((each) => scalarValue(each, types));
	return Array.isArray(earlier) ? [...earlier, ...elements] : elements;
}

/** A file is one value, or one element of an array: its commas do not split it. */
function fileValue(
	key: string,
	file: Buffer,
	place: SchemaPlace | undefined,
	earlier: JsonValue | undefined,
): JsonValue {
	const one = (at: SchemaPlace): JsonValue =>
		isBase64(at) ? file.toString('base64') : scalarValue(textOfFile(key, file), typesOf(at));
	if (place === undefined) return textOfFile(key, file);
	if (!typesOf(place).includes('array')) return one(place);
	const whole = isUtf8(file) ? parsed(file.toString('utf8')) : undefined;
	if (Array.isArray(whole)) return whole;
	const items: SchemaPlace = { schema: resolveSchema(place)['items'], root: place.root };
	return [...(Array.isArray(earlier) ? earlier : []), one(items)];
}

function isBase64(place: SchemaPlace): boolean {
	return alternativesOf(place).some((each) => {
		const { contentEncoding, format } = resolveSchema(each);
		return contentEncoding === 'base64' || format === 'byte';
	});
}

function textOfFile(key: string, file: Buffer): string {
	if (isUtf8(file)) return file.toString('utf8');
	throw new OrchestraError('bad_input', `the file of ${key} is not UTF-8 text`, {
		hint: `The schema of ${key} does not ask for base64. If the tool wants it: ${key}=@<(base64 -w0 FILE)`,
		data: { key },
	});
}

function parsed(text: string): JsonValue | undefined {
	// Parsed JSON is a JSON value.
	// The validation reports it.
	return attempt(() => JSON.parse(text) as JsonValue);
}

/** An object that is being built; a map, since keys such as `__proto__` come from outside. */
type Branch = Map<string, JsonValue | Branch>;

function put(branch: Branch, [name = '', ...rest]: readonly string[], value: JsonValue): void {
	if (rest.length === 0) {
		branch.set(name, value);
		return;
	}
	const found = branch.get(name);
	// What is no map and no array is an object of `base`.
	const inner: Branch = found instanceof Map ? found : new Map(isObject(found) ? Object.entries(found) : []);
	branch.set(name, inner);
	put(inner, rest, value);
}

function objectOf(branch: Branch): JsonObject {
	const entries = [...branch].map(([name, value]) => [name, value instanceof Map ? objectOf(value) : value]);
	return Object.fromEntries(entries) as JsonObject; // maps became objects
}
