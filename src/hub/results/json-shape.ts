/*
 * The shape of JSON in a line: `{total: number, items: [1,200 × {id: number, labels?: [0–4 × string]}]}`.
 *
 * Of a long array the first elements stand for all; a key that not all of them have gets a `?`. What
 * does not fit is `…`. An agent writes its next query by it.
 */
import { isObject } from '../../wire/json.ts';
import { wellFormed } from './cut-text.ts';
import { isMarked } from './look/exact-numbers.ts';
import { SHAPE_KEYS, SHAPE_LEVELS, SHAPE_SAMPLES } from './result-limits.ts';

/** The shape in at most about `limit` characters. */
export function shapeOf(value: unknown, limit: number): string {
	for (let levels = SHAPE_LEVELS; levels > 0; levels--) {
		const text = describe([value], levels);
		if (text.length <= limit) return text;
	}
	return describe([value], 0).slice(0, limit);
}

/** The shape of values that stand at one place. */
function describe(values: readonly unknown[], levels: number): string {
	const kinds = new Set(values.map(kindOf));
	const names = [...kinds].map((kind) => {
		const same = values.filter((value) => kindOf(value) === kind);
		if (kind === 'array') return describeArrays(same as readonly unknown[][], levels); // of that kind
		if (kind === 'object') return describeObjects(same as readonly object[], levels); // of that kind
		return kind;
	});
	return names.sort().join('|');
}

function kindOf(value: unknown): string {
	if (value === null) return 'null';
	if (isMarked(value)) return 'number';
	return Array.isArray(value) ? 'array' : typeof value;
}

function describeArrays(arrays: readonly (readonly unknown[])[], levels: number): string {
	const lengths = arrays.map(({ length }) => length);
	const [least, most] = [Math.min(...lengths), Math.max(...lengths)];
	const count = least === most ? count1000(most) : `${count1000(least)}–${count1000(most)}`;
	if (most === 0) return '[]';
	if (levels === 0) return `[${count} × …]`;
	const elements = arrays.flatMap((each) => each.slice(0, SHAPE_SAMPLES)).slice(0, SHAPE_SAMPLES);
	return `[${count} × ${describe(elements, levels - 1)}]`;
}

function describeObjects(objects: readonly object[], levels: number): string {
	const keys = objects.map(keysOf);
	const names = [...new Set(keys.flatMap((each) => each.slice(0, SHAPE_KEYS + 1)))];
	if (names.length === 0) return '{}';
	if (levels === 0) return '{…}';
	const total = Math.max(names.length, ...keys.map(({ length }) => length));
	const members = names.slice(0, SHAPE_KEYS).map((name) => {
		const having = objects.filter((each) => Object.hasOwn(each, name));
		const mark = having.length < objects.length ? '?' : '';
		const values = having.map((each) => (isObject(each) ? each[name] : undefined));
		return `${keyText(name)}${mark}: ${describe(values, levels - 1)}`;
	});
	const more = total > SHAPE_KEYS ? [`… ${count1000(total - SHAPE_KEYS)} more keys`] : [];
	return `{${[...members, ...more].join(', ')}}`;
}

/** An object with a million keys is listed once, and not once for each level that is tried. */
const listed = new WeakMap<object, readonly string[]>();

function keysOf(object: object): readonly string[] {
	const known = listed.get(object) ?? Object.keys(object);
	listed.set(object, known);
	return known;
}

function keyText(name: string): string {
	const short = name.length > 40 ? `${wellFormed(name.slice(0, 40))}…` : name;
	return /^[A-Za-z_][\w]*$/.test(short) ? short : JSON.stringify(short);
}

/** A count with separators of thousands: `1,200`. */
export function count1000(number: number): string {
	return number.toLocaleString('en-US');
}
