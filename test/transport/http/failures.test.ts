/* Servers that fail: each failure explains itself, and the transport lives on. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../../src/errors.ts';
import type { HttpAuth } from '../../../src/transport/http/http-auth.ts';
import { openHttpTransport } from '../../../src/transport/http/open-http-transport.ts';
import { runsAllTests } from '../../support/all-tests.ts';
import {
	beginEvents,
	connectHttp,
	event,
	type Handler,
	modern,
	result,
	rpcFailure,
	sendJson,
	serveRaw,
} from '../../support/http-server.ts';
import { serveTls } from '../../support/http-tls.ts';
import { until } from '../../support/waiting.ts';

describe('a body without an end that is not needed', () => {
	const endless = (response: ServerResponse, status: number, headers = {}): void =>
		void response.writeHead(status, headers).write('x');

	it('of a redirect, or of a refusal that is repaired or not, does not keep its connection', async () => {
		const server = await serveRaw(({ path, headers, message }, response) => {
			if (path === '/mcp') return endless(response, 307, { location: '/new' });
			if (headers.authorization !== 'Bearer good') return endless(response, 401);
			sendJson(response, result(message.id));
		});
		const tokens = ['bad', 'good', 'bad'];
		const auth: HttpAuth = {
			token: async () => tokens[0],
			onUnauthorized: async () => {
				tokens.shift();
				if (tokens.length === 0) throw new OrchestraError('io', 'sign in first');
				return 'retry';
			},
		};
		const { peer } = await connectHttp(server.url, { auth });
		await peer.request('tools/call', {});
		tokens.shift();
		await expect(peer.request('tools/call', {})).rejects.toThrow('sign in first');
		await Promise.all(server.received.map(({ closed }) => closed));
		expect(server.received.map(({ path }) => path)).toEqual([
			...['/mcp', '/new', '/mcp', '/new'],
			...['/mcp', '/new'],
		]);
	});

	it('of a POST of the HTTP+SSE transport does not keep its connection', async () => {
		let stream: ServerResponse | undefined;
		const server = await serveRaw(({ method, message }, response) => {
			if (method === 'POST') {
				endless(response, 202);
				return stream?.write(event(result(message.id)));
			}
			stream = response;
			beginEvents(response);
			response.write('event: endpoint\ndata: /mcp\n\n');
		});
		const { peer } = await connectHttp(server.url, { kind: 'sse' });
		await peer.request('ping');
		await server.received[1]?.closed;
	});

	it.runIf(runsAllTests)(
		'of a server without the HTTP+SSE transport does not block the start',
		async () => {
			const server = await serveRaw((_request, response) => endless(response, 405));
			const start = openHttpTransport(server.url, { kind: 'sse' });
			await expect(start).rejects.toThrow('has no MCP endpoint (405)');
			await server.received[0]?.closed;
		},
		30_000,
	);
});

describe('a server that cannot be reached', () => {
	it('refuses the connection: the error says so, at once', async () => {
		const server = await serveRaw(() => {});
		await server.stop();
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			code: 'io',
			message: `cannot reach ${server.url}: the connection was refused`,
			hint: expect.stringContaining('port'),
			data: { outcome: 'not_run' },
		});
	});

	it('has no address: the error names DNS', async () => {
		const { peer } = await connectHttp('http://no-such-host.invalid/mcp?key=secret');
		const call = peer.request('tools/call', {});
		await expect(call).rejects.toMatchObject({ message: expect.stringContaining('host name was not found') });
		await expect(call).rejects.toMatchObject({ message: expect.not.stringContaining('secret') });
	});

	it('has a self-signed certificate: the error names TLS and what to set', async () => {
		const server = await serveTls();
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			message: expect.stringContaining('TLS failed'),
			hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
			data: { outcome: 'not_run' },
		});
		expect(server.requests()).toBe(0);
	});

	it('speaks HTTP where https was asked', async () => {
		const server = await serveRaw(() => {});
		const { peer } = await connectHttp(server.url.replace('http:', 'https:'));
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			message: expect.stringContaining('TLS failed'),
		});
	});

	it('gets a header that HTTP cannot carry: the error names the header settings', async () => {
		const server = await serveRaw(() => {});
		const { peer } = await connectHttp(server.url, { headers: { 'x-a': 'line\nbreak' } });
		await expect(peer.request('ping')).rejects.toMatchObject({
			code: 'bad_input',
			hint: expect.stringContaining('headers'),
		});
		expect(server.received).toHaveLength(0);
	});
});

describe('a status that is no answer', () => {
	const cases: [
		status: number,
		headers: Record<string, string>,
		message: string,
		data: object,
		hint: string,
	][] = [
		[401, {}, 'needs authorization (401)', { outcome: 'not_run' }, 'mctl auth shop'],
		[403, {}, 'denies access (403)', { outcome: 'not_run' }, 'mctl auth shop'],
		[404, {}, 'has no MCP endpoint (404)', { outcome: 'not_run' }, 'path'],
		[405, {}, 'has no MCP endpoint (405)', { outcome: 'not_run' }, 'path'],
		[418, {}, 'refused the request (418)', {}, 'headers'],
		[429, { 'retry-after': '7' }, 'too many requests (429)', { retryAfterMs: 7000 }, 'in 7 s'],
		[429, {}, 'too many requests (429)', { outcome: 'not_run' }, 'later'],
		[429, { 'retry-after': 'soon' }, 'too many requests (429)', { outcome: 'not_run' }, 'later'],
		[429, { 'retry-after': new Date(0).toUTCString() }, '(429)', { retryAfterMs: 0 }, 'in 0 s'],
		[500, {}, 'failed (500)', {}, 'later'],
		[503, { 'retry-after': '1' }, 'failed (503)', { retryAfterMs: 1000 }, 'later'],
		[502, {}, 'outcome unknown (502)', { outcome: 'unknown' }, 'later'],
		[504, {}, 'outcome unknown (504)', { outcome: 'unknown' }, 'later'],
	];
	for (const [status, headers, message, data, hint] of cases) {
		it(`is explained: ${status} ${JSON.stringify(headers)}`, async () => {
			const server = await serveRaw((_request, response) =>
				response.writeHead(status, headers).end('no tea today'),
			);
			const { peer } = await connectHttp(server.url, { serverName: 'shop' });
			await expect(peer.request('tools/call', {})).rejects.toMatchObject({
				message: expect.stringContaining(`${message}: no tea today`),
				hint: expect.stringContaining(hint),
				data: { status, ...data },
			});
			expect(server.received).toHaveLength(1);
		});
	}

	it('shows no web page in its message', async () => {
		const page = `<!DOCTYPE html><html>${'x'.repeat(200_000)}</html>`;
		const server = await serveRaw((_request, response) => response.writeHead(500).end(page));
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			message: `${server.url} failed (500)`,
		});
	});

	it('leaves the transport usable', async () => {
		let count = 0;
		const server = await serveRaw(({ message }, response) =>
			count++ === 0 ? response.writeHead(500).end() : sendJson(response, result(message.id, { ok: 1 })),
		);
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({ code: 'io' });
		expect(await peer.request('tools/call', {})).toEqual({ ok: 1 });
	});
});

describe('a JSON-RPC error in an error status', () => {
	it('is the answer, also without an id and with another id', async () => {
		const ids = [undefined, null, 'other', 1];
		const server = await serveRaw(({ message }, response) =>
			sendJson(response, rpcFailure(ids[Number(message.id) - 1], -32602, 'no such tool'), 400),
		);
		const { peer } = await connectHttp(server.url);
		for (const _ of ids) {
			await expect(peer.request('tools/call', {})).rejects.toMatchObject({
				code: 'rpc',
				data: { rpc: { code: -32602, message: 'no such tool' } },
			});
		}
	});

	it('adds its message to the explanation of 401, 429 and 5xx', async () => {
		const server = await serveRaw((_request, response) =>
			sendJson(response, rpcFailure(null, -32603, 'db is down'), 500),
		);
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			code: 'io',
			message: `${server.url} failed (500): db is down`,
		});
	});
});

describe('a body that is not MCP', () => {
	const bodies: [what: string, handler: Handler][] = [
		[
			'a web page',
			(_request, response) => response.setHeader('content-type', 'text/html').end('<html>hi</html>'),
		],
		['an empty 200', (_request, response) => response.end()],
		['an empty 202', (_request, response) => response.writeHead(202).end()],
		['other JSON', (_request, response) => sendJson(response, { hello: 1 })],
		['the answer to another request', (_request, response) => sendJson(response, result('other'))],
		['an empty stream of nothing', (_request, response) => sendJson(response, [])],
	];
	for (const [what, handler] of bodies) {
		it(`fails a call: ${what}`, async () => {
			const server = await serveRaw(handler);
			const { peer } = await connectHttp(server.url);
			await expect(peer.request('tools/call', {})).rejects.toMatchObject({
				code: 'bad_frame',
				message: expect.stringContaining('is not an MCP endpoint'),
			});
			expect(server.received).toHaveLength(1);
		});

		it(`means "not modern" to the probe: ${what}`, async () => {
			const server = await serveRaw(handler);
			const { peer } = await connectHttp(server.url);
			await expect(peer.request('server/discover', modern())).rejects.toMatchObject({
				code: 'rpc',
				data: { rpc: { code: -32601 } },
			});
		});
	}

	it('over the limit is not read to the end', async () => {
		const server = await serveRaw(({ message }, response) =>
			sendJson(response, result(message.id, 'x'.repeat(50_000))),
		);
		const { peer } = await connectHttp(server.url, { limitBytes: 10_000 });
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			code: 'bad_frame',
			message: expect.stringContaining('longer than 10000 bytes'),
		});
		expect(server.received).toHaveLength(1);
	});
});

describe('the probe of the era', () => {
	for (const status of [400, 401, 403, 404, 405, 406]) {
		it(`takes ${status} as "not modern"`, async () => {
			const server = await serveRaw((_request, response) =>
				response.writeHead(status).end('Invalid session ID'),
			);
			const { peer } = await connectHttp(server.url);
			await expect(peer.request('server/discover', modern())).rejects.toMatchObject({
				code: 'rpc',
				data: { rpc: { code: -32601, data: { status } } },
			});
		});
	}

	it('takes 401 with a JSON-RPC body as "not modern"', async () => {
		const server = await serveRaw((_request, response) =>
			sendJson(response, rpcFailure(null, -32601, 'no'), 401),
		);
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('server/discover', modern())).rejects.toMatchObject({ code: 'rpc' });
	});

	for (const code of [-32020, -32021, -32022]) {
		it(`gets the modern error ${code} as it is`, async () => {
			const server = await serveRaw(({ message }, response) =>
				sendJson(response, rpcFailure(message.id, code, 'x'), 400),
			);
			const { peer } = await connectHttp(server.url);
			await expect(peer.request('server/discover', modern())).rejects.toMatchObject({
				data: { rpc: { code } },
			});
		});
	}

	for (const status of [429, 500, 503]) {
		it(`takes ${status} as no evidence`, async () => {
			const server = await serveRaw((_request, response) => response.writeHead(status).end());
			const { peer } = await connectHttp(server.url);
			await expect(peer.request('server/discover', modern())).rejects.toMatchObject({
				code: 'io',
				data: { status },
			});
		});
	}

	it('is dropped when initialize follows', async () => {
		const server = await serveRaw(({ message }, response) => {
			if (message.method === 'initialize')
				sendJson(response, result(message.id, { protocolVersion: '2025-06-18' }));
		});
		const { peer, transport } = await connectHttp(server.url);
		transport.post(
			JSON.stringify({ jsonrpc: '2.0', id: 'probe', method: 'server/discover', params: modern() }),
		);
		await until('the probe arrived', () => server.received.length === 1);
		await peer.request('initialize', {});
		await server.received[0]?.closed;
		expect(server.methods()).toEqual(['server/discover', 'initialize']);
	});
});

describe('a redirect', () => {
	it('within the origin is followed with method, body and credentials', async () => {
		const server = await serveRaw(({ path, message, headers }, response) =>
			path === '/mcp'
				? response.writeHead(307, { location: '/mcp/' }).end()
				: sendJson(response, result(message.id, { auth: headers.authorization })),
		);
		const { peer } = await connectHttp(server.url, { headers: { Authorization: 'Bearer t' } });
		expect(await peer.request('tools/call', {})).toEqual({ auth: 'Bearer t' });
		expect(await peer.request('tools/call', {})).toEqual({ auth: 'Bearer t' });
		expect(server.received.map(({ path }) => path)).toEqual(['/mcp', '/mcp/', '/mcp', '/mcp/']);
	});

	it('to another origin is not followed: it gets no request and no credential', async () => {
		const other = await serveRaw(() => {});
		const server = await serveRaw((_request, response) =>
			response.writeHead(308, { location: other.url }).end(),
		);
		const { peer } = await connectHttp(server.url, { headers: { Authorization: 'Bearer t' } });
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			message: `${server.url} redirects to ${other.url} (308), which is not followed`,
			hint: expect.stringContaining(other.url),
		});
		expect(other.received).toHaveLength(0);
	});

	it.each([
		[302, 'not_run'],
		[303, 'unknown'],
	])('that loses the body is not followed (%i, outcome %s)', async (status, outcome) => {
		const server = await serveRaw((_request, response) =>
			response.writeHead(status, { location: '/x' }).end(),
		);
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			message: expect.stringContaining(`(${status})`),
			data: { outcome },
		});
		expect(server.received).toHaveLength(1);
	});

	it('to an invalid location is reported', async () => {
		const server = await serveRaw((_request, response) =>
			response.writeHead(307, { location: 'http://[' }).end(),
		);
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			message: expect.stringContaining('invalid location'),
		});
	});

	it('in a loop ends', async () => {
		const server = await serveRaw((_request, response) =>
			response.writeHead(307, { location: '/mcp' }).end(),
		);
		const { peer } = await connectHttp(server.url);
		await expect(peer.request('tools/call', {})).rejects.toMatchObject({
			message: expect.stringContaining('redirects'),
		});
		expect(server.received).toHaveLength(6);
	});
});
