/*
 * Exact JSON numbers over the plugin protocol.
 *
 * A Struct holds numbers as doubles: integers above 2^53 lose digits, and `1.0` is `1`.
 * Between peers with the feature `exact-json` the JSON text is sent beside the Struct, but
 * only when it has such a number; other frames do not change.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import { isObject, type JsonObject } from '../wire/json.ts';
import { rewritesNumbers } from '../wire/json-text.ts';
import { member } from '../wire/message-member.ts';
import { writtenMember } from '../wire/message-view.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();

/** A JSON object as a value and, if necessary, as its exact text. */
export interface ExactObject {
	value: JsonObject;
	/** The text of the same object. Undefined: `value` is exact. */
	text?: string | undefined;
}

/** Parse the text of an object, keeping the text when the value alone would lose digits. Throws `bad_input`. */
export function parseExact(text: string): ExactObject {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (cause) {
		throw new OrchestraError('bad_input', `the arguments are not JSON: ${messageOf(cause)}`, { cause });
	}
	if (!isObject(value)) throw new OrchestraError('bad_input', 'the arguments are JSON, but not an object');
	// It came from `JSON.parse`.
	return rewritesNumbers(text) ? { value: value as JsonObject, text } : { value: value as JsonObject };
}

/** The arguments of a tool call, with their text when the value alone would lose digits. `line` is the whole request. */
export function argumentsIn(line: string, value: JsonObject): ExactObject {
	const text = rewritesNumbers(line) ? writtenMember(line, member.arguments) : undefined;
	// Arguments that are `null` count as absent.
	return text === undefined || text === 'null' ? { value } : { value, text };
}

/** The bytes for the message; empty when the Struct is exact or the peer does not support the text. */
export function exactBytes(object: ExactObject, isUnderstood: boolean): Uint8Array<ArrayBuffer> {
	if (!isUnderstood || object.text === undefined) return new Uint8Array(0);
	return encoder.encode(object.text);
}

/** The object of a message: the exact text takes precedence over the Struct. Throws `bad_frame` when it is not a JSON object. */
export function readExact(struct: JsonObject | undefined, bytes: Uint8Array): ExactObject {
	if (bytes.length === 0) return { value: struct ?? {} };
	try {
		const text = decoder.decode(bytes);
		return { ...parseExact(text), text };
	} catch (cause) {
		throw new OrchestraError('bad_frame', `the exact JSON beside a Struct is damaged: ${messageOf(cause)}`, {
			cause,
		});
	}
}

/** The JSON text of the object, exact when it is known. */
export function exactText(object: ExactObject): string {
	return object.text ?? JSON.stringify(object.value);
}
