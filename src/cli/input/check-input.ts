/*
 * The input of an MCP tool, checked before it is sent, so that a mistyped word gets a
 * sentence for users: the key, what is expected, an example.
 *
 * Only what arguments can get wrong is checked: types, enums, unknown and missing keys. The
 * server validates the rest. Unknown keys of `--input` are sent as they are.
 */
import { OrchestraError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { SCHEMA_DEPTH } from '../../schema/schema-limits.ts';
import { typeText } from '../../schema/schema-text.ts';
import {
	alternativesOf,
	isAllowedType,
	propertiesOf,
	requiredOf,
	resolveSchema,
	type SchemaPlace,
	typesOf,
} from '../../schema/schema-types.ts';
import { signatureLine } from '../../schema/tool-signature.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { exampleArg } from './example-args.ts';

export interface InputToCheck {
	readonly tool: string;
	readonly schema: JsonObject;
	readonly values: JsonObject;
	/** The keys that `--input` has; unknown ones among them are the server's business. */
	readonly rawKeys?: readonly string[];
}

/** Throws `bad_input` for the first problem. */
export function checkInput({ tool, schema, values, rawKeys = [] }: InputToCheck): void {
	const root: SchemaPlace = { schema, root: schema };
	const properties = propertiesOf(root);
	const signature = signatureLine(tool, schema);
	for (const key of Object.keys(values)) {
		const place = properties.get(key);
		if (place === undefined) {
			if (rawKeys.includes(key) || allowsMore(root)) continue;
			throw unknownKey(key, [...properties.keys()], signature);
		}
		const wrong = findWrong({ path: [key], value: values[key], place }, 0);
		if (wrong) throw wrongValue(wrong, signature);
	}
	const missing = requiredOf(root).filter((name) => !Object.hasOwn(values, name));
	if (missing.length > 0) throw missingKeys(missing, root, signature);
}

interface Wrong {
	readonly path: readonly string[];
	readonly value: unknown;
	readonly place: SchemaPlace;
}

/** The innermost value that does not fit; undefined when all do. */
function findWrong(at: Wrong, depth: number): Wrong | undefined {
	const { path, value, place } = at;
	if (depth > SCHEMA_DEPTH) return undefined;
	const schema = resolveSchema(place);
	if (!isAllowedType(value, typesOf(place)) || !isInEnum(value, schema)) return at;
	const alternatives = alternativesOf(place);
	if (alternatives[0] !== place) {
		const problems = alternatives.map((each) => findWrong({ ...at, place: each }, depth + 1));
		return problems.includes(undefined) ? undefined : at;
	}
	const inner = Array.isArray(value)
		? value.map((each, index): Wrong => {
				const item = { schema: schema['items'], root: place.root };
				return { path: [...path, String(index)], value: each, place: item };
			})
		: isObject(value)
			? fieldsOf(value, path, place)
			: [];
	for (const each of inner) {
		const wrong = findWrong(each, depth + 1);
		if (wrong) return wrong;
	}
	return undefined;
}

function fieldsOf(value: Record<string, unknown>, path: readonly string[], place: SchemaPlace): Wrong[] {
	const properties = propertiesOf(place);
	return Object.keys(value).flatMap((name) => {
		const field = properties.get(name);
		return field === undefined ? [] : [{ path: [...path, name], value: value[name], place: field }];
	});
}

function isInEnum(value: unknown, { enum: values, const: only }: Readonly<Record<string, unknown>>): boolean {
	const isSame = (other: unknown): boolean => JSON.stringify(other) === JSON.stringify(value);
	if (Array.isArray(values)) return values.some(isSame);
	return only === undefined || isSame(only);
}

/** A schema without properties describes nothing; a schema that requires more says so. */
function allowsMore(root: SchemaPlace): boolean {
	const { additionalProperties, patternProperties, properties } = resolveSchema(root);
	if (patternProperties !== undefined || additionalProperties === true || isObject(additionalProperties))
		return true;
	return properties === undefined && additionalProperties !== false && propertiesOf(root).size === 0;
}

function unknownKey(key: string, known: readonly string[], signature: string): OrchestraError {
	const [guess] = nearest(key, known);
	const meant = guess === undefined ? '' : `; did you mean ${guess}`;
	return new OrchestraError('bad_input', `there is no parameter "${key}"${meant}`, {
		hint: `The parameters are: ${signature}. --input sends any key.`,
		data: { key, ...(guess !== undefined && { nearest: guess }) },
	});
}

function wrongValue({ path, value, place }: Wrong, signature: string): OrchestraError {
	const [first = '', ...rest] = path;
	const key = [first, ...rest].join('.');
	const expected = typeText(place);
	const text = JSON.stringify(value);
	const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
	const isElement = rest.some((part) => /^\d+$/.test(part));
	const example = isElement ? '' : `Write for example ${exampleArg(key, place)}. `;
	return new OrchestraError('bad_input', `${key} is ${shown}; expected: ${expected}`, {
		hint: `${example}The parameters are: ${signature}`,
		data: { key, expected },
	});
}

function missingKeys(missing: readonly string[], root: SchemaPlace, signature: string): OrchestraError {
	const properties = propertiesOf(root);
	const what = missing.length === 1 ? 'the parameter' : 'the parameters';
	const examples = missing.map((name) =>
		exampleArg(name, properties.get(name) ?? { schema: {}, root: root.root }),
	);
	return new OrchestraError('bad_input', `${what} ${missing.join(', ')} must be given`, {
		hint: `Add for example ${examples.join(' ')}. The parameters are: ${signature}`,
		data: { missing },
	});
}
