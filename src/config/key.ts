/*
 * A key of the configuration, said once: how its value is read, what it is by default, what
 * becomes of the values of two files, what counts of a project file that is not trusted,
 * and its documentation. Reading, merging, trust, the settings view, `docs/configuration.md`
 * and the JSON Schema are made from the tables of keys.
 */
import { isInside } from '../files/is-inside.ts';
import { LARGEST_PORT } from '../link/address.ts';
import type { SecretText } from '../secrets/secret-text.ts';
import { type Field, type FieldSource, onlyKeys, type SecretMap } from './field.ts';
import { skipInvalid } from './read-entry.ts';

export type KeySchema = Readonly<Record<string, unknown>>;

/** Where a value is written. */
export interface Place {
	readonly source: FieldSource;
	/** The folder of the project. */
	readonly root: string;
}

/** The form of a value. */
export interface Shape<T> {
	/** Undefined when the value is absent, or wrong: then a problem is reported. */
	readonly read: (field: Field, place: Place) => T | undefined;
	readonly schema: KeySchema;
	/** The keys of an object, or of each entry of a list or map of objects. */
	readonly members?: AnyKeys;
}

/**
 * What a key of a project file does before the file is trusted: nothing; all of it; what is inside of the project, for
 * paths; a part of it; or all of it without a mention.
 */
export type KeyTrust = 'blocked' | 'counts' | 'inside' | 'part' | 'free';

/** The rest of a key. */
export interface KeyRules<T> {
	/** The value of a file without the key. */
	readonly empty?: T;
	/** The object needs the key: what is allowed, for the problem of one without it. */
	readonly required?: string;
	/** The default when no file has the key, where it is a constant. */
	readonly byDefault?: T;
	/** How the values of two files become one, the stronger first. Default: the stronger counts. */
	merge?(first: T, second: T): T;
	/** Default: `blocked`; members of an object each have their own. */
	readonly trust?: KeyTrust;
	/** The part that counts of a project file that is not trusted, for `trust: 'part'`. */
	partOf?(value: T): T;
	/** Whether the members of two files count one by one, each by its own rules. */
	readonly isDivided?: boolean;
	/** Whether plain values may be secrets: they are not shown, and replaced in logs. */
	readonly isSecret?: boolean;
}

export interface Key<T> extends Shape<T>, KeyRules<T> {
	/** The sentence of the documentation. */
	readonly about: string;
}

/** A table of any section. */
export type AnyKeys = Readonly<Record<string, Key<unknown>>>;

type ValueOf<K> = K extends Shape<infer T> ? T : never;

/** Keys that are there in every file. */
export interface WithEmpty {
	readonly empty: unknown;
}

/** The values of a table of keys: those of the keys that are `Sure` are there, any other may be absent. */
export type Values<K, Sure = WithEmpty | { readonly required: string }> = {
	readonly [N in keyof K as K[N] extends Sure ? N : never]: ValueOf<K[N]>;
} & { readonly [N in keyof K as K[N] extends Sure ? never : N]?: ValueOf<K[N]> | undefined };

/**
 * A key of this shape, with the sentence of its documentation. The type of its rules is that of the argument, from which `Values` are made;
 * a member that is no rule does not compile.
 */
export function key<T>(shape: Shape<T>, about: string): Shape<T> & { readonly about: string };
export function key<T, const R extends KeyRules<T>>(
	shape: Shape<T>,
	about: string,
	rules: R & { readonly [N in Exclude<keyof R, keyof KeyRules<T>>]: never },
): Shape<T> & { readonly about: string } & R;
export function key(shape: Shape<unknown>, about: string, rules: KeyRules<unknown> = {}): Key<unknown> {
	return { ...shape, about, ...rules };
}

export const text: Shape<string> = {
	read: (field) => field.text(),
	schema: { type: 'string', minLength: 1 },
};

/** Relative to the folder of the file. */
export const path: Shape<string> = {
	read: (field) => field.path(),
	schema: { type: 'string', minLength: 1 },
};

/** The value that is made of one of another shape; undefined when `map` reports a problem. */
export function mapped<T, U>(
	shape: Shape<T>,
	map: (value: T, field: Field, place: Place) => U | undefined,
): Shape<U> {
	return {
		...shape,
		read: (field, place) => {
			const value = shape.read(field, place);
			return value === undefined ? undefined : map(value, field, place);
		},
	};
}

/** The same shape where other values than the right ones are a problem. */
export function checked<T>(shape: Shape<T>, isRight: (value: T) => boolean, allowed: string): Shape<T> {
	return mapped(shape, (value, field) => (isRight(value) ? value : field.report(allowed)));
}

