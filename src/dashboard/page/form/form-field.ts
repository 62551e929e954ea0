/*
 * A JSON Schema as fields of a form.
 *
 * Objects, lists, choices, numbers, booleans and strings become fields; local references are
 * followed; `X or null` is X that may be left out; `oneOf` and `anyOf` are alternatives to choose from. What a
 * form cannot show well (`allOf`, objects without properties, deep nesting) is one field with JSON in it. So is an object
 * after very many fields: a schema of 1 KB that refers to itself can mean millions.
 */
import { attempt } from '../../../errors.ts';
import { isObject } from '../../../wire/json.ts';
import { textIn } from '../live/json-fields.ts';
import { FORM_DEPTH, FORM_FIELDS_LIMIT, FORM_REFERENCES_LIMIT, FORM_VARIANTS_LIMIT } from '../page-limits.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export type FieldKind =
	| 'text'
	| 'number'
	| 'boolean'
	| 'choice'
	| 'choices'
	| 'list'
	| 'group'
	| 'variants'
	| 'json';

export interface FormField {
	readonly kind: FieldKind;
	/** The key in the parent; empty for the root and for items of a list. */
	readonly name: string;
	readonly title: string;
	readonly description: string;
	readonly isRequired: boolean;
	readonly schema: JsonSchema;
	/** Set for `choice` and `choices`. */
	readonly choices: readonly Choice[];
	/** Set for `group`. */
	readonly fields: readonly FormField[];
	/** Set for `list`. */
	readonly item?: FormField | undefined;
	/** Set for `variants`. */
	readonly variants?: readonly FormField[] | undefined;
}

export interface Choice {
	readonly value: unknown;
	readonly title: string;
}

/** The form of an input schema: a group, or one JSON field when the schema is no plain object. */
export function formOf(schema: JsonSchema): FormField {
	return fieldOf(schema, { root: schema, name: '', isRequired: true, depth: 0, made: { fields: 0 } });
}

const KIND_WORDS: Readonly<Record<FormField['kind'], string>> = {
	text: 'a text',
	number: 'a number',
	boolean: 'yes or no',
	choice: 'a choice',
	choices: 'choices',
	list: 'a list',
	group: 'an object',
	variants: 'alternatives',
	json: 'JSON',
};

/** The label of an alternative: its title, its constant, or the names of its fields. */
export function variantTitle({ schema, kind, fields }: FormField, index: number): string {
	if (typeof schema['title'] === 'string' && schema['title'] !== '') return schema['title'];
	if (kind !== 'group') return KIND_WORDS[kind];
	const constant = fields.find((each) => each.kind === 'choice' && each.choices.length === 1);
	if (constant) return `${constant.name}: ${constant.choices[0]?.title}`;
	const names = fields.map(({ name }) => name).join(', ');
	return names === '' ? `alternative ${index + 1}` : names;
}

interface Place {
	readonly root: JsonSchema;
	readonly name: string;
	readonly isRequired: boolean;
	readonly depth: number;
	/** Counts the fields of the whole form. */
	readonly made: { fields: number };
}

/** The fields of simple types. */
const KINDS: Readonly<Record<string, FieldKind>> = {
	string: 'text',
	number: 'number',
	integer: 'number',
	boolean: 'boolean',
};

function fieldOf(given: unknown, place: Place): FormField {
	place.made.fields += 1;
	const schema = resolved(given, place.root);
	const base = {
		name: place.name,
		title: textIn(schema, 'title') || place.name,
		description: textIn(schema, 'description'),
		isRequired: place.isRequired,
		schema,
		choices: choicesOf(schema),
		fields: [],
	};
	if (base.choices.length > 0) return { ...base, kind: 'choice' };
	const type = typeOf(schema) ?? '';
	const kind = KINDS[type];
	if (kind) return { ...base, kind };
	if (type === 'array') return listField(base, place);
	if (type === 'object') return groupField(base, place);
	return variantsField(base, place) ?? { ...base, kind: 'json' };
}

/** The alternatives of `oneOf` or `anyOf`, each with what stands beside them; undefined when there are none to show. */
function variantsField(base: Omit<FormField, 'kind'>, place: Place): FormField | undefined {
	const { schema } = base;
	const given = schema['oneOf'] ?? schema['anyOf'];
	const isShown = Array.isArray(given) && given.length <= FORM_VARIANTS_LIMIT && !isTooLarge(place);
	if (!isShown || ['allOf', 'not', 'if'].some((key) => key in schema)) return undefined;
	const rest = without(schema, 'oneOf', 'anyOf', 'title', 'description', 'default');
	const variants = given
		.filter((variant) => !isObject(variant) || variant['type'] !== 'null')
		.map((variant) => {
			const merged = mergedSchema(rest, resolved(variant, place.root));
			return fieldOf(merged, { ...place, isRequired: true, depth: place.depth + 1 });
		});
	return variants.length < 2 ? undefined : { ...base, kind: 'variants', variants };
}

