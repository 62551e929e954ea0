/*
 * A message that the bridge forwards: its kind, id and method, from a view of its text.
 *
 * Messages of the client are untrusted: an invalid one is rejected before it reaches a hub,
 * and a request that two parsers may read differently is sent on as its parsed value.
 * Messages of a hub come from our own encoder, and long responses are most of the bytes:
 * only their beginning and their end are read.
 */
import { messageOf } from '../errors.ts';
import { isModernMeta, isModernView, metaOf } from '../protocol/meta.ts';
import { parseJson } from '../wire/json.ts';
import { type Id, idOf, type Message, type RpcErrorObject, readMessage, rpcCodes } from '../wire/json-rpc.ts';
import { elementsOf, encodeJson, JsonText, textAt, withMember } from '../wire/json-text.ts';
import { member } from '../wire/message-member.ts';
import { longResponse } from '../wire/message-outline.ts';
import { MessageView } from '../wire/message-view.ts';
import { readView } from '../wire/read-view.ts';
import { LONG_MESSAGE_CHARACTERS } from '../wire/wire-limits.ts';

export type Head =
	| { kind: 'request'; id: Id; method: string; isModern: boolean }
	/** A bare response has neither result nor error; it counts only when it is awaited. */
	| { kind: 'response'; id: Id; isResult: boolean; isBare?: true }
	| { kind: 'notification'; method: string }
	| { kind: 'batch'; parts: Head[] }
	/** Nothing to pass on and nothing to answer. */
	| { kind: 'blank' }
	/** Not a valid message. */
	| { kind: 'invalid'; id: Id | undefined; error: RpcErrorObject };

/** The view of the last short message of a hub: it is reused. */
const hubView = new MessageView('null');
const BATCH_START = /^\s*\[/;

/** A message of the client: what the hub gets of it, and its head. */
export interface ClientMessage {
	readonly text: string;
	readonly head: Head;
}

/** Look at a message of the client. Never throws. */
export function clientMessage(text: string): ClientMessage {
	const view = MessageView.of(text);
	const head = view ? viewedHead(view) : parsedHead(text);
	if (head.kind === 'request' && view?.isAmbiguous) return { head, text: valueText(text, head.id) };
	if (head.kind !== 'batch' || view === undefined) return { head, text };
	const elements = elementsOf(text);
	const sent = elements.map((element, at) => {
		const part = head.parts[at];
		const isAmbiguous = part?.kind === 'request' && MessageView.of(element)?.isAmbiguous;
		return isAmbiguous ? valueText(element, part.id) : element;
	});
	return { head, text: sent.some((each, at) => each !== elements[at]) ? `[${sent.join(',')}]` : text };
}

/** The head of a message of a hub. Never throws. */
export function hubHead(text: string): Head {
	const long = longResponse(text);
	if (long) return { kind: 'response', id: long.id, isResult: long.kind === 'result' };
	if (text.length > LONG_MESSAGE_CHARACTERS) return readHead(text);
	try {
		hubView.read(text);
		return viewedHead(hubView);
	} catch {
		return parsedHead(text);
	}
}

/** The head of a message. Never throws. */
export function readHead(text: string): Head {
	const view = MessageView.of(text);
	return view ? viewedHead(view) : parsedHead(text);
}

/** The id of the request that a `notifications/cancelled` names; undefined when it names none. */
export function canceledId(text: string): Id | undefined {
	const written = textAt(text, 'params', 'requestId');
	return written === undefined ? undefined : idOf(JSON.parse(written), written);
}

/** The same message with another id. */
export function withId(text: string, id: Id): string {
	return new MessageView(text).with([[member.id, id]]);
}

/** An answer with instructions that begin with this text. */
export function withPreface(text: string, preface: string): string {
	const path = ['result', 'instructions'];
	const instructions: unknown = JSON.parse(textAt(text, ...path) ?? 'null');
	return withMember(
		text,
		path,
		JSON.stringify(typeof instructions === 'string' ? `${preface}\n\n${instructions}` : preface),
	);
}

/** Whether this request opens a legacy session. */
export function isInitialize({ method, isModern }: Head & { kind: 'request' }): boolean {
	return method === 'initialize' && !isModern;
}

/** The head of an invalid request, with the reason. */
export function invalidRequest(id: Id | undefined, reason: string): Head & { kind: 'invalid' } {
	return invalid(id, rpcCodes.invalidRequest, `invalid request: ${reason}`);
}

function invalid(id: Id | undefined, code: number, message: string): Head & { kind: 'invalid' } {
	return { kind: 'invalid', id, error: { code, message } };
}

/** A request as its parsed value, with all digits of its id: the response has them too. */
function valueText(text: string, id: Id): string {
	return encodeJson({ ...Object(parseJson(text)), id: new JsonText(id) });
}

function viewedHead(view: MessageView): Head {
	const { text } = view;
	const isBatch = !view.has(member.jsonrpc) && BATCH_START.test(text);
	if (!isBatch) return headOf(readView(view), isModernView(view));
	const parts = elementsOf(text).map((element) => {
		const part = new MessageView(element);
		return headOf(readView(part), isModernView(part));
	});
	return parts.length === 0
		? invalidRequest(undefined, 'a batch must not be empty')
		: { kind: 'batch', parts };
}

/** The head of a text that has no view: it is no JSON, or nested too deeply. */
function parsedHead(text: string): Head {
	let value: unknown;
	try {
		value = parseJson(text);
	} catch (error) {
		if (text.trim() === '') return { kind: 'blank' };
		return invalid(undefined, rpcCodes.parse, `parse error: ${messageOf(error)}`);
	}
	const read = (part: unknown): Head =>
		headOf(readMessage(part, ''), isModernMeta(metaOf(Object(part).params)));
	return Array.isArray(value) ? { kind: 'batch', parts: value.map(read) } : read(value);
}

function headOf(read: Message, isModern: boolean): Head {
	switch (read.kind) {
		case 'request':
			return { kind: 'request', id: read.message.id, method: read.message.method, isModern };
		case 'notification':
			return { kind: 'notification', method: read.message.method };
		case 'response': {
			const { id, error } = read.message;
			const isResult = error === undefined;
			return { kind: 'response', id: id ?? 'null', isResult, ...(read.isBare ? { isBare: true } : {}) };
		}
		case 'invalid':
			// A notification is never answered, not even a malformed one.
			if (read.isNotification) return { kind: 'blank' };
			return invalidRequest(read.id ?? undefined, read.reason);
	}
}
