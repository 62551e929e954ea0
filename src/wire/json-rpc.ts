/*
 * JSON-RPC 2.0 as text: type guards for received messages, encoders for sent ones.
 *
 * The guards are written by hand because they run for every message; a schema
 * library costs more than the rest of a call. Messages are encoded as text, in the
 * order jsonrpc, id, then the rest, so that an id is echoed byte for byte:
 * `ExactNumber` keeps the digits that a double would lose, in an id or elsewhere.
 */
import { isObject, memberText } from './json.ts';
import { sourceTextOf } from './source-text.ts';

/** A number kept as its text, because a double cannot hold it. */
export class ExactNumber {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}

	/** A number; inside our own encoder, a placeholder that is replaced by the digits. */
	toJSON(): unknown {
		if (!isEncoding) return Number(this.text);
		hasPlaceholder = true;
		// Created on first use: few processes need it.
		placeholder ??= `exact:${crypto.randomUUID()}:`;
		return placeholder + this.text;
	}
}

/** JSON kept as its text, to be written as it was read. Inside our own messages only. */
export class JsonText {
	readonly text: string;

	/** @param text must be well-formed and without line breaks */
	constructor(text: string) {
		this.text = text;
	}

	toJSON(): unknown {
		return embedText(this.text) ?? JSON.parse(this.text);
	}
}

/** For `toJSON`: what our encoder replaces by `text`; undefined in any other encoder. */
export function embedText(text: string): string | undefined {
	if (!isEncoding) return undefined;
	hasPlaceholder = true;
	placeholder ??= `exact:${crypto.randomUUID()}:`;
	return `${placeholder}#${embedded.push(text) - 1}`;
}

/** `JSON.stringify` cannot write raw text, so an unguessable placeholder string is written first. */
let placeholder: string | undefined;
let isEncoding = false;
let hasPlaceholder = false;
let embedded: string[] = [];

/** The JSON text of a value, with numbers and texts that are kept as they were written. */
export function encodeJson(value: unknown): string {
	return stringify(value) ?? 'null';
}

function stringify(value: unknown): string | undefined {
	isEncoding = true;
	hasPlaceholder = false;
	try {
		const text = JSON.stringify(value);
		if (!hasPlaceholder) return text;
		const pattern = new RegExp(`"${placeholder}(?:#(\\d+)|([-+.\\deE]+))"`, 'g');
		return text.replace(
			pattern,
			(_all, at?: string, digits?: string) => digits ?? embedded[Number(at)] ?? 'null',
		);
	} finally {
		isEncoding = false;
		if (embedded.length > 0) embedded = [];
	}
}

/**
 * The number `value` with all its digits: an `ExactNumber` when the double lost some. Other values are returned unchanged.
 * @param text the received line; `path` is the key path of the value in it
 */
export function exactly(value: unknown, text: string, ...path: string[]): unknown {
	if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
	const digits = memberText(text, ...path);
	return digits === undefined || digits === String(value) ? value : new ExactNumber(digits);
}

/** `jsonrpc`, `id` and `result`. */
const PLAIN_MEMBERS = 3;

/** The id of a request or response. */
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
	/** True when it has no member besides `jsonrpc`, `id` and `result`. */
	isPlain?: boolean;
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

function isPlainResponse(value: object): boolean {
	return Object.keys(value).length === PLAIN_MEMBERS;
}

function readResponse(value: Record<string, unknown>, id: Id | null | undefined): Message {
	if (id === undefined) return invalid(null, 'a response needs an `id`');
	const { error, result } = value;
	if (error === undefined || error === null)
		return { kind: 'response', message: { id, result: result ?? null, isPlain: isPlainResponse(value) } };
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

/** True for a valid id. */
export function isId(value: unknown): value is Id {
	return typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber;
}

/** Methods that never get a response, even when the message has an id. */
function isNotificationMethod(method: unknown): boolean {
	return typeof method === 'string' && method.startsWith('notifications/');
}

function invalid(id: Id | null, reason: string): Message & { kind: 'invalid' } {
	return { kind: 'invalid', id, reason };
}

const VERSION_MEMBER = '(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?';
const ID_HEAD: RegExp = new RegExp(
	`^\\s*\\{\\s*${VERSION_MEMBER}"id"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*"|-?\\d[\\d.eE+-]*)\\s*,\\s*${VERSION_MEMBER}"(\\w+)"`,
);
const RESPONSE_HEAD: RegExp = new RegExp(`^\\s*\\{\\s*${VERSION_MEMBER}"(?:result|error)"\\s*:`);
const ID_TAIL = /[,{]\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** The id of an oversize message, read from its first bytes; undefined when it is not there. */
export function idFromHead(head: string): { id: Id; isRequest: boolean } | undefined {
	const [, text, next] = ID_HEAD.exec(head) ?? [];
	if (text === undefined) return undefined;
	try {
		const id = exactly(JSON.parse(text), `{"id":${text}}`, 'id');
		return isId(id) ? { id, isRequest: next === 'method' || next === 'params' } : undefined;
	} catch {
		return undefined; // the id is not valid JSON
	}
}

/** Whether an oversize message is a response whose id comes after its result. */
export function isResponseHead(head: string): boolean {
	return RESPONSE_HEAD.test(head);
}

/** The id at the end of a response such as `{"result":…,"jsonrpc":"2.0","id":1}`; undefined when it is not there. */
export function idFromTail(tail: string): number | undefined {
	// The last brace ends the message, so a member directly before it is one of the message.
	const [, digits] = ID_TAIL.exec(tail) ?? [];
	return digits === undefined ? undefined : Number(digits);
}

/** A map key for an id: 1, "1" and a large number are three different keys. */
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
	const text = sourceTextOf(result) ?? stringify(result) ?? 'null';
	return `{"jsonrpc":"2.0","id":${encodeId(id)},"result":${text}}`;
}

/** An error response. `undefined` omits the id, for peers that reject `null`. */
export function encodeError(id: Id | null | undefined, error: RpcErrorObject): string {
	const head = id === undefined ? '' : `"id":${id === null ? 'null' : encodeId(id)},`;
	const data = sourceTextOf(error.data);
	const sent = data === undefined ? error : { ...error, data: new JsonText(data) };
	return `{"jsonrpc":"2.0",${head}"error":${stringify(sent)}}`;
}

/** An id as JSON text. */
export function encodeId(id: Id): string {
	if (typeof id === 'number') return String(id);
	return typeof id === 'string' ? JSON.stringify(id) : id.text;
}

function encodeParams(params: unknown): string {
	const text = params === undefined ? undefined : stringify(params);
	return text === undefined ? '' : `,"params":${text}`;
}
