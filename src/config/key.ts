/*
 * A key of the configuration, said once: how its value is read, what it is by default, what
 * becomes of the values of two files, what counts of a project file that is not trusted,
 * and its documentation. Reading, merging, trust, the settings view, `docs/configuration.md`
 * and the JSON Schema are made from the tables of keys.
 */
import { isInside } from '../files/is-inside.ts';
import { LARGEST_PORT } from '../link/address.ts';
import { type Field, type FieldSource, onlyKeys } from './field.ts';

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
	/** The sentence of the documentation. */
	readonly about: string;
	/** The value of a file without the key. */
	readonly empty?: T;
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

export interface Key<T> extends Shape<T>, KeyRules<T> {}

/** A table of keys: one for each member of `S`. */
export type Keys<S> = { readonly [K in keyof S]-?: Key<NonNullable<S[K]>> };

/** Values as a file has them: any may be absent. */
export type Written<S> = { readonly [K in keyof S]: S[K] | undefined };

/** A table of any section. */
export type AnyKeys = Readonly<Record<string, Key<unknown>>>;

/** A key of this shape. */
export function key<T>(shape: Shape<T>, rules: KeyRules<T>): Key<T> {
	return { ...shape, ...rules };
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

/** `host:port`, `[::1]:port` or `:port`. */
export const address: Shape<string> = {
	read: (field) => {
		const given = field.text();
		if (given === undefined) return undefined;
		const [, port] = /^(?:\[[^\]\s]+\]|[^:\s]*):(\d{1,5})$/.exec(given) ?? [];
		const isAddress = port !== undefined && Number(port) <= LARGEST_PORT;
		return isAddress ? given : field.report('an address as host:port, for example localhost:9100');
	},
	schema: { type: 'string', pattern: ':\\d{1,5}$|\\$\\{' },
};

export const flag: Shape<boolean> = { read: (field) => field.flag(), schema: { type: 'boolean' } };

/** A whole number above 0. */
export const count: Shape<number> = {
	read: (field) => field.count(),
	schema: { type: 'integer', minimum: 1 },
};

export const countOrZero: Shape<number> = {
	read: (field) => field.countOrZero(),
	schema: { type: 'integer', minimum: 0 },
};

/** Numbers and booleans are written as text. */
const plainText: KeySchema = { type: ['string', 'number', 'boolean'] };

export const strings: Shape<readonly string[]> = {
	read: (field) => field.strings(),
	schema: { type: 'array', items: plainText },
};

export const textMap: KeySchema = { type: 'object', additionalProperties: plainText };

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

/** The members of a list or map of entries of this shape. */
export function entryMembers({ members }: Shape<unknown>): Pick<Shape<unknown>, 'members'> {
	return members === undefined ? {} : { members };
}

/** An object of these keys, read as a whole. */
export function object<S extends object>(keys: Keys<S>): Shape<S> {
	const members = keys as AnyKeys;
	return { read: (field, place) => readKeys(keys, field, place), schema: schemaOf(members), members };
}

/** The same, where the members of two files count one by one. */
export function section<S extends object>(keys: Keys<S>, about: string): Key<S> {
	return {
		...object(keys),
		about,
		isDivided: true,
		empty: emptyOf(keys),
		merge: (first, second) => mergeKeys(keys, first, second),
	};
}

/** Read an object of these keys; an unknown key is a problem. */
export function readKeys<S extends object>(keys: Keys<S>, field: Field, place: Place): S {
	onlyKeys(field, Object.keys(keys));
	return readMembers(keys, field, place);
}

/** The same where other keys may be there. */
export function readMembers<S extends object>(keys: Keys<S>, field: Field, place: Place): S {
	return mapKeys(keys, (_, name) => readKey(keys, name, field, place));
}

/** Read one key of an object. */
export function readKey<S extends object, K extends keyof S & string>(
	keys: Keys<S>,
	name: K,
	field: Field,
	place: Place,
): NonNullable<S[K]> | undefined {
	const { read, empty, isSecret } = keys[name];
	return read(field.at(name, isSecret), place) ?? empty;
}

/** The values of a file that has none of the keys. */
export function emptyOf<S extends object>(keys: Keys<S>): S {
	return mapKeys(keys, ({ empty }) => empty);
}

/** Merge key by key, the stronger first. */
export function mergeKeys<S extends object>(keys: Keys<S>, first: S, second: S): S {
	return mapKeys(keys, (each, name) => {
		const [one, other] = [first[name], second[name]];
		if (one === undefined || other === undefined) return one ?? other;
		return each.merge ? each.merge(one, other) : one;
	});
}

/** The sections that count of a file that is not trusted. `root` is the folder of the project. */
export function untrustedOf<S extends object>(keys: Keys<S>, values: S, root: string): S {
	return mapKeys(keys, (each, name) => {
		const value: unknown = values[name];
		const { trust, members, isDivided, empty } = each as Key<object>;
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

function mapKeys<S extends object>(
	keys: Keys<S>,
	map: (key: Key<unknown>, name: keyof S & string) => unknown,
): S {
	const values = Object.entries(keys).map(([name, each]) => [
		name,
		map(each as Key<unknown>, name as keyof S & string),
	]);
	// The values are those of the keys.
	return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as S;
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
			{ description: plainAbout(about), ...defaultOf(byDefault), ...schema },
		]),
	);
	return { type: 'object', properties, ...(isOpen ? {} : { additionalProperties: false }) };
}

function defaultOf(value: unknown): KeySchema {
	return value === undefined ? {} : { default: value };
}

/** Without the marks of links. */
function plainAbout(about: string): string {
	return about.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
