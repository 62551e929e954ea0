/* JSON as a type, and its parser. */
import { attempt } from '../errors.ts';

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue };

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a record holds under a name of its own; a name that every object inherits finds nothing. */
export function ownEntry<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
	return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Parse one line; a leading byte order mark is skipped. Throws `SyntaxError`. */
export function parseJson(text: string): unknown {
	if (text.startsWith(BYTE_ORDER_MARK)) return JSON.parse(text.slice(1));
	return JSON.parse(text);
}

/** The JSON object in a text; undefined when it is something else. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
	const value: unknown = attempt(() => parseJson(text));
	return isObject(value) ? value : undefined;
}

/** The strings of a list; undefined for what is no list. */
export function stringsOf(value: unknown): string[] | undefined {
	return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}
