/* The signature of a tool for users: parameters in the form of TypeScript, one line each. */

import type { JsonObject } from '../wire/json.ts';
import { typeText } from './schema-text.ts';
import { propertiesOf, requiredOf, resolveSchema, type SchemaPlace } from './schema-types.ts';

export interface Parameter {
	readonly name: string;
	readonly type: string;
	readonly isRequired: boolean;
	/** One line. */
	readonly description: string;
	/** The value as JSON; undefined when there is none. */
	readonly default: string | undefined;
}

/** The parameters of a schema, required ones first. */
export function parametersOf(schema: JsonObject): Parameter[] {
	const place: SchemaPlace = { schema, root: schema };
	const required = new Set(requiredOf(place));
	const all = [...propertiesOf(place)].map(([name, inner]) => parameterOf(name, inner, required.has(name)));
	// A required name without a description of its own is a parameter too.
	const bare = [...required].filter((name) => !all.some((parameter) => parameter.name === name));
	const rest = bare.map((name) => parameterOf(name, { schema: {}, root: schema }, true));
	return [
		...all.filter(({ isRequired }) => isRequired),
		...rest,
		...all.filter(({ isRequired }) => !isRequired),
	];
}

/** The signature on one line: `read_file(path: string, head?: integer)`. */
export function signatureLine(name: string, schema: JsonObject): string {
	return `${name}(${parametersOf(schema).map(shortParameter).join(', ')})`;
}

/** `path: string`, `head?: integer = 10`. */
export function shortParameter({ name, type, isRequired, default: value }: Parameter): string {
	return `${name}${isRequired ? '' : '?'}: ${type}${value === undefined ? '' : ` = ${value}`}`;
}

function parameterOf(name: string, place: SchemaPlace, isRequired: boolean): Parameter {
	const { description, title, default: value } = resolveSchema(place);
	const text = [description, title].find((each): each is string => typeof each === 'string') ?? '';
	return {
		name,
		type: typeText(place),
		isRequired,
		description: text.replace(/\s+/g, ' ').trim(),
		default: value === undefined ? undefined : JSON.stringify(value),
	};
}
