/* Sessions of the legacy era: their headers, their renewal, their end. */
import { describe, expect, it } from 'vitest';
import {
	answersHandshake,
	connectHttp,
	initialize,
	type Received,
	result,
	rpcFailure,
	sendJson,
	serveRaw,
} from '../../support/http-server.ts';
import { until } from '../../support/waiting.ts';

describe('a session', () => {
	it('is named in every message after the handshake, with the negotiated version', async () => {
		const server = await serveRaw((request, response) => {
			if (!answersHandshake(request, response, 'abc')) sendJson(response, result(request.message.id));
		});
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		await peer.request('tools/list');
		const posts = server.received.filter(({ method }) => method === 'POST');
		expect(posts.map(sessionAndVersion)).toEqual([
			[undefined, undefined],
			['abc', '2025-11-25'],
			['abc', '2025-11-25'],
		]);
		expect(posts[2]?.headers.accept).toBe('application/json, text/event-stream');
		expect(posts[2]?.headers['mcp-method']).toBeUndefined();
	});

	it('names no version to a server that is older than the header', async () => {
		const server = await serveRaw((request, response) => {
			if (request.message.method !== 'initialize') return sendJson(response, result(request.message.id));
			sendJson(response, result(request.message.id, { protocolVersion: '2025-03-26' }));
		});
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		await peer.request('ping');
		expect(sessionAndVersion(server.received.at(-1))).toEqual([undefined, undefined]);
	});

	it('sends no request before the server has accepted notifications/initialized', async () => {
		let accept = (): void => {};
		const server = await serveRaw((request, response) => {
			if (request.message.method === 'notifications/initialized')
				accept = () => void response.writeHead(202).end();
			else if (!answersHandshake(request, response)) sendJson(response, result(request.message.id));
		});
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		const list = peer.request('tools/list');
		await until('initialized arrived', () => server.methods().includes('notifications/initialized'));
		expect(server.methods()).not.toContain('tools/list');
		accept();
		await list;
	});

	it('is ended by DELETE when the transport closes', async () => {
		const server = await serveRaw((request, response) => answersHandshake(request, response, 'abc'));
		const { peer, transport } = await connectHttp(server.url);
		await initialize(peer);
		await transport.close();
		const last = server.received.at(-1);
		expect([last?.method, last?.headers['mcp-session-id']]).toEqual(['DELETE', 'abc']);
		expect(server.received.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
	});

	it('that cannot be ended does not delay close for long', async () => {
		const server = await serveRaw(
			(request, response) => request.method === 'DELETE' || answersHandshake(request, response, 'abc'),
		);
		const { peer, transport } = await connectHttp(server.url);
		await initialize(peer);
		await transport.close();
		expect(server.received.at(-1)?.method).toBe('DELETE');
	});
});

describe('a lost session', () => {
	const ways: [what: string, refuse: (request: Received) => void][] = [
		['404', ({ response }) => void response.writeHead(404).end('Session not found')],
		[
			'404 with a JSON-RPC error',
			({ response }) => sendJson(response, rpcFailure(null, -32001, 'Session not found'), 404),
		],
		['400', ({ response }) => void response.writeHead(400).end('Bad Request: unknown Mcp-Session-Id')],
		[
			'200 with -32600',
			({ response, message }) => sendJson(response, rpcFailure(message.id, -32600, 'invalid session')),
		],
		[
			'a stream with -32600',
			({ response, message }) => {
				response.setHeader('content-type', 'text/event-stream');
				response.end(`data: ${JSON.stringify(rpcFailure(message.id, -32600, 'no session'))}\n\n`);
			},
		],
	];
	for (const [what, refuse] of ways) {
		it(`is renewed once, without the caller (${what})`, async () => {
			const server = await serveForgetful(refuse);
			const { peer, notifications } = await connectHttp(server.url);
			await initialize(peer);
			await peer.request('tools/call', { name: 'a' });
			server.forget();
			const calls = Array.from({ length: 10 }, () => peer.request('tools/call', { name: 'b' }));
			expect(await Promise.all(calls)).toHaveLength(10);
			expect(server.processed).toBe(11);
			expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
			expect(server.methods().filter((method) => method === 'notifications/initialized')).toHaveLength(2);
			expect(notifications).toEqual([]);
		});
	}

	it('is renewed with its log level and its subscriptions', async () => {
		const server = await serveForgetful(({ response }) => void response.writeHead(404).end());
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		await peer.request('logging/setLevel', { level: 'debug' });
		for (const uri of ['a:1', 'a:2', 'a:3']) await peer.request('resources/subscribe', { uri });
		await expect(peer.request('resources/subscribe', { uri: 'no:1' })).rejects.toThrow('not found');
		await expect(peer.request('resources/unsubscribe', { uri: 'no:1' })).rejects.toThrow('not found');
		await peer.request('resources/unsubscribe', { uri: 'a:2' });
		server.forget();
		await peer.request('tools/call', {});
		const again = server.received.slice(
			server.received.findLastIndex(({ message }) => message.method === 'initialize'),
		);
		const repeated = again.filter(
			({ message }) => message.params && /^(resources|logging)/.test(message.method ?? ''),
		);
		expect(repeated.map(({ message }) => message.params)).toEqual([
			{ level: 'debug' },
			{ uri: 'a:1' },
			{ uri: 'a:3' },
		]);
		expect(again.at(-1)?.message.method).toBe('tools/call');
	});

	it('is not renewed twice in a call', async () => {
		const server = await serveRaw((request, response) => {
			if (!answersHandshake(request, response, 'abc')) response.writeHead(404).end('Session not found');
		});
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({ data: { status: 404 } });
		expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(2);
		expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
	});

	it('whose renewal is refused fails the call, and the next call tries again', async () => {
		let isRefusing = false;
		const server = await serveForgetful(({ response }) => void response.writeHead(404).end());
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		server.refuseInitialize = () => isRefusing;
		isRefusing = true;
		server.forget();
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			code: 'rpc',
			message: expect.stringContaining('refused a new one: not now'),
		});
		isRefusing = false;
		await peer.request('tools/call', {});
		expect(server.processed).toBe(1);
	});

	for (const [status, code, message, pings] of [
		[200, -32600, 'browser session expired', 1],
		[400, -32600, 'browser session expired', 1],
		[400, undefined, 'your login session ended', 1],
		[400, -32602, 'sessionId is required', 0],
	] as const) {
		it(`is not assumed, and nothing is repeated, while the server answers a ping (${status} ${code} ${message})`, async () => {
			const server = await serveRaw((request, response) => {
				if (answersHandshake(request, response, 'abc')) return;
				const { id, method } = request.message;
				if (method === 'ping') return sendJson(response, result(id));
				if (code === undefined) return response.writeHead(status).end(message);
				sendJson(response, rpcFailure(id, code, message), status);
			});
			const { peer } = await connectHttp(server.url);
			await initialize(peer);
			await expect(peer.request('tools/call', {})).rejects.toMatchObject({
				message: expect.stringContaining(message),
				data: code === undefined ? { status } : { rpc: { code } },
			});
			const after = ['tools/call', ...Array<string>(pings).fill('ping')];
			expect(server.methods()).toEqual(['initialize', 'notifications/initialized', ...after]);
		});
	}

	it('does not make an unknown method or a missing tool look like a lost session', async () => {
		const server = await serveRaw((request, response) => {
			if (answersHandshake(request, response, 'abc')) return;
			sendJson(response, rpcFailure(request.message.id, -32601, 'method not found'), 404);
		});
		const { peer } = await connectHttp(server.url);
		await initialize(peer);
		await expect(peer.request('x/y', {})).rejects.toMatchObject({ data: { rpc: { code: -32601 } } });
		expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(1);
	});
});

function sessionAndVersion(request: Received | undefined): unknown[] {
	return [request?.headers['mcp-session-id'], request?.headers['mcp-protocol-version']];
}

/** A server with numbered sessions that can forget them. */
async function serveForgetful(refuse: (request: Received) => void) {
	let session = 1;
	const state = {
		processed: 0,
		refuseInitialize: () => false,
		forget: () => void session++,
	};
	const server = await serveRaw((request, response) => {
		const { message, headers } = request;
		if (message.method === 'initialize' && state.refuseInitialize())
			return sendJson(response, rpcFailure(message.id, -32000, 'not now'));
		if (answersHandshake(request, response, String(session))) return;
		if (headers['mcp-session-id'] !== String(session)) return refuse(request);
		state.processed++;
		if (message.params?.['uri'] === 'no:1')
			return sendJson(response, rpcFailure(message.id, -32002, 'not found'));
		sendJson(response, result(message.id));
	});
	return Object.assign(state, { url: server.url, methods: server.methods, received: server.received });
}
