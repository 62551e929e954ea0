/*
 * What arrived, as far as the transport must know it: whose response it is.
 *
 * The peer parses every message anyway, so a second parse of a large result is avoided:
 * the id is read from the beginning or the end of a long text.
 */
import { isObject, parseJson } from '../../wire/json.ts';
import { encodeError, type Id, type RpcErrorObject, readMessage } from '../../wire/json-rpc.ts';
import { elementsOf } from '../../wire/json-text.ts';
import { messageOutline } from '../../wire/message-outline.ts';
import { OVERSIZE_HEAD_BYTES, OVERSIZE_TAIL_BYTES } from '../../wire/wire-limits.ts';
import { LONG_ERROR_CHARACTERS, LONG_MESSAGE_CHARACTERS } from './http-client-limits.ts';

/** The id of a response; null for one without a valid id; undefined for any other text. */
export function responseId(text: string): Id | null | undefined {
	const value = text.length > LONG_MESSAGE_CHARACTERS ? undefined : parsed(text);
	if (value !== undefined) return idIn(value, text);
	const { id, kind } = messageOutline(text.slice(0, OVERSIZE_HEAD_BYTES), text.slice(-OVERSIZE_TAIL_BYTES));
	if (kind === 'request') return undefined;
	return id !== undefined && kind ? id : idIn(parsed(text), text);
}

function idIn(value: unknown, text: string): Id | null | undefined {
	if (!isObject(value) || 'method' in value) return undefined;
	const read = readMessage(value, text);
	if (read.kind === 'response') return read.message.id;
	return 'error' in value ? null : undefined;
}

/** The messages of a text: one, or the elements of a batch. */
export function splitBatch(text: string): string[] {
	if (!/^\s*\[/.test(text)) return [text];
	try {
		return elementsOf(text);
	} catch {
		return [text]; // no JSON: the caller reports it
	}
}

/** The error of a JSON-RPC error response, whatever its id is; undefined for any other text. */
export function errorIn(text: string): RpcErrorObject | undefined {
	if (text.length > LONG_ERROR_CHARACTERS || !text.includes('"error"')) return undefined;
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
	return encodeError(id ?? null, error);
}

function parsed(text: string): unknown {
	try {
		return parseJson(text);
	} catch {
		return undefined; // no JSON: the caller reports the text
	}
}
