/* Requests over HTTP: headers, cancellation, retries, flow control, and the end. */
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OrchestraError } from '../../../src/errors.ts';
import { openHttpTransport } from '../../../src/transport/http/open-http-transport.ts';
import { traced } from '../../../src/transport/trace.ts';
import {
	answersHandshake,
	beginEvents,
	connectHttp,
	event,
	initialize,
	modern,
	result,
	rpcFailure,
	sendJson,
	serveRaw,
} from '../../support/http-server.ts';
import { deferred, until } from '../../support/waiting.ts';

describe('the headers of a modern request', () => {
	it('are derived from its body', async () => {
		const server = await serveRaw(({ message }, response) => sendJson(response, result(message.id)));
		const { peer } = await connectHttp(server.url, { headers: { 'X-Team': 'a', 'Content-Length': '1' } });
		await peer.request('tools/call', modern({ name: 'naïve', arguments: {} }));
		await peer.request('resources/read', modern({ uri: 'file:///a b' }));
		await peer.request('prompts/get', modern({ name: ' edge' }));
		await peer.request('tools/list', modern());
		const headers = server.received.map(({ headers }) => headers);
		expect(headers[0]).toMatchObject({
			'mcp-protocol-version': '2026-07-28',
			'mcp-method': 'tools/call',
			'mcp-name': `=?base64?${Buffer.from('naïve').toString('base64')}?=`,
			'x-team': 'a',
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
		});
		expect(headers.map((one) => one['mcp-name'])).toEqual([
			expect.any(String),
			'file:///a b',
			`=?base64?${Buffer.from(' edge').toString('base64')}?=`,
			undefined,
		]);
		expect(headers.some((one) => 'mcp-session-id' in one)).toBe(false);
	});

	it('repeat the arguments that a tool declares, and a tool with an invalid declaration is hidden', async () => {
		const property = (type: string, header: unknown): unknown => ({ type, 'x-mcp-header': header });
		const schema = (properties: unknown): unknown => ({ type: 'object', properties });
		const nested = schema({ b: property('integer', 'Deep') });
		const tools = [
			{
				name: 'good',
				inputSchema: schema({ r: property('string', 'Region'), a: nested, f: property('boolean', 'F') }),
			},
			{ name: 'plain', inputSchema: schema({ 'x-mcp-header': { type: 'string' } }) },
			{ name: 'number', inputSchema: schema({ n: property('number', 'N') }) },
			{ name: 'twice', inputSchema: schema({ a: property('string', 'X'), b: property('string', 'x') }) },
			{ name: 'token', inputSchema: schema({ a: property('string', 'a b') }) },
			{ name: 'text', inputSchema: schema({ a: property('string', 1) }) },
			{ name: 'items', inputSchema: schema({ a: { type: 'array', items: property('string', 'X') } }) },
			{ name: 'root', inputSchema: { ...(schema({}) as object), 'x-mcp-header': 'X' } },
			{ name: 'data', inputSchema: schema({ a: { type: 'string', default: { 'x-mcp-header': 1 } } }) },
			{ nameless: true, inputSchema: null },
		];
		const server = await serveRaw(({ message }, response) =>
			sendJson(
				response,
				result(message.id, message.method === 'tools/list' ? { tools, nextCursor: 'c' } : {}),
			),
		);
		const { peer, logged } = await connectHttp(server.url);
		const listed = (await peer.request('tools/list', modern())) as {
			tools: { name?: string }[];
			nextCursor: string;
		};
		expect(listed.tools.map(({ name }) => name)).toEqual(['good', 'plain', 'data', undefined]);
		expect(listed.nextCursor).toBe('c');
		expect(logged.filter((line) => line.includes('is hidden'))).toHaveLength(6);
		const args = { r: 'EU', a: { b: 42 }, f: false, other: 1 };
		await peer.request('tools/call', modern({ name: 'good', arguments: args }));
		expect(server.received.at(-1)?.headers).toMatchObject({
			'mcp-param-region': 'EU',
			'mcp-param-deep': '42',
			'mcp-param-f': 'false',
		});
		await peer.request('tools/call', modern({ name: 'good', arguments: { r: null, a: 'x', f: 1.5 } }));
		const names = Object.keys(server.received.at(-1)?.headers ?? {});
		expect(names.filter((name) => name.startsWith('mcp-param'))).toEqual([]);
	});

	it('are corrected after -32020: the tools are listed again and the call is sent once more', async () => {
		const tools = [
			{ name: 't', inputSchema: { properties: { a: { type: 'string', 'x-mcp-header': 'A' } } } },
		];
		const server = await serveRaw(({ message, headers }, response) => {
			const { cursor } = message.params ?? {};
			if (message.method === 'tools/list')
				return sendJson(
					response,
					result(message.id, cursor === 'p2' ? { tools } : { tools: [], nextCursor: 'p2' }),
				);
			if (headers['mcp-param-a'] === 'x') return sendJson(response, result(message.id, { ok: 1 }));
			sendJson(response, rpcFailure(message.id, -32020, 'header mismatch'), 400);
		});
		const { peer } = await connectHttp(server.url);
		const call = (a: string): Promise<unknown> =>
			peer.request('tools/call', modern({ name: 't', arguments: { a } }));
		expect(await Promise.all([call('x'), call('x')])).toEqual([{ ok: 1 }, { ok: 1 }]);
		await expect(call('wrong')).rejects.toMatchObject({ data: { rpc: { code: -32020 } } });
		expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(6);
	});
});

