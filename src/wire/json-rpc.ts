/*
 * JSON-RPC 2.0 as text: type guards for received messages, encoders for sent ones.
 *
 * The guards are written by hand because they run for every message; a schema
 * library costs more than the rest of a call. Messages are encoded as text, in the
 * order jsonrpc, id, then the rest. An id is its JSON text, so it is echoed with all its
 * digits, and 1, "1" and 9007199254740993 are three ids.
 */
import { isObject } from './json.ts';
import { encodeJson, JsonText, jsonOf, textAt } from './json-text.ts';

/**
 * The id of a request or response: its JSON text, such as `7` or `"a"`. Two ids are equal when their texts are: a string
 * is written as `JSON.stringify` does, a number as the peer wrote it, unless it is a safe integer.
 */
export type Id = string;

export interface RpcRequest {
	id: Id;
	method: string;
	params?: unknown;
}

export interface RpcNotification {
	method: string;
	params?: unknown;
}

/** The `error` member of a response. */
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

/** The error codes of the JSON-RPC specification. */
export const rpcCodes = {
	parse: -32700,
	invalidRequest: -32600,
	methodNotFound: -32601,
	invalidParams: -32602,
	internal: -32603,
} as const;

/**
 * A classified message. `invalid` carries the reason for the error response. A response that `isBare` has neither
 * `result` nor `error`: it counts only when its id is pending. An invalid `isNotification` gets no response.
 */
export type Message =
	| { kind: 'request'; message: RpcRequest }
	| { kind: 'notification'; message: RpcNotification }
	| { kind: 'response'; message: RpcResponse; isBare?: true }
	| { kind: 'invalid'; id: Id | null; reason: string; isNotification?: true };

/** Classify a parsed value. `text` is its line, read only for the digits of an id that is not a safe integer. */
export function readMessage(value: unknown, text: string): Message {
	if (!isObject(value)) return invalid(null, 'a message must be an object');
	const id = readId(value, text);
	if (value['jsonrpc'] !== '2.0') {
		const wrong = invalid(id ?? null, '`jsonrpc` must be "2.0"');
		return isNotificationMethod(value['method']) ? { ...wrong, isNotification: true } : wrong;
	}
	if ('method' in value) return readCall(value, id);
	if ('result' in value || 'error' in value) return readResponse(value, id);
	return id === undefined
		? invalid(null, 'a message needs a `method`, a `result` or an `error`')
		: // A missing `result` counts as null; some servers omit it.
			{ kind: 'response', message: { id, result: null }, isBare: true };
}

function readCall(value: Record<string, unknown>, id: Id | null | undefined): Message {
	const { method, params } = value;
	if (typeof method !== 'string') return invalid(id ?? null, '`method` must be a string');
	const hasParams = typeof params === 'object' && params !== null;
	// A notification gets no response, even when it is invalid.
	if (!('id' in value) || isNotificationMethod(method)) {
		return { kind: 'notification', message: { method, params: hasParams ? params : undefined } };
	}
	if (params !== undefined && !hasParams) {
		return invalid(id ?? null, '`params` must be an object or an array');
	}
	if (id === undefined || id === null) return invalid(null, '`id` must be a string or a number');
	return { kind: 'request', message: { id, method, params } };
}

function readResponse(value: Record<string, unknown>, id: Id | null | undefined): Message {
	if (id === undefined) return invalid(null, 'a response needs an `id`');
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
	return value['id'] === null ? null : idOf(value['id'], text, 'id');
}

/**
 * The id that is the value at `path` in the message `text`; undefined for a value that is no id. The text is read only
 * for the digits of a number that is not a safe integer.
 */
export function idOf(value: unknown, text: string, ...path: string[]): Id | undefined {
	if (typeof value === 'string') return JSON.stringify(value);
	if (typeof value !== 'number') return undefined;
	// `-0` is a safe integer, and would be written as `0`.
	const isSafe = Number.isSafeInteger(value) && !Object.is(value, -0);
	return isSafe ? String(value) : (textAt(text, ...path) ?? String(value));
}

/** Methods that never get a response, even when the message has an id. */
function isNotificationMethod(method: unknown): boolean {
	return typeof method === 'string' && method.startsWith('notifications/');
}

function invalid(id: Id | null, reason: string): Message & { kind: 'invalid' } {
	return { kind: 'invalid', id, reason };
}

export function encodeRequest(id: Id | number, method: string, params: unknown): string {
	return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${encodeParams(params)}}`;
}

export function encodeNotification(method: string, params: unknown): string {
	return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${encodeParams(params)}}`;
}

export function encodeResult(id: Id, result: unknown): string {
	const text = result instanceof JsonText ? result.text : encodeJson(result);
	return `{"jsonrpc":"2.0","id":${id},"result":${text}}`;
}

/** An error response. `undefined` omits the id, for peers that reject `null`. */
export function encodeError(id: Id | null | undefined, error: RpcErrorObject): string {
	const head = id === undefined ? '' : `"id":${id},`;
	return `{"jsonrpc":"2.0",${head}"error":${encodeJson(error)}}`;
}

function encodeParams(params: unknown): string {
	const text = params === undefined ? undefined : jsonOf(params);
	return text === undefined ? '' : `,"params":${text}`;
}
