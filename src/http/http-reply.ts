/* Replies with a JSON body. An error without a known id has no `id`: null is invalid in every revision. */
import type { ServerResponse } from 'node:http';
import { encodeError, type Id, rpcCodes } from '../wire/json-rpc.ts';

/** JSON-RPC codes for errors of HTTP; those of servers begin at -32000. */
export const httpCodes = { refused: -32000, sessionNotFound: -32001 } as const;

/** Send `text` as the whole reply. Does nothing when the client is gone or the reply has begun. */
export function replyJson(response: ServerResponse, status: number, text: string): void {
	if (response.headersSent || response.destroyed) return;
	response.writeHead(status, {
		'Content-Type': 'application/json',
		'Content-Length': Buffer.byteLength(text),
	});
	response.end(text);
}

export interface HttpRefusal {
	readonly status: number;
	readonly code?: number;
	readonly message: string;
	readonly data?: unknown;
	readonly id?: Id | undefined;
	readonly headers?: Readonly<Record<string, string>>;
	/** The rest of the request is not read, so the connection cannot be used again. */
	readonly closes?: boolean;
}

/** The refusal of an invalid request. */
export function invalidRequest(message: string, id?: Id): HttpRefusal {
	return { status: 400, code: rpcCodes.invalidRequest, message, id };
}

/** Send a JSON-RPC error. */
export function refuse(response: ServerResponse, refusal: HttpRefusal): void {
	if (response.headersSent || response.destroyed) return;
	const { status, code = httpCodes.refused, message, data, id, headers = {}, closes } = refusal;
	for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
	if (closes) response.setHeader('Connection', 'close');
	const error = data === undefined ? { code, message } : { code, message, data };
	replyJson(response, status, encodeError(id, error));
}

/** Send a status without a body. */
export function replyEmpty(response: ServerResponse, status: number): void {
	if (response.headersSent || response.destroyed) return;
	response.writeHead(status, { 'Content-Length': 0 });
	response.end();
}
