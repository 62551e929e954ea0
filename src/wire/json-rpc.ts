/*
 * JSON-RPC 2.0 as text: guards for what comes in, builders for what goes out.
 *
 * Guards are written by hand because they run for every message; a schema
 * library costs more than all the rest of a call. Messages are built as text, in
 * the order jsonrpc, id, then the rest, so that an id is echoed exactly as it
 * came: `ExactNumber` carries the digits that a double would lose, as an id and
 * wherever else in a message it stands.
 */
import { isObject, memberText } from './json.ts';

/** A number kept as its text, because a double cannot hold it. */
export class ExactNumber {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}

	/** A number, except in a message of ours: there it stands in for its digits. */
	toJSON(): unknown {
		if (!isEncoding) return Number(this.text);
		hasStandIn = true;
		// Made when it is needed: hardly any process ever does.
		standIn ??= `exact:${crypto.randomUUID()}:`;
		return standIn + this.text;
	}
}

/** JSON has no way to write digits as they are, so a text that nobody can guess goes there first. */
let standIn: string | undefined;
let isEncoding = false;
let hasStandIn = false;

function stringify(value: unknown): string | undefined {
	isEncoding = true;
	hasStandIn = false;
	try {
		const text = JSON.stringify(value);
		return hasStandIn ? text.replaceAll(new RegExp(`"${standIn}([-+.\\deE]+)"`, 'g'), '$1') : text;
	} finally {
		isEncoding = false;
	}
}

/**
 * A number in a message with all its digits: `value` as it was parsed, or exact when a double lost some.
 * Anything else comes back as it is.
 * @param text the line that it came in, and `path` the keys that lead to it
 */
export function exactly(value: unknown, text: string, ...path: string[]): unknown {
	if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
	const digits = memberText(text, ...path);
	return digits === undefined || digits === String(value) ? value : new ExactNumber(digits);
}

export type Id = string | number | ExactNumber;

export interface RpcRequest {
	id: Id;
	method: string;
	params?: unknown;
}

export interface RpcNotification {
	method: string;
	params?: unknown;
}

export interface RpcErrorObject {
	code: number;
	message: string;
	data?: unknown;
}

export interface RpcResponse {
	id: Id | null;
	result?: unknown;
	error?: RpcErrorObject;
}

/** The numbers of the specification. */
export const rpcCodes = {
	parse: -32700,
	invalidRequest: -32600,
	methodNotFound: -32601,
	invalidParams: -32602,
	internal: -32603,
} as const;

/**
 * What a parsed value is. `invalid` says why in words for the answer. An answer that is `isBare` has neither
 * a result nor an error: it is one only to whoever waits for it. An `isNotice` is never answered.
 */
export type Message =
	| { kind: 'request'; message: RpcRequest }
	| { kind: 'notification'; message: RpcNotification }
	| { kind: 'response'; message: RpcResponse; isBare?: true }
	| { kind: 'invalid'; id: Id | null; reason: string; isNotice?: true };

/**
 * Tell what a parsed value is. `text` is the line it came from, asked only for
 * the digits of an id that is not a safe integer.
 */
export function readMessage(value: unknown, text: string): Message {
	if (!isObject(value)) return invalid(null, 'a message must be an object');
	const id = readId(value, text);
	if (value['jsonrpc'] !== '2.0') {
		const wrong = invalid(id ?? null, '`jsonrpc` must be "2.0"');
		return isNoticeName(value['method']) ? { ...wrong, isNotice: true } : wrong;
	}
	if ('method' in value) return readCall(value, id);
	if ('result' in value || 'error' in value) return readResponse(value, id);
	return id === undefined
		? invalid(null, 'a message needs a `method`, a `result` or an `error`')
		: // An answer without `result` counts as null; peers of the field send it.
			{ kind: 'response', message: { id, result: null }, isBare: true };
}

function readCall(value: Record<string, unknown>, id: Id | null | undefined): Message {
	const { method, params } = value;
	if (typeof method !== 'string') return invalid(id ?? null, '`method` must be a string');
	const hasParams = typeof params === 'object' && params !== null;
	// A notification is never answered, whatever is wrong with it.
	if (!('id' in value) || isNoticeName(method)) {
		return { kind: 'notification', message: { method, params: hasParams ? params : undefined } };
	}
	if (params !== undefined && !hasParams) {
		return invalid(id ?? null, '`params` must be an object or an array');
	}
	if (id === undefined || id === null) return invalid(null, '`id` must be a string or a number');
	return { kind: 'request', message: { id, method, params } };
}

function readResponse(value: Record<string, unknown>, id: Id | null | undefined): Message {
	if (id === undefined) return invalid(null, 'an answer needs an `id`');
	const { error, result } = value;
	if (error === undefined || error === null)
		return { kind: 'response', message: { id, result: result ?? null } };
	if (!isObject(error)) return invalid(id, '`error` must be an object');
	const code = typeof error['code'] === 'number' ? error['code'] : rpcCodes.internal;
	const message = typeof error['message'] === 'string' ? error['message'] : 'error without a message';
	const data = error['data'];
	return {
		kind: 'response',
		message: { id, error: data === undefined ? { code, message } : { code, message, data } },
	};
}

function readId(value: Record<string, unknown>, text: string): Id | null | undefined {
	const id = exactly(value['id'], text, 'id');
	return isId(id) || id === null ? id : undefined;
}

/** What an id may be. */
export function isId(value: unknown): value is Id {
	return typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber;
}

/** The methods that are never answered, whatever else is in the message. */
function isNoticeName(method: unknown): boolean {
	return typeof method === 'string' && method.startsWith('notifications/');
}

function invalid(id: Id | null, reason: string): Message & { kind: 'invalid' } {
	return { kind: 'invalid', id, reason };
}

/** The id of a message that was too long to read, from how it begins; undefined when it cannot be told. */
export function idFromHead(head: string): { id: Id; isRequest: boolean } | undefined {
	const [, text, next] =
		/^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)\s*,\s*"(\w+)"/.exec(
			head,
		) ?? [];
	if (text === undefined) return undefined;
	try {
		const id = exactly(JSON.parse(text), `{"id":${text}}`, 'id');
		return isId(id) ? { id, isRequest: next === 'method' || next === 'params' } : undefined;
	} catch {
		return undefined; // an id that is no JSON
	}
}

/** A value that tells ids apart: 1, "1" and a large number are three different calls. */
export function idKey(id: Id): string | number {
	return typeof id === 'object' ? `\u0000${id.text}` : id;
}

export function encodeRequest(id: Id, method: string, params: unknown): string {
	return `{"jsonrpc":"2.0","id":${encodeId(id)},"method":${JSON.stringify(method)}${encodeParams(params)}}`;
}

export function encodeNotification(method: string, params: unknown): string {
	return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${encodeParams(params)}}`;
}

export function encodeResult(id: Id, result: unknown): string {
	return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${stringify(result) ?? 'null'}}`;
}

/** An error answer. `undefined` leaves the id out, for peers that refuse `null`. */
export function encodeError(id: Id | null | undefined, error: RpcErrorObject): string {
	const head = id === undefined ? '' : `"id":${id === null ? 'null' : encodeId(id)},`;
	return `{"jsonrpc":"2.0",${head}"error":${stringify(error)}}`;
}

/** An id as it stands in a message. */
export function encodeId(id: Id): string {
	if (typeof id === 'number') return String(id);
	return typeof id === 'string' ? JSON.stringify(id) : id.text;
}

function encodeParams(params: unknown): string {
	const text = params === undefined ? undefined : stringify(params);
	return text === undefined ? '' : `,"params":${text}`;
}
