/* One text for equal JSON values, whatever the order of their keys, and its SHA-256. */
import { sha256 } from '../files/sha256.ts';

/** JSON with sorted keys and without blanks. Members without a JSON value are left out, as by `JSON.stringify`. */
export function canonicalJson(value: unknown): string {
	if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
	if ('toJSON' in value && typeof value.toJSON === 'function') return JSON.stringify(value) ?? 'null';
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
	const members = value as Record<string, unknown>;
	let text = '';
	// A loop over the keys: this is done for every call.
	for (const key of Object.keys(members).sort()) {
		const inner = members[key];
		if (inner === undefined) continue;
		text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(inner)}`;
	}
	return `{${text}}`;
}

/**
 * The first characters of the JSON of a large value, at least `limit` of them, without making the rest. `keysOf` gives
 * the keys of an object in their order.
 */
export function jsonStart(value: unknown, limit: number, keysOf: (object: object) => string[]): string {
	let text = '';
	const add = (inner: unknown): void => {
		if (text.length >= limit) return;
		// Longer than what is left: its wrong end is behind the limit.
		if (typeof inner === 'string') text += JSON.stringify(inner.slice(0, limit));
		else if (typeof inner !== 'object' || inner === null) text += JSON.stringify(inner) ?? 'null';
		else if (Array.isArray(inner)) addAll('[]', inner, add);
		else
			addAll('{}', presentKeys(inner), (key) => {
				text += `${JSON.stringify(key)}:`;
				add(Reflect.get(inner, key));
			});
	};
	const presentKeys = (object: object): string[] =>
		keysOf(object).filter((key) => Reflect.get(object, key) !== undefined);
	const addAll = <T>(
		[open = '', close = '']: string,
		items: readonly T[],
		addOne: (item: T) => void,
	): void => {
		text += open;
		for (const [at, item] of items.entries()) {
			if (text.length >= limit) return;
			if (at > 0) text += ',';
			addOne(item);
		}
		text += close;
	};
	add(value);
	return text;
}

/** SHA-256 of the canonical JSON, in hex. */
export function canonicalSha256(value: unknown): string {
	return sha256(canonicalJson(value));
}
