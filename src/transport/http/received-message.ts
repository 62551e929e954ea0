/*
 * What arrived, as far as the transport must know it: whose response it is.
 *
 * The peer parses every message anyway, so a second parse of a large result is avoided:
 * the id is read from the head or the tail of the text where it has the usual form.
 */
import { elementsOf, isObject, parseJson } from '../../wire/json.ts';
import {
	encodeError,
	type Id,
	idFromHead,
	idFromTail,
	isId,
	type RpcErrorObject,
	readMessage,
} from '../../wire/json-rpc.ts';
import { OVERSIZE_TAIL_BYTES } from '../../wire/wire-limits.ts';

/** How much of the text is searched for an id. */
const HEAD_CHARACTERS = 256;

/** An error above this length is delivered as it is. */
const ERROR_CHARACTERS = 64 * 1024;

/** The id of a response; null for one without a valid id; undefined for any other text. */
export function responseId(text: string): Id | null | undefined {
	const known = idFromHead(text.slice(0, HEAD_CHARACTERS));
	if (known) return known.isRequest ? undefined : known.id;
	// The official SDK 1.x writes the id last.
	const last = text.startsWith('{"result":') ? idFromTail(text.slice(-OVERSIZE_TAIL_BYTES)) : undefined;
	return last ?? idByParsing(text);
}

function idByParsing(text: string): Id | null | undefined {
	const value = parsed(text);
	if (!isObject(value) || 'method' in value) return undefined;
	const read = readMessage(value, text);
	if (read.kind === 'response') return read.message.id;
	return 'error' in value ? null : undefined;
}

/** The messages of a text: one, or the elements of a batch. */
export function splitBatch(text: string): string[] {
	return /^\s*\[/.test(text) ? elementsOf(text).filter((element) => element !== '') : [text];
}

/** The error of a JSON-RPC error response, whatever its id is; undefined for any other text. */
export function errorIn(text: string): RpcErrorObject | undefined {
	if (text.length > ERROR_CHARACTERS || !text.includes('"error"')) return undefined;
	const value = parsed(text);
	if (!isObject(value) || 'method' in value || 'result' in value || !isObject(value['error']))
		return undefined;
	const { code, message, data } = value['error'];
	if (typeof code !== 'number' || typeof message !== 'string') return undefined;
	return data === undefined ? { code, message } : { code, message, data };
}

/** The result object of a response. */
export function resultIn(text: string): Record<string, unknown> | undefined {
	const value = parsed(text);
	return isObject(value) && isObject(value['result']) ? value['result'] : undefined;
}

/** An error response to the request `id`. */
export function errorFor(id: Id | undefined, error: RpcErrorObject): string {
	return encodeError(isId(id) ? id : null, error);
}

function parsed(text: string): unknown {
	try {
		return parseJson(text);
	} catch {
		return undefined; // no JSON: the caller reports the text
	}
}
