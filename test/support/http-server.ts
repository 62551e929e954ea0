/* Raw HTTP servers that behave as a test says, and a peer over the HTTP client. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { Log } from '../../src/log.ts';
import type { IncomingCall } from '../../src/rpc/calls/incoming-call.ts';
import { Peer } from '../../src/rpc/peer.ts';
import type { HttpClientOptions } from '../../src/transport/http/http-client-options.ts';
import { openHttpTransport } from '../../src/transport/http/open-http-transport.ts';
import type { Transport } from '../../src/transport/transport.ts';

export interface Received {
	method: string;
	path: string;
	headers: IncomingHttpHeaders;
	body: string;
	/** The body, parsed; an empty object when there is none. */
	message: { id?: number | string; method?: string; params?: Record<string, unknown> };
	response: ServerResponse;
	/** Resolves when the connection of this request is closed. */
	closed: Promise<void>;
}

export interface RawServer {
	url: string;
	port: number;
	/** Everything received, in order. */
	received: Received[];
	/** The JSON-RPC methods received by POST. */
	methods(): string[];
	/** Break every connection. */
	cut(): void;
	/** Stop; break every connection. */
	stop(): Promise<void>;
}

export type Handler = (request: Received, response: ServerResponse) => unknown;

/** Serve every request with `handler`, on `port` or any free port. Stopped at the end of the test. */
export async function serveRaw(handler: Handler, port = 0): Promise<RawServer> {
	const received: Received[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const body = Buffer.concat(chunks).toString('utf8');
			const { method = '', url: path = '', headers } = request;
			const closed = new Promise<void>((resolve) => response.once('close', resolve));
			const one = { method, path, headers, body, message: parse(body), response, closed };
			received.push(one);
			handler(one, response);
		});
	});
	await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
	const stop = (): Promise<void> =>
		new Promise((resolve) => {
			server.close(() => resolve());
			server.closeAllConnections();
		});
	onTestFinished(stop);
	const address = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${address.port}/mcp`,
		port: address.port,
		received,
		methods: () => received.filter((r) => r.method === 'POST').map((r) => r.message.method ?? ''),
		cut: () => server.closeAllConnections(),
		stop,
	};
}

function parse(body: string): Received['message'] {
	try {
		return JSON.parse(body) as Received['message'];
	} catch {
		return {};
	}
}

export function sendJson(response: ServerResponse, value: unknown, status = 200, headers = {}): void {
	response.writeHead(status, { 'content-type': 'application/json', ...headers });
	response.end(JSON.stringify(value));
}

export function result(id: unknown, value: unknown = {}): unknown {
	return { jsonrpc: '2.0', id, result: value };
}

export function rpcFailure(id: unknown, code: number, message: string): unknown {
	return { jsonrpc: '2.0', id, error: { code, message } };
}

/** Begin a stream of events. */
export function beginEvents(response: ServerResponse, headers = {}): void {
	response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
	response.flushHeaders();
}

export function event(value: unknown, id?: string): string {
	return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`;
}

/** Answers the handshake of the legacy era: true when it did. `session`: the id of the session. */
export function answersHandshake(
	{ message, method }: Received,
	response: ServerResponse,
	session?: string,
): boolean {
	const isEmpty = method !== 'POST' || message.method?.startsWith('notifications/') === true;
	if (isEmpty) response.writeHead(method === 'GET' ? 405 : 202).end();
	if (isEmpty || message.method !== 'initialize') return isEmpty;
	const value = {
		protocolVersion: '2025-11-25',
		capabilities: {},
		serverInfo: { name: 'raw', version: '1' },
	};
	sendJson(
		response,
		result(message.id, value),
		200,
		session === undefined ? {} : { 'mcp-session-id': session },
	);
	return true;
}

export interface Connected {
	transport: Transport;
	peer: Peer;
	notifications: { method: string; params: unknown }[];
	logged: string[];
	ends: unknown[];
}

export interface ConnectOptions extends HttpClientOptions {
	kind?: 'http' | 'sse';
	onRequest?: (call: IncomingCall) => unknown;
}

/** A peer over the HTTP client. Closed at the end of the test. */
export async function connectHttp(url: string, options: ConnectOptions = {}): Promise<Connected> {
	const logged: string[] = [];
	const log = new Log('http', {
		level: 'debug',
		format: 'text',
		write: (line) => void logged.push(line),
		now: () => new Date(0),
	});
	const transport = await openHttpTransport(url, { log, ...options });
	onTestFinished(() => transport.close());
	const notifications: Connected['notifications'] = [];
	const ends: unknown[] = [];
	const peer = new Peer(transport, {
		onNotification: (method, params) => void notifications.push({ method, params }),
		...(options.onRequest && { onRequest: options.onRequest }),
		onEnd: (reason) => {
			ends.push(reason);
			void transport.close(); // as a client does
		},
	});
	transport.start(peer);
	return { transport, peer, notifications, logged, ends };
}

/** Complete the handshake of the legacy era. */
export async function initialize(peer: Peer): Promise<unknown> {
	const params = {
		protocolVersion: '2025-11-25',
		capabilities: {},
		clientInfo: { name: 'test', version: '1' },
	};
	const answer = await peer.request('initialize', params);
	peer.notify('notifications/initialized');
	return answer;
}

/** Params of a request of the modern era. */
export function modern(params: Record<string, unknown> = {}): Record<string, unknown> {
	return {
		...params,
		_meta: {
			'io.modelcontextprotocol/protocolVersion': '2026-07-28',
			'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
			'io.modelcontextprotocol/clientCapabilities': {},
		},
	};
}
