/*
 * What a message is.
 *
 * A message of the client is parsed: its writer is a stranger, and a look at the
 * ends of a line cannot tell whether the middle is JSON, nor which of two `id`
 * keys counts. What is no message is known as such before a hub sees it.
 *
 * A message of a hub was written by our own encoder, and answers are the bulk of
 * all bytes. There the head is enough: `jsonrpc`, `id`, then the rest, or, as the
 * official TypeScript SDK writes it, `jsonrpc` and `id` last. Whatever looks
 * different is parsed. In valid JSON a tail `,"jsonrpc":"2.0","id":7}` belongs to
 * the outermost object: the last brace closes it, and no string can hold these
 * quotes unescaped.
 */
import { messageOf } from '../errors.ts';
import { CLIENT_CAPABILITIES, metaOf, PROTOCOL_VERSION } from '../protocol/meta.ts';
import { elementsOf, parseJson } from '../wire/json.ts';
import { encodeId, exactly, isId, type RpcErrorObject, readMessage, rpcCodes } from '../wire/json-rpc.ts';

/** Ids are compared by their JSON text, in the one form that `JSON.stringify` gives. */
export type Head =
	| { kind: 'request'; id: string; method: string; isModern?: boolean }
	/** A bare answer has neither a result nor an error; it is one only when it is awaited. */
	| { kind: 'answer'; id: string; isResult: boolean; isBare?: true }
	| { kind: 'notice'; method: string }
	| { kind: 'batch'; parts: Head[] }
	/** Nothing to pass on and nothing to answer. */
	| { kind: 'blank' }
	/** Not a message. `id` is empty when it cannot be told. */
	| { kind: 'invalid'; id: string; error: RpcErrorObject };

// A string with a raw control character is no JSON.
const plain = '[^"\\\\\\u0000-\\u001f]';
const id = `(0|-?[1-9]\\d{0,14}|"${plain}{0,200}")`;
const idFirst = new RegExp(
	`^\\{"jsonrpc":"2\\.0","id":${id},"(?:method":"(${plain}*)"|(result)":|(error)":)`,
);
const idLast = new RegExp(`,"jsonrpc":"2\\.0","id":${id}\\}$`);
const noticeFirst = new RegExp(`^\\{(?:"jsonrpc":"2\\.0",)?"method":"(notifications/${plain}*)"`);
const bodyFirst = new RegExp(`^\\{"(?:method":"(${plain}*)"|(result)":|(error)":)`);

/** How much of the end is looked at: the longest id that `idLast` takes, and what stands around it. */
const TAIL_CHARACTERS = 240;

/** What a message of a hub is, without parsing it where that is possible. */
export function readHead(text: string): Head {
	if (!text.endsWith('}')) return readWhole(text);
	const first = idFirst.exec(text);
	if (first?.[1] !== undefined) return headOf(first[1], first[2], first[3]);
	const notice = noticeFirst.exec(text);
	if (notice?.[1] !== undefined) return { kind: 'notice', method: notice[1] };
	const body = bodyFirst.exec(text);
	const last = body && idLast.exec(text.slice(-TAIL_CHARACTERS));
	if (body && last?.[1] !== undefined) return headOf(last[1], body[1], body[2]);
	return readWhole(text);
}

/** The id that a `notifications/cancelled` gives up; undefined when it names none. */
export function canceledId(text: string): string | undefined {
	try {
		const requestId = exactly(Object(parseJson(text)).params?.requestId, text, 'params', 'requestId');
		return isId(requestId) ? encodeId(requestId) : undefined;
	} catch {
		return undefined; // no JSON, so nothing is given up
	}
}

/** The same message under another id. `from` is the id as `readHead` told it. */
export function withId(text: string, from: string, to: string): string {
	const start = `{"jsonrpc":"2.0","id":${from},`;
	if (text.startsWith(start)) return `{"jsonrpc":"2.0","id":${to},${text.slice(start.length)}`;
	const end = `,"jsonrpc":"2.0","id":${from}}`;
	if (text.endsWith(end)) return `${text.slice(0, -end.length)},"jsonrpc":"2.0","id":${to}}`;
	return JSON.stringify({ ...Object(parseJson(text)), id: JSON.parse(to) });
}

function headOf(id: string, method: string | undefined, result: string | undefined): Head {
	return method === undefined
		? { kind: 'answer', id, isResult: result !== undefined }
		: { kind: 'request', id, method };
}

/** What a message of anybody is. Never throws. */
export function readWhole(text: string): Head {
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

/** Does this request open a legacy session? */
export function isInitialize({ method, isModern }: Head & { kind: 'request' }): boolean {
	return method === 'initialize' && !isModern;
}

/** The head of a message that is no valid request, and why. */
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
			return { kind: 'notice', method: read.message.method };
		case 'response': {
			const { id, error } = read.message;
			const answer = { kind: 'answer', id: id === null ? 'null' : encodeId(id) } as const;
			return { ...answer, isResult: error === undefined, ...(read.isBare ? { isBare: true } : {}) };
		}
		case 'invalid':
			// A notification is never answered, not even a malformed one.
			if (read.isNotice) return { kind: 'blank' };
			return invalidRequest(read.id === null ? '' : encodeId(read.id), read.reason);
	}
}
