/* MCP servers of the official SDK over HTTP, both major versions. */
import { randomUUID } from 'node:crypto';
import {
	createServer,
	type IncomingMessage,
	type RequestListener,
	type Server,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, type McpHttpHandler, McpServer as McpServer2 } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

export interface SdkHttpServer {
	url: string;
	/** Calls of the tool `count`, over all sessions. */
	calls: number;
	/** Forget every session, as a restart does. */
	forgetSessions(): void;
}

/** SDK 1.x, Streamable HTTP with sessions. */
export async function serveSdk1(): Promise<SdkHttpServer> {
	const sessions = new Map<string, StreamableHTTPServerTransport>();
	const about = { calls: 0 };
	const url = await listen(async (request, response) => {
		const known = sessions.get(String(request.headers['mcp-session-id']));
		if (request.headers['mcp-session-id'] !== undefined && !known)
			return void response.writeHead(404).end('Session not found');
		if (known) return known.handleRequest(request, response);
		const transport = new StreamableHTTPServerTransport({
			sessionIdGenerator: () => randomUUID(),
			onsessioninitialized: (id) => void sessions.set(id, transport),
		});
		await server1(about).connect(transport);
		await transport.handleRequest(request, response);
	});
	return {
		url,
		get calls() {
			return about.calls;
		},
		forgetSessions: () => sessions.clear(),
	};
}

/** SDK 1.x, the HTTP+SSE transport of 2024-11-05. */
export async function serveSdkSse(): Promise<{ url: string; cut(): void }> {
	let current: SSEServerTransport | undefined;
	let stream: ServerResponse | undefined;
	const url = await listen(async (request, response) => {
		if (request.method === 'GET') {
			stream = response;
			current = new SSEServerTransport('/messages', response);
			return server1({ calls: 0 }).connect(current);
		}
		if (request.url?.startsWith('/messages')) return current?.handlePostMessage(request, response);
		response.writeHead(404).end('Cannot POST /mcp');
	});
	return { url, cut: () => stream?.destroy() };
}

function server1(about: { calls: number }): McpServer1 {
	const server = new McpServer1({ name: 'sdk1', version: '1' }, { capabilities: { logging: {} } });
	server.registerTool('count', { inputSchema: { text: z.string() } }, ({ text }) => {
		about.calls++;
		return { content: [{ type: 'text', text }] };
	});
	server.registerTool('ask', { inputSchema: {} }, async (_input, extra) => {
		const roots = await extra.sendRequest({ method: 'roots/list' }, z.object({ roots: z.array(z.any()) }));
		return { content: [{ type: 'text', text: String(roots.roots.length) }] };
	});
	server.registerTool('steps', { inputSchema: {} }, async (_input, extra) => {
		const progressToken = extra._meta?.progressToken ?? 0;
		for (const progress of [1, 2])
			await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress } });
		return { content: [{ type: 'text', text: 'done' }] };
	});
	server.registerTool('announce', { inputSchema: {} }, () => {
		setImmediate(() => server.sendToolListChanged());
		return { content: [] };
	});
	server.registerTool(
		'wait',
		{ inputSchema: {} },
		(_input, extra) =>
			new Promise((_resolve, reject) => {
				about.calls = 1;
				extra.signal.addEventListener('abort', () => {
					about.calls = -1;
					reject(new Error('canceled'));
				});
			}),
	);
	return server;
}

export interface SdkModernServer {
	url: string;
	handler: McpHttpHandler;
	/** What happened to a call of the tool `wait`. */
	wait: 'none' | 'begun' | 'canceled';
}

/** SDK 2.x, both eras. */
export async function serveSdk2(responseMode: 'auto' | 'sse' | 'json' = 'auto'): Promise<SdkModernServer> {
	const about: Pick<SdkModernServer, 'wait'> = { wait: 'none' };
	const handler = createMcpHandler(() => server2(about), { responseMode });
	const url = await listen((request, response) => bridge(handler, request, response));
	return {
		url,
		handler,
		get wait() {
			return about.wait;
		},
	};
}

function server2(about: Pick<SdkModernServer, 'wait'>): McpServer2 {
	const server = new McpServer2(
		{ name: 'sdk2', version: '1' },
		{ capabilities: { tools: { listChanged: true } } },
	);
	server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
		content: [{ type: 'text', text }],
	}));
	const region = z.string().meta({ 'x-mcp-header': 'Region' });
	server.registerTool('located', { inputSchema: z.object({ region }) }, (input) => ({
		content: [{ type: 'text', text: input.region }],
	}));
	server.registerTool('wait', { inputSchema: z.object({}) }, async (_input, context) => {
		about.wait = 'begun';
		await new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', resolve));
		about.wait = 'canceled';
		return { content: [] };
	});
	return server;
}

/** A web-standard handler behind `node:http`. */
export async function bridge(
	handler: Pick<McpHttpHandler, 'fetch'>,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const gone = new AbortController();
	response.once('close', () => gone.abort());
	const hasBody = request.method === 'POST';
	const answer = await handler.fetch(
		new Request(`http://${request.headers.host}${request.url}`, {
			method: request.method ?? 'GET',
			headers: request.headers as Record<string, string>,
			...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
			signal: gone.signal,
		}),
	);
	response.writeHead(answer.status, Object.fromEntries(answer.headers));
	response.flushHeaders();
	if (answer.body) for await (const chunk of answer.body) response.write(chunk);
	response.end();
}

/** The URL of a server that ends with the test. */
export async function listen(
	handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
	const listener: RequestListener = (request, response) => {
		Promise.resolve(handle(request, response)).catch(() => response.destroy());
	};
	const server: Server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(
		() =>
			new Promise<void>((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	);
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
