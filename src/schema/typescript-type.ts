/*
 * A JSON Schema as a TypeScript type, whole and compilable, with the descriptions as
 * comments. What types cannot say (`pattern`, `minimum`) is left out; a schema that
 * refers to itself becomes `unknown` below a depth.
 */
import { isObject, type JsonObject } from '../wire/json.ts';
import { SCHEMA_DEPTH, TYPE_LITERAL_LIMIT } from './schema-limits.ts';
import { alternativesOf, requiredOf, resolveSchema, type SchemaPlace, typesOf } from './schema-types.ts';

/** The type of a value that matches `schema`, indented by `depth` tabs after its first line. */
export function typescriptType(schema: JsonObject, depth = 0): string {
	return typeAt({ schema, root: schema }, { tabs: depth, level: 0 });
}

/** A doc comment on lines of its own, or nothing for an empty text. */
export function docComment(text: unknown, tabs: number): string {
	if (typeof text !== 'string' || text.trim() === '') return '';
	const indent = '\t'.repeat(tabs);
	const lines = printed(text)
		.trim()
		.replaceAll('*/', '*\\/')
		.split(/\r?\n/)
		.map((line) => line.trim());
	if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
	return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** Without control characters and line separators of other kinds: the text is a server's. */
function printed(text: string): string {
	return text.replace(/[^\P{C}\n\r\t]|[\u2028\u2029]/gu, '');
}

/** A name as a key of an object type. */
export function keyText(name: string): string {
	return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

interface Nesting {
	readonly tabs: number;
	readonly level: number;
}

function typeAt(place: SchemaPlace, at: Nesting): string {
	if (at.level > SCHEMA_DEPTH || place.schema === false) return place.schema === false ? 'never' : 'unknown';
	const schema = resolveSchema(place);
	const { enum: values, const: only, allOf } = schema;
	const literals = Array.isArray(values) ? values : only === undefined ? [] : [only];
	if (literals.length > 0 && literals.length <= TYPE_LITERAL_LIMIT && literals.every(isPlain))
		return union(literals.map((value) => JSON.stringify(value)));
	const inner = { tabs: at.tabs, level: at.level + 1 };
	const parts: string[] = [];
	const alternatives = alternativesOf(place);
	if (alternatives[0] !== place) parts.push(union(alternatives.map((each) => typeAt(each, inner))));
	for (const each of Array.isArray(allOf) ? allOf : [])
		parts.push(typeAt({ schema: each, root: place.root }, inner));
	if (parts.length === 0 || isObject(schema['properties'])) parts.push(plainType(place, at));
	const known = [...new Set(parts)].filter((part) => part !== 'unknown');
	if (known.length < 2) return known[0] ?? 'unknown';
	return known.map((part) => (part.includes(' | ') ? `(${part})` : part)).join(' & ');
}

function plainType(place: SchemaPlace, at: Nesting): string {
	const types = typesOf({
		...place,
		schema: { ...resolveSchema(place), anyOf: undefined, oneOf: undefined },
	});
	if (types.length === 0) {
		return isObject(resolveSchema(place)['properties']) ? objectType(place, at) : 'unknown';
	}
	return union(types.map((type) => oneType(type, place, at)));
}

function oneType(type: string, place: SchemaPlace, at: Nesting): string {
	if (type === 'integer') return 'number';
	if (type === 'array') {
		const { items } = resolveSchema(place);
		const item = isObject(items)
			? typeAt({ schema: items, root: place.root }, { ...at, level: at.level + 1 })
			: 'unknown';
		return /[|&]/.test(item) ? `(${item})[]` : `${item}[]`;
	}
	if (type === 'object') return objectType(place, at);
	return ['string', 'number', 'boolean', 'null'].includes(type) ? type : 'unknown';
}

function objectType(place: SchemaPlace, { tabs, level }: Nesting): string {
	const { properties, additionalProperties } = resolveSchema(place);
	const own = isObject(properties) ? Object.entries(properties) : [];
	const required = new Set(requiredOf(place));
	const bare = [...required].filter((name) => !own.some(([known]) => known === name));
	const entries: [string, unknown][] = [...own, ...bare.map((name): [string, unknown] => [name, {}])];
	const inner = { tabs: tabs + 1, level: level + 1 };
	if (entries.length === 0) {
		if (!isObject(additionalProperties)) return 'Record<string, unknown>';
		return `Record<string, ${typeAt({ schema: additionalProperties, root: place.root }, inner)}>`;
	}
	const indent = '\t'.repeat(tabs + 1);
	const fields = entries.map(([name, schema]) => {
		const field: SchemaPlace = { schema, root: place.root };
		const mark = required.has(name) ? '' : '?';
		const comment = docComment(resolveSchema(field)['description'], tabs + 1);
		return `${comment}${indent}${keyText(name)}${mark}: ${typeAt(field, inner)};`;
	});
	if (isObject(additionalProperties) || additionalProperties === true)
		fields.push(`${indent}[key: string]: unknown;`);
	return `{\n${fields.join('\n')}\n${'\t'.repeat(tabs)}}`;
}

function union(parts: readonly string[]): string {
	const different = [...new Set(parts)];
	return different.includes('unknown') || different.length === 0 ? 'unknown' : different.join(' | ');
}

function isPlain(value: unknown): boolean {
	return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