function mergedSchema(one: JsonSchema, other: JsonSchema): JsonSchema {
	const merged: Record<string, unknown> = { ...one, ...other };
	const properties = [one['properties'], other['properties']].filter(isObject);
	const required = [one['required'], other['required']].filter(Array.isArray).flat();
	if (properties.length > 0) merged['properties'] = Object.assign({}, ...properties);
	if (required.length > 0) merged['required'] = required;
	return merged;
}

function listField(base: Omit<FormField, 'kind'>, place: Place): FormField {
	const { items } = base.schema;
	if (!isObject(items) || isTooLarge(place)) return { ...base, kind: 'json' };
	const item = fieldOf(items, { ...place, name: '', isRequired: true, depth: place.depth + 1 });
	if (item.kind === 'choice') return { ...base, kind: 'choices', choices: item.choices };
	return { ...base, kind: 'list', item };
}

function groupField(base: Omit<FormField, 'kind'>, place: Place): FormField {
	const { properties, required } = base.schema;
	const isPlain = isObject(properties) && Object.keys(properties).length > 0 && !hasUnion(base.schema);
	if (
		!isPlain &&
		place.depth === 0 &&
		!hasUnion(base.schema) &&
		base.schema['additionalProperties'] === undefined
	)
		return { ...base, kind: 'group' };
	if (!isPlain || isTooLarge(place)) return variantsField(base, place) ?? { ...base, kind: 'json' };
	const needed = new Set(Array.isArray(required) ? required : []);
	const fields = Object.entries(properties).map(([name, schema]) =>
		fieldOf(schema, { ...place, name, isRequired: needed.has(name), depth: place.depth + 1 }),
	);
	// What must be given comes first.
	fields.sort((one, other) => Number(other.isRequired) - Number(one.isRequired));
	return { ...base, kind: 'group', fields };
}

/** Values below this depth have no fields. */
function isTooLarge({ depth, made }: Place): boolean {
	return depth >= FORM_DEPTH || made.fields >= FORM_FIELDS_LIMIT;
}

/** Follow local references, and take X for `X or null`. */
function resolved(given: unknown, root: JsonSchema): JsonSchema {
	let schema = isObject(given) ? given : {};
	for (let steps = 0; steps < FORM_REFERENCES_LIMIT; steps++) {
		const reference = schema['$ref'];
		const only = onlyVariant(schema);
		if (typeof reference === 'string') schema = { ...lookUp(reference, root), ...without(schema, '$ref') };
		else if (only) schema = { ...only, ...without(schema, 'anyOf', 'oneOf') };
		else return schema;
	}
	return {};
}

function lookUp(reference: string, root: JsonSchema): JsonSchema {
	if (!reference.startsWith('#')) return {};
	let at: unknown = root;
	for (const part of reference.slice(1).split('/').filter(Boolean)) {
		const key = attempt(() => decodeURIComponent(part), part)
			.replaceAll('~1', '/')
			.replaceAll('~0', '~');
		at = isObject(at) || Array.isArray(at) ? (at as JsonSchema)[key] : undefined;
	}
	return isObject(at) ? at : {};
}

function onlyVariant(schema: JsonSchema): JsonSchema | undefined {
	const variants = schema['anyOf'] ?? schema['oneOf'];
	if (!Array.isArray(variants)) return undefined;
	const others = variants.filter((variant) => isObject(variant) && variant['type'] !== 'null');
	return others.length === 1 && isObject(others[0]) ? others[0] : undefined;
}

/** `enum`, or `oneOf`/`anyOf` of titled constants. */
function choicesOf(schema: JsonSchema): Choice[] {
	const { enum: values, enumNames: names } = schema;
	if (Array.isArray(values))
		return values.map((value, at) => ({
			value,
			title: asTitle((Array.isArray(names) && names[at]) || value),
		}));
	if ('const' in schema) return [{ value: schema['const'], title: asTitle(schema['const']) }];
	const variants = schema['oneOf'] ?? schema['anyOf'];
	if (!Array.isArray(variants) || variants.length === 0) return [];
	const constants = variants.filter(
		(variant): variant is JsonSchema => isObject(variant) && 'const' in variant,
	);
	if (constants.length < variants.length) return [];
	return constants.map((variant) => ({
		value: variant['const'],
		title: textIn(variant, 'title') || asTitle(variant['const']),
	}));
}

function typeOf(schema: JsonSchema): string | undefined {
	const { type } = schema;
	if (Array.isArray(type)) {
		const others = type.filter((each) => each !== 'null');
		return others.length === 1 ? String(others[0]) : undefined;
	}
	if (type === undefined && !hasUnion(schema) && isObject(schema['properties'])) return 'object';
	return hasUnion(schema) && type !== 'object' ? undefined : textIn(schema, 'type');
}

function hasUnion(schema: JsonSchema): boolean {
	return ['anyOf', 'oneOf', 'allOf', 'not', 'if'].some((key) => key in schema);
}

function without(schema: JsonSchema, ...keys: string[]): JsonSchema {
	return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

function asTitle(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value);
}
