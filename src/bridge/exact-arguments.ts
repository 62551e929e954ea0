/*
 * The arguments of a tool call as the text they came in.
 *
 * A parsed number has lost digits above 2^53, and the face hands out parsed
 * values. So the line itself is kept, for the few calls where it matters, until
 * the call is made.
 */
import { type ExactObject, parseExact } from '../plugin/exact-json.ts';
import { type JsonObject, memberText } from '../wire/json.ts';
import { encodeId, type Id } from '../wire/json-rpc.ts';
import { readHead } from './head.ts';

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
		const key = encodeId(id);
		const line = this.#lines.get(key);
		this.#lines.delete(key);
		const text = line === undefined ? undefined : memberText(line, 'params', 'arguments');
		return text === undefined ? { value } : parseExact(text);
	}
}
