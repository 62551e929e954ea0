/* The HTTP+SSE transport of 2024-11-05: when it is used, and how it fails. */
import { describe, expect, it } from 'vitest';
import { openHttpTransport } from '../../../src/transport/http/open-http-transport.ts';
import {
	beginEvents,
	connectHttp,
	event,
	type Handler,
	initialize,
	modern,
	result,
	rpcFailure,
	sendJson,
	serveRaw,
} from '../../support/http-server.ts';
import { until } from '../../support/waiting.ts';

describe('the HTTP+SSE transport', () => {
	const faults: [what: string, handler: Handler, message: string][] = [
		['a web page', (_request, response) => response.end('<html>'), 'is not an MCP endpoint'],
		['a status', (_request, response) => response.writeHead(405).end(), 'has no MCP endpoint (405)'],
		[
			'an endpoint of another origin',
			(_request, response) => {
				beginEvents(response);
				response.write('event: endpoint\ndata: http://evil.example/x\n\n');
			},
			'names an endpoint of another origin, http://evil.example/x',
		],
		[
			'an invalid endpoint',
			(_request, response) => {
				beginEvents(response);
				response.write('event: endpoint\ndata: http://[\n\n');
			},
			'names no endpoint',
		],
		[
			'a stream that ends at once',
			(_request, response) => {
				beginEvents(response);
				response.end(': hello\n\n');
			},
			'names no endpoint',
		],
	];
	for (const [what, handler, message] of faults) {
		it(`is refused after ${what}`, async () => {
			const server = await serveRaw(handler);
			await expect(openHttpTransport(server.url, { kind: 'sse' })).rejects.toMatchObject({
				message: expect.stringContaining(message),
			});
		});

		it(`is not used when initialize fails and GET gives ${what}: the first failure is reported`, async () => {
			const server = await serveRaw((request, response) =>
				request.method === 'POST' ? response.writeHead(404).end() : handler(request, response),
			);
			const { peer } = await connectHttp(server.url);
			await expect(peer.request('initialize', {})).rejects.toMatchObject({ data: { status: 404 } });
			expect(server.methods()).toEqual(['initialize']);
		});
	}

	it('is not tried after a modern error', async () => {
		const server = await serveRaw(({ message }, response) =>
			sendJson(response, rpcFailure(message.id, -32022, 'unsupported version'), 400),
		);
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('initialize', {})).rejects.toMatchObject({ data: { rpc: { code: -32022 } } });
		expect(server.received).toHaveLength(1);
	});

	it('reports a refused POST, and ignores events of other types', async () => {
		const server = await serveOld();
		const { peer, notifications } = await connectHttp(server.url, { kind: 'sse' });
		await initialize(peer);
		await expect(peer.request('broken')).rejects.toMatchObject({ data: { status: 500 } });
		await expect(peer.request('server/discover', modern())).rejects.toMatchObject({ code: 'rpc' });
		expect(await peer.request('ping')).toEqual({});
		expect(notifications).toEqual([]);
		const posts = server.received.filter(({ method }) => method === 'POST');
		expect(posts.every(({ path }) => path === '/messages?id=1')).toBe(true);
		expect(posts.some(({ headers }) => 'mcp-session-id' in headers)).toBe(false);
	});

	it('ends the transport when a message is over the limit', async () => {
		const server = await serveOld();
		const { peer, transport } = await connectHttp(server.url, { kind: 'sse', limitBytes: 10_000 });
		await initialize(peer);
		await expect(peer.request('large')).rejects.toMatchObject({
			message: expect.stringContaining('sent a message over 10000 bytes'),
		});
		expect(transport.isClosed).toBe(true);
	});

	it('cancels a call with a notification', async () => {
		const server = await serveOld();
		const { peer } = await connectHttp(server.url, { kind: 'sse' });
		await initialize(peer);
		const stop = new AbortController();
		const call = peer.request('silent', {}, { signal: stop.signal });
		await until('it arrived', () => server.methods().includes('silent'));
		stop.abort();
		await expect(call).rejects.toMatchObject({ code: 'canceled' });
		await until('the cancel arrived', () => server.methods().includes('notifications/cancelled'));
	});
});

/** A server of 2024-11-05. */
function serveOld() {
	let stream: Parameters<Handler>[1] | undefined;
	return serveRaw(({ method, message }, response) => {
		if (method === 'GET') {
			stream = response;
			beginEvents(response);
			return response.write('event: endpoint\ndata: /messages?id=1\n\nevent: other\ndata: {}\n\n');
		}
		if (message.method === 'broken') return response.writeHead(500).end();
		response.writeHead(202).end();
		if (message.method === 'silent' || message.id === undefined) return;
		const value = message.method === 'large' ? 'x'.repeat(100_000) : {};
		const answer =
			message.method === 'server/discover'
				? rpcFailure(message.id, -32601, 'unknown')
				: result(message.id, value);
		stream?.write(event(answer));
	});
}
