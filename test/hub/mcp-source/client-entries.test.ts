/* Keys that entries of MCP clients have work as their clients mean them, with servers of the official SDK. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { atEnd } from '../../support/at-end.ts';
import { serveServers } from '../../support/served-hub.ts';
import { temporaryFolder } from '../../support/workspace.ts';

describe('an entry', () => {
	it('with the type ws is reached by WebSocket, with its headers', async () => {
		const seen: IncomingMessage['headers'][] = [];
		const url = await serveSockets(({ headers }) => seen.push(headers) > 0);
		const hub = await serveServers({ sdk: { type: 'ws', url, headers: { 'X-Team': 'a' } } });
		const client = await hub.client();
		expect(await client.call('sdk__hello', {})).toBe('hello');
		expect(seen.at(-1)?.['x-team']).toBe('a');
	});

	it('with a Unix socket that is not there says where it looked', async () => {
		const hub = await serveServers({ sdk: { type: 'http', url: 'unix:///nowhere/mcp.sock#/mcp' } });
		const { message } = await (await hub.client()).failure('sdk__hello');
		expect(message).toContain('ENOENT /nowhere/mcp.sock');
		expect(message).toContain('unix:///nowhere/mcp.sock');
	});

	it('with a Unix socket as its URL is reached there, with the path behind #', async () => {
		const socket = join(temporaryFolder(), 'mcp.sock');
		const paths: (string | undefined)[] = [];
		await serveHttp(socket, ({ url }) => paths.push(url) > 0);
		const hub = await serveServers({ sdk: { type: 'http', url: `unix://${socket}#/mcp/v1` } });
		const client = await hub.client();
		expect(await client.call('sdk__hello', {})).toBe('hello');
		expect(new Set(paths)).toEqual(new Set(['/mcp/v1']));
	});

	it.each(['http', 'ws'])(
		'with headersHelper runs it to connect, and once more when it is refused (%s)',
		async (type) => {
			const ran = join(temporaryFolder(), 'ran');
			const seen: unknown[] = [];
			const isAllowed = ({ headers }: IncomingMessage): boolean => {
				seen.push(headers['x-token']);
				return headers['x-token'] === 'fresh for sdk';
			};
			const url = type === 'ws' ? await serveSockets(isAllowed) : await serveHttp(0, isAllowed);
			const word = `$(test -e ${ran} && echo fresh || echo stale)`;
			const headersHelper = `printf '{"X-Token":"%s"}' "${word} for $CLAUDE_CODE_MCP_SERVER_NAME"; touch ${ran}`;
			const entry = { type, url, headersHelper, headers: { 'X-Token': 'replaced' } };
			const hub = await serveServers({ sdk: entry });
			const client = await hub.client();
			expect(await client.call('sdk__hello', {})).toBe('hello');
			expect(new Set(seen)).toEqual(new Set(['stale for sdk', 'fresh for sdk']));
		},
	);

	it('with a headersHelper that fails says why', async () => {
		const url = await serveHttp(0, () => true);
		const hub = await serveServers({ sdk: { type: 'http', url, headersHelper: 'echo no headers' } });
		const client = await hub.client();
		expect((await client.failure('sdk__hello')).message).toContain(
			'headersHelper of sdk failed: it did not print a JSON object of strings',
		);
	});

	it('with envFile gets its variables; those of env win', async () => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, '.env'), '# comment\nA="from file"\nexport B=two\nC=three # note\n');
		const program = `const lines = require('node:readline').createInterface({ input: process.stdin });
			lines.on('line', (line) => {
				const { id, method } = JSON.parse(line);
				if (id === undefined) return;
				const { A, B, C } = process.env;
				const results = {
					initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
					'tools/list': { tools: [{ name: 'env', inputSchema: { type: 'object' } }] },
					'tools/call': { content: [{ type: 'text', text: [A, B, C].join('|') }] },
				};
				const error = { code: -32601, message: 'no' };
				console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(results[method] ? { result: results[method] } : { error }) }));
			});`;
		const entry = {
			command: process.execPath,
			args: ['-e', program],
			envFile: join(folder, '.env'),
			env: { B: 'own' },
		};
		const hub = await serveServers({
			plain: entry,
			missing: { ...entry, envFile: join(folder, 'none') },
			folder: { ...entry, envFile: folder },
		});
		const client = await hub.client();
		expect(await client.call('plain__env', {})).toBe('from file|own|three');
		expect((await client.failure('missing__env')).message).toContain('envFile cannot be read: ENOENT');
		expect((await client.failure('folder__env')).message).toMatch(
			/envFile cannot be read: .*not a regular file|envFile cannot be read: .*folder/,
		);
	});

	it('with alwaysLoad is listed although agents search', async () => {
		const url = await serveHttp(0, () => true);
		const servers = { sdk: { type: 'http', url, alwaysLoad: true }, other: { type: 'http', url } };
		const hub = await serveServers(servers, { more: { toolList: { expose: 'search' } } });
		const client = await hub.client();
		const { tools } = await client.request('tools/list');
		const names = (tools as { name: string }[]).map(({ name }) => name);
		expect(names).toContain('sdk__hello');
		expect(names).not.toContain('other__hello');
		expect(names).toContain('find_tools');
	});
});

function sdkServer(): McpServer {
	const server = new McpServer({ name: 'sdk', version: '1.0.0' });
	server.registerTool('hello', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
	return server;
}

/** A WebSocket server that opens a session of the SDK for each connection that is allowed. */
async function serveSockets(isAllowed: (request: IncomingMessage) => boolean): Promise<string> {
	const server = new WebSocketServer({
		host: '127.0.0.1',
		port: 0,
		verifyClient: ({ req }, done) => done(isAllowed(req), 401),
	});
	await once(server, 'listening');
	server.on('connection', (socket) => void sdkServer().connect(socketTransport(socket)));
	atEnd(() => {
		for (const socket of server.clients) socket.terminate();
		server.close();
	});
	return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function socketTransport(socket: WebSocket): Transport {
	const transport: Transport = {
		start: async () => {
			socket.on('message', (data) => transport.onmessage?.(JSON.parse((data as Buffer).toString('utf8'))));
			socket.on('close', () => transport.onclose?.());
		},
		send: async (message) => socket.send(JSON.stringify(message)),
		close: async () => socket.close(),
	};
	return transport;
}

/** A stateless HTTP server of the SDK at a port or Unix socket. */
async function serveHttp(
	place: number | string,
	isAllowed: (request: IncomingMessage) => boolean,
): Promise<string> {
	const server = createServer(async (request, response) => {
		if (!isAllowed(request)) return void response.writeHead(401).end();
		const transport = new StreamableHTTPServerTransport({});
		await sdkServer().connect(transport);
		await transport.handleRequest(request, response);
	});
	if (typeof place === 'string') server.listen(place);
	else server.listen(place, '127.0.0.1');
	await once(server, 'listening');
	atEnd(() => {
		server.closeAllConnections();
		server.close();
	});
	return typeof place === 'string' ? place : `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
