/*
 * The arguments of a tool call as the text they came in.
 *
 * A parsed number has lost digits above 2^53, and the face hands out parsed
 * values. So the line itself is kept, for the few calls where it matters, until
 * the call is made.
 */
import { type ExactObject, parseExact } from '../plugin/exact-json.ts';
import { endOfString, type JsonObject } from '../wire/json.ts';
import type { Id } from '../wire/json-rpc.ts';
import { idText, readHead } from './head.ts';

export class ExactArguments {
	readonly #lines = new Map<string, string>();

	/** A message is about to be served. */
	note(text: string): void {
		if (!/\d{16}|\d\.\d{15}/.test(text)) return;
		const head = readHead(text);
		if (head.kind === 'request' && head.method === 'tools/call') this.#lines.set(head.id, text);
	}

	/** The arguments of the call with this id, exact when they need to be. */
	take(id: Id, value: JsonObject): ExactObject {
		const key = idText(id);
		const line = this.#lines.get(key);
		this.#lines.delete(key);
		const text = line === undefined ? undefined : memberText(memberText(line, 'params'), 'arguments');
		return text === undefined ? { value } : parseExact(text);
	}
}

/**
 * The text of the member `key` of the outermost object in `text`, which is known to be valid JSON.
 * The last one counts, as it does for `JSON.parse`.
 */
export function memberText(text: string | undefined, key: string): string | undefined {
	if (text === undefined) return undefined;
	let found: string | undefined;
	let depth = 0;
	let valueAt = -1;
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		const isEndOfValue = depth === 1 && (character === ',' || character === '}');
		if (isEndOfValue && valueAt !== -1) {
			found = text.slice(valueAt, at).trim();
			valueAt = -1;
		}
		if (character === '{' || character === '[') depth++;
		else if (character === '}' || character === ']') depth--;
		else if (character === '"') {
			const end = endOfString(text, at);
			const colon = depth === 1 && valueAt === -1 ? colonAfter(text, end) : -1;
			if (colon !== -1 && JSON.parse(text.slice(at, end + 1)) === key) valueAt = colon + 1;
			at = end;
		}
	}
	return found;
}

/** Where the colon after a key stands; -1 when the string was a value. */
function colonAfter(text: string, end: number): number {
	const pattern = /\s*:/y;
	pattern.lastIndex = end + 1;
	return pattern.test(text) ? pattern.lastIndex - 1 : -1;
}
