/*
 * The kind, id and method of a message.
 *
 * Messages of the client are untrusted and parsed completely: the start and end of
 * a line do not show whether the middle is JSON, nor which of two `id` keys counts.
 * An invalid message is rejected before it reaches a hub.
 *
 * Messages of a hub come from our own encoder, and responses are most of the bytes,
 * so only the head is read: `jsonrpc` and `id` first, or last, as the official
 * TypeScript SDK writes them. Any other form is parsed. In valid JSON a tail
 * `,"jsonrpc":"2.0","id":7}` belongs to the outermost object: the last brace closes
 * it, and no string can contain these quotes unescaped.
 */
import { messageOf } from '../errors.ts';
import { CLIENT_CAPABILITIES, metaOf, PROTOCOL_VERSION } from '../protocol/meta.ts';
import { elementsOf, parseJson } from '../wire/json.ts';
import { encodeId, exactly, isId, type RpcErrorObject, readMessage, rpcCodes } from '../wire/json-rpc.ts';

/** Ids are compared by their JSON text, in the one form that `JSON.stringify` gives. */
export type Head =
	| { kind: 'request'; id: string; method: string; isModern?: boolean }
	/** A bare response has neither result nor error; it counts only when it is awaited. */
	| { kind: 'response'; id: string; isResult: boolean; isBare?: true }
	| { kind: 'notification'; method: string }
	| { kind: 'batch'; parts: Head[] }
	/** Nothing to pass on and nothing to answer. */
	| { kind: 'blank' }
	/** Not a valid message. `id` is empty when it is unknown. */
	| { kind: 'invalid'; id: string; error: RpcErrorObject };

// JSON strings contain no raw control characters.
const plain = '[^"\\\\\\u0000-\\u001f]';
const id = `(0|-?[1-9]\\d{0,14}|"${plain}{0,200}")`;
const idFirst = new RegExp(
	`^\\{"jsonrpc":"2\\.0","id":${id},"(?:method":"(${plain}*)"|(result)":|(error)":)`,
);
const idLast = new RegExp(`,"jsonrpc":"2\\.0","id":${id}\\}$`);
const noticeFirst = new RegExp(`^\\{(?:"jsonrpc":"2\\.0",)?"method":"(notifications/${plain}*)"`);
const bodyFirst = new RegExp(`^\\{"(?:method":"(${plain}*)"|(result)":|(error)":)`);

/** Characters of the tail that `idLast` is matched against: the longest id and its surroundings. */
const TAIL_CHARACTERS = 240;

/** The head of a hub message, without parsing it where possible. */
export function readHead(text: string): Head {
	if (!text.endsWith('}')) return parseHead(text);
	const first = idFirst.exec(text);
	if (first?.[1] !== undefined) return headOf(first[1], first[2], first[3]);
	const notice = noticeFirst.exec(text);
	if (notice?.[1] !== undefined) return { kind: 'notification', method: notice[1] };
	const body = bodyFirst.exec(text);
	const last = body && idLast.exec(text.slice(-TAIL_CHARACTERS));
	if (body && last?.[1] !== undefined) return headOf(last[1], body[1], body[2]);
	return parseHead(text);
}

/** The request id of a `notifications/cancelled`; undefined when it has none. */
export function canceledId(text: string): string | undefined {
	try {
		const requestId = exactly(Object(parseJson(text)).params?.requestId, text, 'params', 'requestId');
		return isId(requestId) ? encodeId(requestId) : undefined;
	} catch {
		return undefined; // not JSON, so nothing is canceled
	}
}

/** The same message with another id. `from` is the id that `readHead` returned. */
export function withId(text: string, from: string, to: string): string {
	const start = `{"jsonrpc":"2.0","id":${from},`;
	if (text.startsWith(start)) return `{"jsonrpc":"2.0","id":${to},${text.slice(start.length)}`;
	const end = `,"jsonrpc":"2.0","id":${from}}`;
	if (text.endsWith(end)) return `${text.slice(0, -end.length)},"jsonrpc":"2.0","id":${to}}`;
	return JSON.stringify({ ...Object(parseJson(text)), id: JSON.parse(to) });
}

function headOf(id: string, method: string | undefined, result: string | undefined): Head {
	return method === undefined
		? { kind: 'response', id, isResult: result !== undefined }
		: { kind: 'request', id, method };
}

/** The head of any message, from parsing it. Never throws. */
export function parseHead(text: string): Head {
	let value: unknown;
	try {
		value = parseJson(text);
	} catch (error) {
		if (text.trim() === '') return { kind: 'blank' };
		return invalid('', rpcCodes.parse, `parse error: ${messageOf(error)}`);
	}
	if (!Array.isArray(value)) return headOfValue(value, text);
	if (value.length === 0) return invalidRequest('', 'a batch must not be empty');
	const texts = elementsOf(text);
	return { kind: 'batch', parts: value.map((part, at) => headOfValue(part, texts[at] ?? '')) };
}

/** Whether this request opens a legacy session. */
export function isInitialize({ method, isModern }: Head & { kind: 'request' }): boolean {
	return method === 'initialize' && !isModern;
}

/** The head of an invalid request, with the reason. */
export function invalidRequest(id: string, reason: string): Head & { kind: 'invalid' } {
	return invalid(id, rpcCodes.invalidRequest, `invalid request: ${reason}`);
}

function invalid(id: string, code: number, message: string): Head & { kind: 'invalid' } {
	return { kind: 'invalid', id, error: { code, message } };
}

function headOfValue(value: unknown, text: string): Head {
	const read = readMessage(value, text);
	switch (read.kind) {
		case 'request': {
			const { id, method, params } = read.message;
			const meta = metaOf(params);
			const isModern = meta[PROTOCOL_VERSION] !== undefined || meta[CLIENT_CAPABILITIES] !== undefined;
			return { kind: 'request', id: encodeId(id), method, isModern };
		}
		case 'notification':
			return { kind: 'notification', method: read.message.method };
		case 'response': {
			const { id, error } = read.message;
			const response = { kind: 'response', id: id === null ? 'null' : encodeId(id) } as const;
			return { ...response, isResult: error === undefined, ...(read.isBare ? { isBare: true } : {}) };
		}
		case 'invalid':
			// A notification is never answered, not even a malformed one.
			if (read.isNotification) return { kind: 'blank' };
			return invalidRequest(read.id === null ? '' : encodeId(read.id), read.reason);
	}
}
