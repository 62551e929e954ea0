/*
 * What a JSON Schema says about the type of a value, for reading arguments of a command
 * line and for showing a signature. It does not validate: `validate.ts` does.
 *
 * Schemas come from outside. References are followed inside the document only, and
 * nesting is bounded, so that a schema that refers to itself ends.
 */
import { isObject, type JsonObject } from '../wire/json.ts';
import { SCHEMA_DEPTH } from './schema-limits.ts';

/** A schema inside of a document. */
export interface SchemaPlace {
	/** The schema as written; anything but an object allows every value. */
	readonly schema: unknown;
	/** The whole document, for `$ref`. */
	readonly root: JsonObject;
}

/** The schema with its reference followed; empty when there is none. */
export function resolveSchema({ schema, root }: SchemaPlace): Readonly<Record<string, unknown>> {
	let found = schema;
	for (let hop = 0; hop < SCHEMA_DEPTH; hop++) {
		if (!isObject(found)) return {};
		const reference = found['$ref'];
		if (typeof reference !== 'string') return found;
		found = referredBy(reference, root);
	}
	return {};
}

/** The schemas of which a value must match one: those of `anyOf` and `oneOf`, else the schema itself. */
export function alternativesOf(place: SchemaPlace): SchemaPlace[] {
	const { anyOf, oneOf } = resolveSchema(place);
	const list = [anyOf, oneOf].find((each): each is unknown[] => Array.isArray(each) && each.length > 0);
	return list?.map((schema) => ({ schema, root: place.root })) ?? [place];
}

/** The JSON types that a value may have, `integer` included; none when every type is allowed. */
export function typesOf(place: SchemaPlace, depth = 0): string[] {
	const { type, enum: values, const: only, allOf } = resolveSchema(place);
	if (typeof type === 'string') return [type];
	if (Array.isArray(type)) return type.map(String);
	if (Array.isArray(values)) return [...new Set(values.map(jsonType))];
	if (only !== undefined) return [jsonType(only)];
	if (depth >= SCHEMA_DEPTH) return [];
	const parts = Array.isArray(allOf) ? allOf : [];
	for (const schema of parts) {
		const types = typesOf({ schema, root: place.root }, depth + 1);
		if (types.length > 0) return types;
	}
	const [first, ...others] = alternativesOf(place);
	if (first === undefined || first === place) return [];
	const each = [first, ...others].map((one) => typesOf(one, depth + 1));
	return each.some((types) => types.length === 0) ? [] : [...new Set(each.flat())];
}

/** The declared properties of an object, those of `allOf` and of alternatives included. */
export function propertiesOf(place: SchemaPlace, depth = 0): ReadonlyMap<string, SchemaPlace> {
	const { properties, allOf } = resolveSchema(place);
	const found = new Map<string, SchemaPlace>();
	if (depth >= SCHEMA_DEPTH) return found;
	const { root } = place;
	const parts = (Array.isArray(allOf) ? allOf : []).map((schema): SchemaPlace => ({ schema, root }));
	for (const part of [...alternativesOf(place).filter((each) => each !== place), ...parts]) {
		for (const [name, inner] of propertiesOf(part, depth + 1)) found.set(name, inner);
	}
	if (isObject(properties)) {
		for (const [name, schema] of Object.entries(properties)) found.set(name, { schema, root });
	}
	return found;
}

/** The names of the properties that an object must have. */
export function requiredOf(place: SchemaPlace): string[] {
	const { required } = resolveSchema(place);
	return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** The type of a JSON value: `null`, `array`, `integer`, `number`, `string`, `boolean` or `object`. */
export function jsonType(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'array';
	return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

/** Whether a value of one JSON type is allowed; no types mean all. */
export function isAllowedType(value: unknown, types: readonly string[]): boolean {
	const type = jsonType(value);
	return types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'));
}

function referredBy(reference: string, root: JsonObject): unknown {
	if (reference === '#') return root;
	if (!reference.startsWith('#/')) return undefined;
	let found: unknown = root;
	for (const part of reference.slice(2).split('/')) {
		const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
		const isOwn = (isObject(found) || Array.isArray(found)) && Object.hasOwn(found, name);
		found = isOwn ? (found as Record<string, unknown>)[name] : undefined; // an own entry, by its name
	}
	return found;
}
