/*
 * The JSON text that an object was parsed from.
 *
 * A hub forwards most results unchanged. A result that remembers its text is written
 * without encoding it again, with all digits of its numbers. The text belongs to the
 * object: a copy has none, so code that changes a result by copying it is always
 * right. The text was parsed before, so it is well-formed.
 */

/**
 * A property that copies do not get: it is not enumerable. A `WeakMap` would be the plain way, but its entries make
 * every garbage collection slower.
 */
const SOURCE_TEXT: unique symbol = Symbol('source text');

interface Sourced {
	[SOURCE_TEXT]?: string;
}

const PLAIN_HEAD = '{"jsonrpc":"2.0","id":';
const RESULT_FIRST = '{"result":';

/** The text that `value` was parsed from; undefined when it is unknown. */
export function sourceTextOf(value: unknown): string | undefined {
	return typeof value === 'object' && value !== null ? (value as Sourced)[SOURCE_TEXT] : undefined;
}

/** Remember the text of the `result` in a response, when the response has one of the two usual forms. */
export function rememberResultText(result: unknown, response: string, id: number): void {
	if (typeof result !== 'object' || result === null) return;
	const text = resultTextIn(response, id);
	if (text !== undefined) rememberText(result, text);
}

/** Remember the JSON text that `value` was parsed from. */
export function rememberText(value: object, text: string): void {
	// A line break inside the text would end the line that it is written to.
	if (!text.includes('\n') && !text.includes('\r')) remember(value, text);
}

/** A copy of `value` with more members in front. The copy remembers its text when no member is replaced. */
export function withMembers(
	value: Readonly<Record<string, unknown>>,
	members: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
	const copy = { ...members, ...value };
	const text = sourceTextOf(value);
	if (text === undefined || Object.keys(members).some((name) => Object.hasOwn(value, name))) return copy;
	const rest = text.slice(text.indexOf('{') + 1);
	const separator = Object.keys(value).length === 0 || Object.keys(members).length === 0 ? '' : ',';
	remember(copy, `${JSON.stringify(members).slice(0, -1)}${separator}${rest}`);
	return copy;
}

function remember(value: object, text: string): void {
	Object.defineProperty(value, SOURCE_TEXT, { value: text });
}

/** `{"jsonrpc":"2.0","id":7,"result":…}` or `{"result":…,"jsonrpc":"2.0","id":7}`. */
function resultTextIn(response: string, id: number): string | undefined {
	if (response.startsWith(PLAIN_HEAD)) {
		const head = `${PLAIN_HEAD}${id},"result":`;
		return response.startsWith(head) && response.endsWith('}') ? response.slice(head.length, -1) : undefined;
	}
	const tail = `,"jsonrpc":"2.0","id":${id}}`;
	return response.startsWith(RESULT_FIRST) && response.endsWith(tail)
		? response.slice(RESULT_FIRST.length, -tail.length)
		: undefined;
}
