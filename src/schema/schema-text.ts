/* A JSON Schema as a short TypeScript-like type, for signatures and errors. */
import {
	SCHEMA_TEXT_DEEPER_LIMIT,
	SCHEMA_TEXT_DEPTH_LIMIT,
	SCHEMA_TEXT_SHOWN_LIMIT,
} from './schema-limits.ts';
import {
	alternativesOf,
	propertiesOf,
	requiredOf,
	resolveSchema,
	type SchemaPlace,
	typesOf,
} from './schema-types.ts';

/** The type as text, for example `string`, `"a" | "b"`, `integer[]`, `{ name: string; age?: number }`. */
export function typeText(place: SchemaPlace, depth = 0): string {
	const schema = resolveSchema(place);
	const { enum: values, const: only } = schema;
	if (Array.isArray(values) && values.length > 0) return union(values.map((value) => JSON.stringify(value)));
	if (only !== undefined) return JSON.stringify(only);
	if (depth > SCHEMA_TEXT_DEEPER_LIMIT) return typesOf(place).find((type) => !isNested(type)) ?? 'object';
	const alternatives = alternativesOf(place);
	if (alternatives[0] !== place) return union(alternatives.map((each) => typeText(each, depth + 1)));
	const types = typesOf(place);
	return types.length === 0 ? 'any' : union(types.map((type) => oneType(type, place, depth)));
}

function isNested(type: string): boolean {
	return type === 'object' || type === 'array';
}

function oneType(type: string, place: SchemaPlace, depth: number): string {
	if (type === 'array') return arrayText(place, depth);
	return type === 'object' ? objectText(place, depth) : type;
}

function arrayText(place: SchemaPlace, depth: number): string {
	const items = typeText({ schema: resolveSchema(place)['items'], root: place.root }, depth + 1);
	return items.includes(' | ') ? `(${items})[]` : `${items}[]`;
}

function objectText(place: SchemaPlace, depth: number): string {
	const properties = [...propertiesOf(place)];
	if (properties.length === 0 || depth >= SCHEMA_TEXT_DEPTH_LIMIT) return 'object';
	const required = requiredOf(place);
	const fields = properties.slice(0, SCHEMA_TEXT_SHOWN_LIMIT).map(([name, inner]) => {
		return `${name}${required.includes(name) ? '' : '?'}: ${typeText(inner, depth + 1)}`;
	});
	const more = properties.length > SCHEMA_TEXT_SHOWN_LIMIT ? ['…'] : [];
	return `{ ${[...fields, ...more].join('; ')} }`;
}

function union(parts: readonly string[]): string {
	const different = [...new Set(parts)];
	const more = different.length > SCHEMA_TEXT_SHOWN_LIMIT ? ['…'] : [];
	return [...different.slice(0, SCHEMA_TEXT_SHOWN_LIMIT), ...more].join(' | ');
}