/** `host:port`, `[::1]:port` or `:port`. */
export const address: Shape<string> = {
	...checked(text, isAddress, 'an address as host:port, for example localhost:9100'),
	schema: { type: 'string', pattern: ':\\d{1,5}$|\\$\\{' },
};

function isAddress(given: string): boolean {
	const [, port] = /^(?:\[[^\]\s]+\]|[^:\s]*):(\d{1,5})$/.exec(given) ?? [];
	return port !== undefined && Number(port) <= LARGEST_PORT;
}

/** Plain, or with secret references, which are resolved when it is used. */
export const secret: Shape<string | SecretText> = {
	...text,
	read: (field) => field.secretText() ?? field.text(),
};

export const flag: Shape<boolean> = {
	read: (field) => field.expect((value) => typeof value === 'boolean', 'true or false'),
	schema: { type: 'boolean' },
};

/** A whole number above 0. */
export const count: Shape<number> = {
	read: (field) => field.expect(isWhole(1), 'a whole number above 0'),
	schema: { type: 'integer', minimum: 1 },
};

export const countOrZero: Shape<number> = {
	read: (field) => field.expect(isWhole(0), 'a whole number, 0 or above'),
	schema: { type: 'integer', minimum: 0 },
};

function isWhole(least: number): (value: unknown) => value is number {
	return (value): value is number => Number.isSafeInteger(value) && Number(value) >= least;
}

/** Numbers and booleans are written as text. */
const plainText: KeySchema = { type: ['string', 'number', 'boolean'] };

export const strings: Shape<readonly string[]> = {
	read: (field) => field.strings(),
	schema: { type: 'array', items: plainText },
};

export const textMap: KeySchema = { type: 'object', additionalProperties: plainText };

/** An object of strings that may have secret references. */
export const secretMap: Shape<SecretMap> = { read: (field) => field.secretMap(), schema: textMap };

/** Several strings, or one that stands alone. */
export function oneOrMore(
	split: (text: string) => readonly string[] = (text) => [text],
): Shape<readonly string[]> {
	return {
		read: (field) => {
			if (typeof field.value !== 'string') return field.strings();
			const given = field.text();
			return given === undefined ? undefined : split(given);
		},
		schema: { anyOf: [text.schema, strings.schema] },
	};
}

/** One of these values; `older` ones are still read. */
export function word<W extends string>(
	allowed: readonly W[],
	older: Readonly<Record<string, W>> = {},
): Shape<W> {
	return {
		read: (field) => {
			const { value } = field;
			const found = allowed.find((each) => each === (older[String(value)] ?? value));
			if (found !== undefined || !field.isPresent) return found;
			return field.report(allowed.map((each) => `"${each}"`).join(', '));
		},
		schema: { enum: [...allowed, ...Object.keys(older)] },
	};
}

/** The valid members of an object of values of one shape, by their names. */
export function mapOf<T>(shape: Shape<T>): Shape<Readonly<Record<string, T>>> {
	return {
		read: (field, place) => {
			const read = field.entries().map(([name, inner]) => [name, shape.read(inner, place)]);
			return field.isPresent
				? Object.fromEntries(read.filter(([, value]) => value !== undefined))
				: undefined;
		},
		schema: { type: 'object', additionalProperties: shape.schema },
		...entryMembers(shape),
	};
}

/** The entries of a list that could be read; `readOne` may leave one out. */
export function listOf<T>(
	shape: Shape<T>,
	readOne: (field: Field, place: Place) => readonly T[] = (field, place) => {
		const read = shape.read(field, place);
		return read === undefined ? [] : [read];
	},
): Shape<readonly T[]> {
	return {
		read: (field, place) =>
			field.isPresent ? field.items().flatMap((item) => readOne(item, place)) : undefined,
		schema: { type: 'array', items: shape.schema },
		...entryMembers(shape),
	};
}

/** The members of a list or map of entries of this shape. */
function entryMembers({ members }: Shape<unknown>): Pick<Shape<unknown>, 'members'> {
	return members === undefined ? {} : { members };
}

/** The value, unless reading it reported a problem. */
export function valid<T>(shape: Shape<T>): Shape<T> {
	return {
		...shape,
		read: (field, place) => skipInvalid(place.source, () => shape.read(field, place))[0],
	};
}

