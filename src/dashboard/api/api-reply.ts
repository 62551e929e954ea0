/*
 * Replies of the dashboard's API: JSON without secrets, never cached, compressed when it is large.
 *
 * No header has a value that a server or client chose.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';
import { type ErrorCode, OrchestraError } from '../../errors.ts';
import type { HttpExchange } from '../../http/http-exchange.ts';
import { redact, redactJson } from '../../redact.ts';
import { COMPRESSED_FROM_BYTES } from '../dashboard-limits.ts';
import type { ApiError, ApiFailure } from './api-types.ts';

/** The headers of every reply. */
export const safeHeaders: Readonly<Record<string, string>> = {
	'Content-Security-Policy':
		"default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	'X-Content-Type-Options': 'nosniff',
	'X-Frame-Options': 'DENY',
	'Referrer-Policy': 'no-referrer',
	'Cross-Origin-Opener-Policy': 'same-origin',
	'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The headers of what changes. */
export const apiHeaders: Readonly<Record<string, string>> = {
	...safeHeaders,
	'Cache-Control': 'no-store',
	'Content-Type': 'application/json',
};

/** One request of the API. */
export interface ApiExchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly streams: HttpExchange['streams'];
	readonly query: URLSearchParams;
	/** The parts of the path after `/api/`, decoded. */
	readonly path: readonly string[];
	/** The body of a POST. */
	readonly body: Readonly<Record<string, unknown>>;
	/** Which login sends the request. */
	readonly login: string;
	/** Aborted when the client disconnects before the end of the reply. */
	readonly signal: AbortSignal;
}

/** Send a value without secrets. Does nothing when the client is gone. */
export function replyApi(
	{ request, response }: Pick<ApiExchange, 'request' | 'response'>,
	value: unknown,
): void {
	replyEncoded({ request, response }, JSON.stringify(redactJson(value)));
}

/** Send JSON that has no secrets. */
export function replyEncoded(
	{ request, response }: Pick<ApiExchange, 'request' | 'response'>,
	json: string,
): void {
	const bytes = Buffer.from(json);
	const accepted = request.headers['accept-encoding'] ?? '';
	if (bytes.length < COMPRESSED_FROM_BYTES || !/\bgzip\b/.test(accepted)) return send(response, 200, bytes);
	gzip(bytes, { level: 3 }, (error, packed) => {
		if (error) send(response, 200, bytes);
		else send(response, 200, packed, { 'Content-Encoding': 'gzip' });
	});
}

const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
	bad_input: 400,
	parse: 400,
	not_found: 404,
	timeout: 504,
	canceled: 499,
	internal: 500,
};

/** Send an error with its explanation. */
export function replyFailure(response: ServerResponse, thrown: unknown, status?: number): void {
	const error = apiError(thrown);
	const body: ApiFailure = { error };
	const code = statuses[OrchestraError.from(thrown).code] ?? 502;
	send(response, status ?? code, JSON.stringify(body));
}

/** Send a status with a code and nothing else, and close the connection: the rest of the request is not read. */
export function refuseApi(response: ServerResponse, status: number, code: string): void {
	send(response, status, JSON.stringify({ error: { code, message: code } }), { Connection: 'close' });
}

/** An error for a user, without secrets. */
export function apiError(thrown: unknown): ApiError {
	const { code, message, hint } = OrchestraError.from(thrown);
	return { code, message: redact(message), hint: hint === undefined ? undefined : redact(hint) };
}

/** Send a whole reply. Does nothing when the client is gone. */
export function send(
	response: ServerResponse,
	status: number,
	body: Buffer | string,
	headers: Readonly<Record<string, string>> = {},
): void {
	if (response.headersSent || response.destroyed) return;
	response.writeHead(status, { ...apiHeaders, ...headers, 'Content-Length': Buffer.byteLength(body) });
	response.end(body);
}

/** Send a short text. */
export function sendText(response: ServerResponse, status: number, text: string): void {
	send(response, status, text, { 'Content-Type': 'text/plain; charset=utf-8' });
}