describe('a canceled request', () => {
	it('of the modern era closes its stream; no notification is sent', async () => {
		const server = await serveRaw((_request, response) => beginEvents(response));
		const { peer } = await connectHttp(server.url);
		const stop = new AbortController();
		const call = peer.request('tools/call', modern(), { signal: stop.signal });
		await until('it arrived', () => server.received.length === 1);
		stop.abort();
		await expect(call).rejects.toMatchObject({ code: 'canceled' });
		await server.received[0]?.closed;
		expect(server.methods()).toEqual(['tools/call']);
	});

	it('of the legacy era is notified, then its stream is closed', async () => {
		const server = await serveRaw((request, response) => answersHandshake(request, response));
		const { peer } = await connectHttp(server.url);
		const stop = new AbortController();
		const call = peer.request('tools/call', {}, { signal: stop.signal });
		await until('it arrived', () => server.received.length === 1);
		stop.abort();
		await expect(call).rejects.toMatchObject({ code: 'canceled' });
		await server.received[0]?.closed;
		expect(server.methods()).toEqual(['tools/call', 'notifications/cancelled']);
	});

	it('that was answered meanwhile causes no message', async () => {
		const server = await serveRaw(({ message }, response) => sendJson(response, result(message.id)));
		const { peer } = await connectHttp(server.url);
		await peer.request('tools/call', {});
		peer.notify('notifications/cancelled', { requestId: 1 });
		peer.notify('notifications/cancelled', {});
		await until('the one without an id arrived', () => server.received.length === 2);
		expect(server.received[1]?.message.params).toEqual({});
	});

	it('that was not sent yet is never sent', async () => {
		const accepted = deferred();
		const server = await serveRaw((request, response) => {
			if (request.message.method === 'notifications/initialized')
				return accepted.promise.then(() => response.writeHead(202).end());
			if (!answersHandshake(request, response)) sendJson(response, result(request.message.id));
		});
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		const stop = new AbortController();
		const call = peer.request('tools/call', {}, { signal: stop.signal });
		stop.abort();
		await expect(call).rejects.toMatchObject({ code: 'canceled' });
		accepted.resolve();
		await peer.request('ping');
		expect(server.methods()).toEqual(['initialize', 'notifications/initialized', 'ping']);
	});
});

describe('a request that gets no response', () => {
	it('is not repeated when the connection broke after it was sent, unless it is a list', async () => {
		const server = await serveRaw((_request, response) => response.destroy());
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			code: 'closed',
			message: expect.stringContaining('outcome unknown'),
			data: { outcome: 'unknown' },
		});
		await expect(peer.request('tools/list', {})).rejects.toMatchObject({ data: { outcome: 'unknown' } });
		expect(server.methods()).toEqual(['tools/call', 'tools/list', 'tools/list']);
	});

	it('is not repeated when a reused connection breaks', async () => {
		let isCutting = false;
		const server = await serveRaw(({ message }, response) =>
			isCutting ? response.destroy() : sendJson(response, result(message.id)),
		);
		const { peer } = await connectHttp(server.url);
		await peer.request('tools/call', {});
		isCutting = true;
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({ data: { outcome: 'unknown' } });
		expect(server.methods()).toHaveLength(2);
	});

	it('has its body cut: outcome unknown', async () => {
		const server = await serveRaw((_request, response) => {
			response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
			response.write('{"jsonrpc"', () => response.destroy());
		});
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			message: expect.stringContaining('cut its answer'),
			data: { outcome: 'unknown' },
		});
	});

	it('is sent again while a server restarts, because nothing was processed', async () => {
		const close = { connection: 'close' };
		const server = await serveRaw(({ message }, response) =>
			sendJson(response, result(message.id), 200, close),
		);
		const { peer } = await connectHttp(server.url);
		await peer.request('tools/call', {});
		await server.stop();
		const call = peer.request('tools/call', {});
		const next = await serveRaw(
			({ message }, response) => sendJson(response, result(message.id, 'new')),
			server.port,
		);
		expect(await call).toBe('new');
		expect(next.received).toHaveLength(1);
	});

	it('has the deadline of its caller while the head of the response is late', async () => {
		const server = await serveRaw(() => {});
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', modern(), { timeoutMs: 50 })).rejects.toMatchObject({
			code: 'timeout',
		});
		await server.received[0]?.closed;
	});

	it('is refused above the limit of requests', async () => {
		const server = await serveRaw(() => {});
		const { transport } = await connectHttp(server.url);
		const failed = deferred<OrchestraError>();
		transport.start({
			message: () => {},
			oversize: () => {},
			end: () => {},
			failed: (_id, error) => failed.resolve(error),
		});
		for (let id = 0; id <= 2048; id++) transport.post(`{"jsonrpc":"2.0","id":${id},"method":"x"}`);
		expect((await failed.promise).message).toContain('2048 requests wait');
	});
});

