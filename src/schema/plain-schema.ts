/*
 * A fast path around the schema library: is this value certainly valid?
 *
 * Loading and compiling with the library takes a tenth of a second, which is more
 * than most tools run. Nearly all schemas are a flat object of typed properties, so
 * those are answered here, by checks that are put together once for each schema.
 * "No" only means "ask the library": a schema with any other keyword, or a value
 * that seems wrong, is always left to it.
 */
import { isObject } from '../wire/json.ts';

/** True only when the value is valid beyond doubt. */
export type PlainCheck = (value: unknown) => boolean;

/** The check for one schema. */
export function plainCheck(schema: unknown): PlainCheck {
	if (!isObject(schema)) return schema === true ? always : never;
	const checks = Object.entries(schema)
		.filter(([keyword]) => !silent.has(keyword))
		.map(
			([keyword, rule]) =>
				(Object.hasOwn(keywords, keyword) ? keywords[keyword]?.(rule, schema) : never) ?? never,
		);
	if (checks.includes(never)) return never;
	return (value) => {
		for (const check of checks) if (!check(value)) return false;
		return true;
	};
}

const always: PlainCheck = () => true;
const never: PlainCheck = () => false;

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

const keywords: Readonly<Record<string, (rule: unknown, schema: Record<string, unknown>) => PlainCheck>> = {
	type: (rule) => (Array.isArray(rule) ? anyOf(rule.map(typeCheck)) : typeCheck(rule)),
	enum: (rule) => (Array.isArray(rule) ? (value) => isScalar(value) && rule.includes(value) : never),
	required: requiredCheck,
	properties: propertiesCheck,
	additionalProperties: (rule, { properties }) => {
		if (rule === true) return always;
		if (rule !== false || !isObject(properties)) return never;
		return (value) => isObject(value) && Object.keys(value).every((key) => Object.hasOwn(properties, key));
	},
	items: (rule) => {
		const item = plainCheck(rule);
		return item === never ? never : (value) => Array.isArray(value) && value.every(item);
	},
	minimum: (rule) => numberCheck(rule, (value, least) => value >= least),
	maximum: (rule) => numberCheck(rule, (value, most) => value <= most),
	minLength: (rule) => lengthCheck(rule, (length, least) => length >= least),
	maxLength: (rule) => lengthCheck(rule, (length, most) => length <= most),
};

function propertiesCheck(rule: unknown): PlainCheck {
	if (!isObject(rule)) return never;
	// A property that only the library understands matters when the value has it.
	const properties = Object.entries(rule).map(([key, inner]) => ({ key, check: plainCheck(inner) }));
	return (value) => {
		if (!isObject(value)) return false;
		for (const { key, check } of properties) {
			if (Object.hasOwn(value, key) && !check(value[key])) return false;
		}
		return true;
	};
}

function requiredCheck(rule: unknown): PlainCheck {
	if (!Array.isArray(rule) || !rule.every((key) => typeof key === 'string')) return never;
	const keys: readonly string[] = rule;
	return (value) => {
		if (!isObject(value)) return false;
		for (const key of keys) if (!Object.hasOwn(value, key)) return false;
		return true;
	};
}

function typeCheck(type: unknown): PlainCheck {
	switch (type) {
		case 'string':
		case 'number':
		case 'boolean':
			return (value) => typeof value === type;
		case 'integer':
			return Number.isInteger;
		case 'null':
			return (value) => value === null;
		case 'array':
			return Array.isArray;
		case 'object':
			return isObject;
		default:
			return never;
	}
}

function anyOf(checks: readonly PlainCheck[]): PlainCheck {
	return (value) => checks.some((check) => check(value));
}

function numberCheck(rule: unknown, holds: (value: number, rule: number) => boolean): PlainCheck {
	return typeof rule === 'number' ? (value) => typeof value === 'number' && holds(value, rule) : never;
}

/** Lengths are counted in characters, not in halves of them. */
function lengthCheck(rule: unknown, holds: (length: number, rule: number) => boolean): PlainCheck {
	return typeof rule === 'number'
		? (value) => typeof value === 'string' && holds(Array.from(value).length, rule)
		: never;
}

function isScalar(value: unknown): boolean {
	return value === null || typeof value !== 'object';
}
