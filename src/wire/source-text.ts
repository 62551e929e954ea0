/*
 * The JSON text that an object was parsed from.
 *
 * A hub forwards most results unchanged. A result that remembers its text is written
 * without encoding it again, with all digits of its numbers. The text belongs to the
 * object: a copy has none, so code that changes a result by copying it is always
 * right. The text was parsed before, so it is well-formed.
 */

import { isObject, memberText, rewritesNumbers, withMember, withoutMembers } from './json.ts';

/**
 * A property that copies do not get: it is not enumerable. A `WeakMap` would be the plain way, but its entries make
 * every garbage collection slower.
 */
const SOURCE_TEXT: unique symbol = Symbol('source text');

interface Sourced {
	[SOURCE_TEXT]?: string;
}

/** A shorter text is not edited when its value can be encoded as well. */
const ENCODED_CHARACTERS = 4096;

const PLAIN_HEAD = '{"jsonrpc":"2.0","id":';
const RESULT_FIRST = '{"result":';
/** A text without these has none of the three members, also not as an escaped name. */
const MEMBER_NAME = /"(?:id|result|jsonrpc)"|\\u00/;

/** The text that `value` was parsed from; undefined when it is unknown. */
export function sourceTextOf(value: unknown): string | undefined {
	return typeof value === 'object' && value !== null ? (value as Sourced)[SOURCE_TEXT] : undefined;
}

/** Remember the text of the `result` in a response that was parsed from `text`. */
export function rememberResultText(
	response: { readonly result?: unknown; readonly isPlain?: boolean },
	text: string,
	id: number,
): void {
	const { result, isPlain = false } = response;
	if (typeof result !== 'object' || result === null) return;
	const usual = isPlain ? usualResult(text, id) : undefined;
	const found = usual === undefined || MEMBER_NAME.test(usual) ? memberText(text, 'result') : usual;
	if (found !== undefined) rememberText(result, found);
}

/** Remember the text of `data` in an error response that was parsed from `text`, when we would write its numbers differently. */
export function rememberErrorText({ data }: { readonly data?: unknown }, text: string): void {
	if (typeof data !== 'object' || data === null || !rewritesNumbers(text)) return;
	const found = memberText(text, 'error', 'data');
	if (found !== undefined) rememberText(data, found);
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

/** A copy of `value` with a member of its object `name` set. The copy remembers its text where that is of use. */
export function withInnerMember(
	value: Readonly<Record<string, unknown>>,
	[name, key]: readonly [string, string],
	member: unknown,
): Record<string, unknown> {
	const inner = value[name];
	const copy = { ...value, [name]: { ...(isObject(inner) && inner), [key]: member } };
	const text = textToEdit(value);
	if (text !== undefined) remember(copy, withMember(text, [name, key], JSON.stringify(member)));
	return copy;
}

/** A copy of `value` without the members at these paths, of one or two names. It remembers its text where that is of use. */
export function withoutMembersAt(
	value: Readonly<Record<string, unknown>>,
	paths: readonly (readonly string[])[],
): Record<string, unknown> {
	const copy: Record<string, unknown> = { ...value };
	for (const [name = '', key] of paths) {
		if (!Object.hasOwn(copy, name)) continue;
		const inner = copy[name];
		if (key === undefined) delete copy[name];
		else if (isObject(inner)) {
			const { [key]: _removed, ...rest } = inner;
			copy[name] = rest;
		}
	}
	const text = textToEdit(value);
	if (text !== undefined) remember(copy, withoutMembers(text, paths));
	return copy;
}

/** The text of a value whose copy is changed; undefined where encoding the copy is faster and loses nothing. */
function textToEdit(value: object): string | undefined {
	const text = sourceTextOf(value);
	return text === undefined || (text.length <= ENCODED_CHARACTERS && !rewritesNumbers(text))
		? undefined
		: text;
}

function remember(value: object, text: string): void {
	Object.defineProperty(value, SOURCE_TEXT, { value: text });
}

/**
 * The two usual forms are `{"jsonrpc":"2.0","id":7,"result":…}` and `{"result":…,"jsonrpc":"2.0","id":7}`. A response
 * that may have a member more, or one twice, is searched: a foreign member must not get into our response.
 */
function usualResult(text: string, id: number): string | undefined {
	const head = `${PLAIN_HEAD}${id},"result":`;
	if (text.startsWith(head) && text.endsWith('}')) return text.slice(head.length, -1);
	const tail = `,"jsonrpc":"2.0","id":${id}}`;
	const isResultFirst = text.startsWith(RESULT_FIRST) && text.endsWith(tail);
	return isResultFirst ? text.slice(RESULT_FIRST.length, -tail.length) : undefined;
}