describe('a proxy that buffers', () => {
	it('delays a stream until its end, and the answer still arrives', async () => {
		const server = await serveRaw(({ message }, response) => {
			beginEvents(response);
			response.end(event(result(message.id, { ok: 1 })));
		});
		const proxy = await serveBuffering(server.port);
		const { peer } = await connectHttp(`http://127.0.0.1:${proxy}/mcp`);
		expect(await peer.request('tools/call', {})).toEqual({ ok: 1 });
	});
});

describe('the transport', () => {
	it('buffers what is posted before start', async () => {
		const server = await serveRaw(({ message }, response) => sendJson(response, result(message.id)));
		const transport = await openHttpTransport(server.url);
		onTestFinished(() => transport.close());
		transport.post('{"jsonrpc":"2.0","id":1,"method":"ping"}');
		const answer = deferred<string>();
		transport.start({ message: answer.resolve, oversize: () => {}, end: () => {} });
		expect(await answer.promise).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
	});

	it('gives a receiver without `failed` an error response', async () => {
		const server = await serveRaw((_request, response) => response.writeHead(500).end());
		const transport = await openHttpTransport(server.url);
		onTestFinished(() => transport.close());
		const answer = deferred<string>();
		transport.start({ message: answer.resolve, oversize: () => {}, end: () => {} });
		transport.post('{"jsonrpc":"2.0","id":"a","method":"tools/call"}');
		expect(JSON.parse(await answer.promise)).toMatchObject({
			id: 'a',
			error: { code: -32603, data: { code: 'io' } },
		});
	});

	it('passes failures through a trace', async () => {
		const server = await serveRaw((_request, response) => response.writeHead(500).end());
		const transport = traced(await openHttpTransport(server.url), () => {});
		onTestFinished(() => transport.close());
		const failed = deferred<OrchestraError>();
		transport.start({
			message: () => {},
			oversize: () => {},
			end: () => {},
			failed: (_id, error) => failed.resolve(error),
		});
		transport.post('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
		expect((await failed.promise).data).toMatchObject({ status: 500 });
	});

	it('refuses text that is no message', async () => {
		const { transport } = await connectHttp('http://127.0.0.1:9/mcp');
		expect(() => transport.post('{')).toThrow('must be JSON');
		expect(() => transport.post('"x"')).toThrow('not a JSON-RPC message');
	});

	it('refuses an invalid URL, and one with credentials', async () => {
		await expect(openHttpTransport('ftp://x')).rejects.toMatchObject({ code: 'bad_input' });
		await expect(openHttpTransport('x')).rejects.toMatchObject({ code: 'bad_input' });
		await expect(openHttpTransport('http://u:p@x/')).rejects.toMatchObject({
			hint: expect.stringContaining('Basic'),
		});
	});

	it('reaches IPv6 addresses', async () => {
		const { peer } = await connectHttp('http://[::1]:9/mcp');
		await expect(peer.request('ping')).rejects.toMatchObject({
			message: expect.stringContaining('http://[::1]:9/mcp'),
		});
	});

	it('logs a notification that was refused, and a response', async () => {
		const server = await serveRaw((_request, response) => response.writeHead(400).end());
		const { peer, transport, logged } = await connectHttp(server.url);
		peer.notify('notifications/roots/list_changed');
		transport.post('{"jsonrpc":"2.0","id":1,"result":{}}');
		await until('both are logged', () => logged.filter((line) => line.includes('was not sent')).length === 2);
		expect(logged.join('')).toContain('a response was not sent');
	});

	it('resolves flushed when the bytes are handed over, and rejects after close', async () => {
		const server = await serveRaw(() => {});
		const { peer, transport } = await connectHttp(server.url);
		await transport.flushed();
		const call = peer.request('tools/call', { text: 'x'.repeat(100_000) });
		await transport.flushed();
		const big = peer.request('tools/call', { text: 'x'.repeat(5_000_000) });
		const waiting = transport.flushed();
		await transport.close();
		for (const one of [call, big, waiting, transport.flushed()])
			await expect(one).rejects.toMatchObject({ code: 'closed' });
		expect(() => transport.post('{"jsonrpc":"2.0","id":1,"method":"x"}')).toThrow('transport is shut down');
	});

	it('applies backpressure to the sender', async () => {
		const server = await serveRaw(({ message }, response) => sendJson(response, result(message.id)));
		const { transport } = await connectHttp(server.url);
		const text = (id: number): string =>
			JSON.stringify({ jsonrpc: '2.0', id, method: 'x', params: { text: 'x'.repeat(300_000) } });
		let posts = 1;
		while (transport.post(text(posts))) posts++;
		expect(posts).toBeLessThan(10);
		await transport.flushed();
		expect(transport.post(text(99))).toBe(true);
	});

	it('delivers nothing while it is paused, and everything after', async () => {
		const server = await serveRaw(({ message }, response) => {
			beginEvents(response);
			const note = { jsonrpc: '2.0', method: 'notifications/message', params: {} };
			response.end(event(note) + event(result(message.id)));
		});
		const { peer, transport, notifications } = await connectHttp(server.url);
		transport.pause();
		const calls = [1, 2, 3].map(() => peer.request('tools/call', {}));
		await until('all arrived', () => server.received.length === 3);
		await until('all are answered', () => server.received.every(({ response }) => response.writableEnded));
		expect(notifications).toHaveLength(0);
		transport.resume();
		await Promise.all(calls);
		expect(notifications).toHaveLength(3);
	});

	it('ends exactly once, also when it is closed twice, and fails its calls', async () => {
		const server = await serveRaw(() => {});
		const { peer, transport, ends } = await connectHttp(server.url);
		const call = peer.request('tools/call', {});
		await until('it arrived', () => server.received.length === 1);
		await Promise.all([transport.close(), transport.close()]);
		await expect(call).rejects.toMatchObject({ code: 'closed', message: 'transport is shut down' });
		expect([ends.length, transport.isClosed]).toEqual([1, true]);
		await server.received[0]?.closed;
	});

	it('ends a receiver that starts after the end', async () => {
		const transport = await openHttpTransport('http://127.0.0.1:9/');
		await transport.close();
		const ended = deferred<OrchestraError>();
		transport.start({ message: () => {}, oversize: () => {}, end: ended.resolve });
		expect((await ended.promise).code).toBe('closed');
	});

	it('lets a notification that was just posted reach the server before it closes', async () => {
		const server = await serveRaw((request, response) => answersHandshake(request, response));
		const { peer, transport } = await connectHttp(server.url);
		peer.notify('notifications/roots/list_changed');
		await transport.close();
		expect(server.methods()).toEqual(['notifications/roots/list_changed']);
	});

	it('answers 64 calls in flight, each once, over few connections', async () => {
		const sockets = new Set<unknown>();
		const server = await serveRaw(({ message, response }) => {
			sockets.add(response.socket);
			setImmediate(() => sendJson(response, result(message.id, message.params)));
		});
		const { peer } = await connectHttp(server.url);
		const calls = Array.from({ length: 640 }, (_, n) => peer.request('tools/call', { n }));
		expect(await Promise.all(calls)).toEqual(Array.from({ length: 640 }, (_, n) => ({ n })));
		expect(server.received).toHaveLength(640);
		expect(sockets.size).toBeLessThanOrEqual(256);
	});
});

/** A proxy that sends a response only when it is complete; returns its port. */
async function serveBuffering(target: number): Promise<number> {
	const sockets = new Set<Socket>();
	const proxy = createServer((client) => {
		sockets.add(client);
		const upstream = connect(target, '127.0.0.1');
		sockets.add(upstream);
		const chunks: Buffer[] = [];
		client.pipe(upstream);
		upstream.on('data', (chunk) => {
			chunks.push(chunk);
			if (chunk.toString('latin1').endsWith('0\r\n\r\n')) client.write(Buffer.concat(chunks.splice(0)));
		});
		client.on('error', () => {});
		upstream.on('error', () => {});
	});
	await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		proxy.close();
		for (const socket of sockets) socket.destroy();
	});
	const address = proxy.address();
	return typeof address === 'object' && address ? address.port : 0;
}
