/*
 * What was entered into a form, and what is wrong with it.
 *
 * A draft is the value that will be sent, except for text that is not (yet) a number or JSON.
 * The check is for the reader: it finds what a form can show beside a field. The hub checks the
 * whole schema again, so nothing here has to be complete; patterns are left to it, because a
 * pattern of a server may take forever.
 */
import { formatCounted } from '../text/quantities.ts';
import type { FormField } from './form-field.ts';

/** Text that should become a JSON value or a number. */
export class Unparsed {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}

	/** The text of the number, in a preview of the input. */
	toJSON(): string {
		return this.text;
	}
}

export type Path = readonly (string | number)[];

/** The draft of an empty form: defaults, and groups that are required. */
export function initialDraft(field: FormField): unknown {
	const given = field.schema['default'];
	if (given !== undefined) return given;
	if (field.kind === 'group' && field.isRequired) {
		const entries = field.fields.map((each) => [each.name, initialDraft(each)] as const);
		return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
	}
	if (field.kind === 'variants' && field.isRequired && field.variants?.[0])
		return initialDraft(field.variants[0]);
	if (field.kind === 'choice' && field.isRequired && field.choices.length === 1)
		return field.choices[0]?.value;
	if (field.kind === 'boolean' && field.isRequired) return false;
	if ((field.kind === 'list' || field.kind === 'choices') && field.isRequired) return [];
	return undefined;
}

export function valueAt(draft: unknown, path: Path): unknown {
	return path.reduce<unknown>(
		(at, key) => (isContainer(at) && Object.hasOwn(at, key) ? at[key] : undefined),
		draft,
	);
}

/** A copy of the draft with another value at a path; undefined removes a key. */
export function withValue(draft: unknown, path: Path, value: unknown): unknown {
	const [key, ...rest] = path;
	if (key === undefined) return value;
	if (typeof key === 'number') {
		const list = Array.isArray(draft) ? [...draft] : [];
		const next = withValue(list[key], rest, value);
		if (next === undefined && rest.length === 0) list.splice(key, 1);
		else list[key] = next;
		return list;
	}
	const group: Record<string, unknown> = isContainer(draft) && !Array.isArray(draft) ? { ...draft } : {};
	const next = withValue(group[key], rest, value);
	if (next === undefined) delete group[key];
	else
		Object.defineProperty(group, key, { value: next, enumerable: true, configurable: true, writable: true });
	return group;
}

/** The problems, by path as JSON pointer. Empty: the draft may be sent. */
export function problemsOf(field: FormField, draft: unknown): Map<string, string> {
	const problems = new Map<string, string>();
	check(field, { value: draft, path: [] }, problems);
	return problems;
}

/** The alternative that fits a value best; the first one for no value. */
export function variantOf({ variants = [] }: FormField, value: unknown): number {
	const scores = variants.map((variant) => fitOf(variant, value));
	return Math.max(0, scores.indexOf(Math.max(...scores)));
}

function fitOf({ kind, choices, fields }: FormField, value: unknown): number {
	if (value === undefined) return 0;
	if (kind === 'choice') return choices.some((choice) => choice.value === value) ? 2 : -1;
	if (kind === 'group') {
		if (!isContainer(value) || Array.isArray(value)) return -1;
		const known = fields.filter(({ name }) => Object.hasOwn(value, name));
		const isOther = known.some((field) => field.kind === 'choice' && fitOf(field, value[field.name]) < 0);
		return isOther ? -1 : 1 + known.length - (Object.keys(value).length - known.length);
	}
	if (kind === 'list' || kind === 'choices') return Array.isArray(value) ? 1 : -1;
	if (kind === 'json') return 0;
	const type = value instanceof Unparsed ? 'number' : typeof value;
	return type === (kind === 'text' ? 'string' : kind) ? 1 : -1;
}

export function pointerOf(path: Path): string {
	return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

interface Checked {
	readonly value: unknown;
	readonly path: Path;
}

function check(field: FormField, { value, path }: Checked, problems: Map<string, string>): void {
	const problem = problemOf(field, value);
	if (problem !== undefined) problems.set(pointerOf(path), problem);
	if (value === undefined) return;
	if (field.kind === 'variants') {
		const variant = field.variants?.[variantOf(field, value)];
		if (variant) check(variant, { value, path }, problems);
	}
	if (field.kind === 'group')
		for (const each of field.fields)
			check(each, { value: valueAt(value, [each.name]), path: [...path, each.name] }, problems);
	if (field.kind === 'list' && field.item && Array.isArray(value))
		for (const [at, item] of value.entries())
			check(field.item, { value: item, path: [...path, at] }, problems);
}

function problemOf(field: FormField, value: unknown): string | undefined {
	const { schema } = field;
	if (value === undefined) return field.isRequired && field.name !== '' ? 'Required.' : undefined;
	if (value instanceof Unparsed)
		return field.kind === 'number' ? 'Enter a number.' : 'This is not valid JSON.';
	if (field.kind === 'text')
		return sizeProblem(schema, typeof value === 'string' ? value.length : 0, 'character');
	if (field.kind === 'number') {
		if (typeof value !== 'number') return 'Enter a number.';
		if (schema['type'] === 'integer' && !Number.isInteger(value)) return 'Enter a whole number.';
		return sizeProblem(schema, value, '');
	}
	const isList = (field.kind === 'list' || field.kind === 'choices') && Array.isArray(value);
	return isList ? sizeProblem(schema, value.length, 'item') : undefined;
}

/** A bound of a schema: when a size breaks it, what is said then, and the unit of the size: none for a number itself. */
const SIZES: readonly (readonly [string, (size: number, bound: number) => boolean, string, string])[] = [
	['minLength', (size, bound) => size < bound, 'At least', 'character'],
	['maxLength', (size, bound) => size > bound, 'At most', 'character'],
	['minItems', (size, bound) => size < bound, 'At least', 'item'],
	['maxItems', (size, bound) => size > bound, 'At most', 'item'],
	['minimum', (size, bound) => size < bound, 'At least', ''],
	['maximum', (size, bound) => size > bound, 'At most', ''],
	['exclusiveMinimum', (size, bound) => size <= bound, 'More than', ''],
	['exclusiveMaximum', (size, bound) => size >= bound, 'Less than', ''],
];

/** Which bound the size of a value breaks. */
export function sizeProblem(
	schema: FormField['schema'],
	size: number,
	unit: 'character' | 'item' | '',
): string | undefined {
	for (const [key, isBroken, text, sizeUnit] of SIZES) {
		const bound = schema[key];
		if (sizeUnit !== unit || typeof bound !== 'number' || !isBroken(size, bound)) continue;
		return `${text} ${unit === '' ? bound : formatCounted(bound, unit)}.`;
	}
	return undefined;
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
	return typeof value === 'object' && value !== null && !(value instanceof Unparsed);
}
