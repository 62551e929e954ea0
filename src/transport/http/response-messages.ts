/*
 * What arrived, as far as the transport must know it: whose response it is.
 *
 * The peer reads every message anyway, so its content is not parsed here, and of a long
 * text only the beginning and the end are read.
 */
import { attempt } from '../../errors.ts';
import { isObject, jsonObject } from '../../wire/json.ts';
import type { Id, RpcErrorObject } from '../../wire/json-rpc.ts';
import { elementsOf } from '../../wire/json-text.ts';
import { member } from '../../wire/message-member.ts';
import { longResponse, messageOutline } from '../../wire/message-outline.ts';
import { MessageView } from '../../wire/message-view.ts';
import { readView } from '../../wire/read-view.ts';
import { LONG_ERROR_CHARACTERS } from './http-client-limits.ts';

/** The id of a response; null for one without a valid id; undefined for any other text. */
export function responseId(text: string): Id | null | undefined {
	const long = longResponse(text);
	if (long) return long.id;
	const view = MessageView.of(text);
	if (view === undefined) return cutResponseId(text);
	const read = readView(view);
	if (read.kind === 'response') return read.message.id;
	return read.kind === 'invalid' && view.has(member.error) && !view.has(member.method) ? null : undefined;
}

/** That of a text which is cut, or nested more deeply than a view goes. */
function cutResponseId(text: string): Id | undefined {
	const { id, kind } = messageOutline(text);
	return kind === 'request' ? undefined : id;
}

/** The messages of a text: one, or the elements of a batch. */
export function splitBatch(text: string): string[] {
	// What is no JSON is reported by the caller.
	return /^\s*\[/.test(text) ? attempt(() => elementsOf(text), [text]) : [text];
}

/** The error of a JSON-RPC error response, whatever its id is; undefined for any other text. */
export function errorIn(text: string): RpcErrorObject | undefined {
	if (text.length > LONG_ERROR_CHARACTERS || !text.includes('"error"')) return undefined;
	const value = jsonObject(text);
	if (value === undefined || 'method' in value || 'result' in value || !isObject(value['error']))
		return undefined;
	const { code, message, data } = value['error'];
	if (typeof code !== 'number' || typeof message !== 'string') return undefined;
	return data === undefined ? { code, message } : { code, message, data };
}

/** The result object of a response. */
export function resultIn(text: string): Record<string, unknown> | undefined {
	const result = jsonObject(text)?.['result'];
	return isObject(result) ? result : undefined;
}
