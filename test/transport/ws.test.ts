/* The WebSocket transport, against servers on `ws`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { openWsTransport, RefusedConnection } from '../../src/transport/ws-transport.ts';
import { atEnd } from '../support/at-end.ts';
import { transportContract } from '../support/transport-contract.ts';
import { until } from '../support/waiting.ts';

transportContract('WebSocket', async () => {
	const server = await serve((socket) =>
		socket.on('message', (data) => socket.send((data as Buffer).toString('utf8'))),
	);
	const transport = await openWsTransport(server.url);
	return { transport, endOther: () => server.sockets.forEach((socket) => socket.terminate()) };
});

describe('a WebSocket transport', () => {
	it.each([
		['one that knows the subprotocol', 'mcp'],
		['one that knows none', undefined],
	])('connects to %s, once for good', async (_, protocol) => {
		const server = await serve((socket) => socket.send('"hello"'), protocol);
		const transport = await openWsTransport(server.url, { headers: { 'X-Token': 'a' } });
		const messages: string[] = [];
		transport.start({ message: (text) => messages.push(text), oversize: () => {}, end: () => {} });
		await until('its first message came', () => messages.length === 1);
		expect(server.sockets.at(-1)?.protocol).toBe(protocol ?? '');
		expect(server.headers.at(-1)?.['x-token']).toBe('a');
		await transport.close();
	});

	it('delivers a message with line breaks as one line, and no binary frames', async () => {
		const server = await serve((socket) => {
			socket.send(Buffer.from('"binary"'));
			socket.send('{\n\t"a": 1,\r\n"b": "x\\n"}');
		});
		const transport = await openWsTransport(server.url);
		const messages: string[] = [];
		transport.start({ message: (text) => messages.push(text), oversize: () => {}, end: () => {} });
		await until('a message came', () => messages.length > 0);
		expect(messages.map((text) => [/[\r\n]/.test(text), JSON.parse(text)])).toEqual([
			[false, { a: 1, b: 'x\n' }],
		]);
		await transport.close();
	});

	it('ends at a message above the limit, and says so', async () => {
		const server = await serve((socket) => socket.send(JSON.stringify('x'.repeat(5000))));
		const transport = await openWsTransport(server.url, { limitBytes: 1000, serverName: 'files' });
		const ends: string[] = [];
		transport.start({ message: () => {}, oversize: () => {}, end: ({ message }) => ends.push(message) });
		await until('it ended', () => ends.length === 1);
		expect(ends[0]).toMatch(/^files broke the connection: Max payload size exceeded/);
		await transport.close();
	});

	it('is not given up while it is paused, and stops reading then', async () => {
		const server = await serve((socket) =>
			socket.on('message', (data) => socket.send((data as Buffer).toString('utf8'))),
		);
		const transport = await openWsTransport(server.url, { pingMs: 20 });
		const messages: string[] = [];
		transport.start({ message: (text) => messages.push(text), oversize: () => {}, end: () => {} });
		transport.logStray('');
		transport.pause();
		for (let n = 0; n < 50; n++) transport.post(JSON.stringify('x'.repeat(100_000)));
		await transport.flushed();
		// The same silence ends another connection, which began later.
		const silent = await serve((socket) => socket.pause());
		const control = await openWsTransport(silent.url, { pingMs: 20 });
		control.start({ message: () => {}, oversize: () => {}, end: () => {} });
		await until('the other one was given up', () => control.isClosed);
		expect(messages.length).toBeLessThan(50);
		expect(transport.isClosed).toBe(false);
		transport.resume();
		await until('all came', () => messages.length === 50);
		await transport.close();
	});

	it('ends when the other end gives no sign, and closes although it does not agree', async () => {
		const server = await serve((socket) => socket.pause());
		const silent = await openWsTransport(server.url, { pingMs: 50 });
		const ends: string[] = [];
		silent.start({ message: () => {}, oversize: () => {}, end: ({ message }) => ends.push(message) });
		await until('it was given up', () => silent.isClosed);
		expect(ends).toEqual([expect.stringContaining('has been silent for 0.05 s')]);
		const deaf = await openWsTransport(server.url);
		await deaf.close();
		expect(deaf.isClosed).toBe(true);
	});

	it('ends a handshake that takes long when its caller gives up', async () => {
		const silent = createTcpServer(() => {});
		silent.listen(0, '127.0.0.1');
		await once(silent, 'listening');
		atEnd(() => silent.close());
		const { port } = silent.address() as AddressInfo;
		const gaveUp = new AbortController();
		const opening = openWsTransport(new URL(`ws://127.0.0.1:${port}/mcp`), { signal: gaveUp.signal });
		await once(silent, 'connection');
		gaveUp.abort();
		await expect(opening).rejects.toMatchObject({ code: 'io' });
	});

	it('reports a refusal with its status, and a server that is not there with the reason', async () => {
		const http = createServer((_, response) => response.writeHead(401).end());
		http.listen(0, '127.0.0.1');
		await once(http, 'listening');
		atEnd(() => http.close());
		const { port } = http.address() as AddressInfo;
		const url = new URL(`ws://127.0.0.1:${port}/mcp`);
		const refused = await openWsTransport(url).catch((error: unknown) => error);
		expect(refused).toBeInstanceOf(RefusedConnection);
		expect(refused).toMatchObject({ status: 401 });
		const gone = openWsTransport(new URL('ws://127.0.0.1:9/mcp'));
		await expect(gone).rejects.toMatchObject({
			code: 'io',
			message: expect.stringContaining('ECONNREFUSED'),
		});
	});
});

interface Served {
	readonly url: URL;
	readonly sockets: WebSocket[];
	readonly headers: NodeJS.Dict<string | string[]>[];
}

async function serve(onSocket: (socket: WebSocket) => void, protocol?: string): Promise<Served> {
	const handleProtocols = (): string | false => protocol ?? false;
	const server = new WebSocketServer({ host: '127.0.0.1', port: 0, handleProtocols });
	await once(server, 'listening');
	const sockets: WebSocket[] = [];
	const headers: Served['headers'] = [];
	server.on('connection', (socket, request) => {
		sockets.push(socket);
		headers.push(request.headers);
		onSocket(socket);
	});
	atEnd(() => {
		for (const socket of sockets) socket.terminate();
		server.close();
	});
	return { url: new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`), sockets, headers };
}