/** An object of these keys, read as a whole. Where it `isOpen`, other keys may be there; else they are a problem. */
export function object<K extends AnyKeys>(keys: K, isOpen = false): Shape<Values<K>> {
	return {
		read: (field, place) => {
			if (!field.isPresent) return undefined;
			if (!isOpen) onlyKeys(field, Object.keys(keys));
			const values = mapKeys(keys, (each, name) => readKey(each, name, field, place));
			const missing = Object.entries(keys).find(
				([name, { required }]) => required !== undefined && !Object.hasOwn(values, name),
			);
			if (missing === undefined) return values;
			const [name, { required = '' }] = missing;
			return field.at(name).isPresent ? undefined : field.at(name).report(required);
		},
		schema: schemaOf(keys, isOpen),
		members: keys,
	};
}

/** An object where the members of two files count one by one. */
export function section<K extends AnyKeys>(
	keys: K,
	about: string,
	trust?: KeyTrust,
): Key<Values<K>> & { readonly empty: Values<K> } {
	return {
		...object(keys),
		about,
		...(trust && { trust }),
		isDivided: true,
		empty: emptyOf(keys),
		merge: (first, second) => mergeKeys(keys, first, second),
	};
}

/** Read the keys of an object, whatever else it has. Required ones may be absent. */
export function readMembers<K extends AnyKeys>(keys: K, field: Field, place: Place): Values<K, WithEmpty> {
	const values = mapKeys(keys, (each, name) => readKey(each, name, field, place));
	// Nothing says that the required ones are there.
	return values as unknown as Values<K, WithEmpty>;
}

/** Read one key of an object. */
export function readKey<T>(
	{ read, empty, isSecret }: Key<T>,
	name: string,
	field: Field,
	place: Place,
): T | undefined {
	return read(field.at(name, isSecret), place) ?? empty;
}

/** The values of a file that has none of the keys. */
export function emptyOf<K extends AnyKeys>(keys: K): Values<K> {
	return mapKeys(keys, ({ empty }) => empty);
}

/** The defaults of the keys that have one. */
export function defaultsOf(keys: AnyKeys): Readonly<Record<string, unknown>> {
	return mapKeys(keys, ({ byDefault }) => byDefault);
}

/** Merge key by key, the stronger first. */
export function mergeKeys<K extends AnyKeys>(keys: K, first: Values<K>, second: Values<K>): Values<K> {
	const [strong, weak] = [first, second] as Readonly<Record<string, unknown>>[];
	return mapKeys(keys, (each, name) => {
		const [one, other] = [strong?.[name], weak?.[name]];
		if (one === undefined || other === undefined) return one ?? other;
		return each.merge ? each.merge(one, other) : one;
	});
}

/** The sections that count of a file that is not trusted. `root` is the folder of the project. */
export function untrustedOf<K extends AnyKeys>(keys: K, values: Values<K>, root: string): Values<K> {
	return mapKeys(keys, (each, name) => {
		const value: unknown = Reflect.get(values, name);
		const { trust, members, isDivided, empty } = each;
		if (trust === undefined && isDivided && members) return untrustedOf(members, value ?? {}, root);
		if (trust === 'counts' || trust === 'free') return value;
		if (trust === 'part' && value !== undefined) return each.partOf?.(value);
		return (trust === 'inside' ? insideOf(value, root) : undefined) ?? empty;
	});
}

function insideOf(value: unknown, root: string): unknown {
	if (Array.isArray(value)) return value.filter((each) => isInside(String(each), root));
	return typeof value === 'string' && isInside(value, root) ? value : undefined;
}

function mapKeys<K extends AnyKeys>(keys: K, map: (key: Key<unknown>, name: string) => unknown): Values<K> {
	const values = Object.entries(keys).map(([name, each]) => [name, map(each, name)]);
	// The values are those of the keys.
	return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Values<K>;
}

/** Merge rule: the lists of both count. */
export function bothLists(first: readonly string[], second: readonly string[]): readonly string[] {
	return [...new Set([...first, ...second])];
}

/** Merge rule: the members of both count, of two with one name the first. */
export function byName<T>(
	first: Readonly<Record<string, T>>,
	second: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
	return { ...second, ...first };
}

/** The JSON Schema of an object of these keys. */
export function schemaOf(keys: AnyKeys, isOpen = false): KeySchema {
	const properties = Object.fromEntries(
		Object.entries(keys).map(([name, { schema, about, byDefault }]) => [
			name,
			{
				description: plainAbout(about),
				...(byDefault !== undefined && { default: byDefault }),
				...schema,
			},
		]),
	);
	const required = Object.keys(keys).filter((name) => keys[name]?.required !== undefined);
	return {
		type: 'object',
		properties,
		...(isOpen ? {} : { additionalProperties: false }),
		...(required.length > 0 && { required }),
	};
}

/** Without the marks of links. */
function plainAbout(about: string): string {
	return about.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
