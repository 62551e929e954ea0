/*
 * A short cut around the schema library: is this value certainly valid?
 *
 * Loading and compiling with the library takes a tenth of a second, which is more
 * than most tools run. Nearly all schemas are a flat object of typed properties, so
 * those are answered here. "No" only means "ask the library": a schema with any
 * other keyword, or a value that seems wrong, is always left to it.
 */
import { isObject } from '../wire/json.ts';

/** Keywords that never refuse a value. */
const silent = new Set([
	'$schema',
	'title',
	'description',
	'default',
	'examples',
	'deprecated',
	'$comment',
	'format',
]);

/** True only when `value` is valid under `schema` beyond doubt. */
export function isPlainlyValid(schema: unknown, value: unknown): boolean {
	if (!isObject(schema)) return schema === true;
	return Object.entries(schema).every(
		([keyword, rule]) => silent.has(keyword) || keywords[keyword]?.(rule, value, schema) === true,
	);
}

type Keyword = (rule: unknown, value: unknown, schema: Record<string, unknown>) => boolean;

const keywords: Readonly<Record<string, Keyword>> = {
	type: (rule, value) => (Array.isArray(rule) ? rule : [rule]).some((type) => hasType(type, value)),
	enum: (rule, value) => Array.isArray(rule) && isScalar(value) && rule.includes(value),
	required: (rule, value) =>
		isObject(value) &&
		Array.isArray(rule) &&
		rule.every((key) => typeof key === 'string' && Object.hasOwn(value, key)),
	properties: (rule, value) =>
		isObject(rule) &&
		isObject(value) &&
		Object.entries(value).every(
			([key, inner]) => !Object.hasOwn(rule, key) || isPlainlyValid(rule[key], inner),
		),
	additionalProperties: (rule, value, { properties }) =>
		rule === true || (rule === false && isObject(value) && hasOnly(value, properties)),
	items: (rule, value) => Array.isArray(value) && value.every((inner) => isPlainlyValid(rule, inner)),
	minimum: (rule, value) => typeof rule === 'number' && typeof value === 'number' && value >= rule,
	maximum: (rule, value) => typeof rule === 'number' && typeof value === 'number' && value <= rule,
	minLength: (rule, value) =>
		typeof rule === 'number' && typeof value === 'string' && Array.from(value).length >= rule,
	maxLength: (rule, value) =>
		typeof rule === 'number' && typeof value === 'string' && Array.from(value).length <= rule,
};

function hasType(type: unknown, value: unknown): boolean {
	if (type === 'integer') return Number.isInteger(value);
	if (type === 'null') return value === null;
	if (type === 'array') return Array.isArray(value);
	if (type === 'object') return isObject(value);
	return (type === 'string' || type === 'number' || type === 'boolean') && typeof value === type;
}

function hasOnly(value: Record<string, unknown>, properties: unknown): boolean {
	return isObject(properties) && Object.keys(value).every((key) => Object.hasOwn(properties, key));
}

function isScalar(value: unknown): boolean {
	return value === null || typeof value !== 'object';
}
