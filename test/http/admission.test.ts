/* Who gets into the listener, and what it bounds before it knows the sender. */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import {
	encodedRequest,
	modernRequest,
	openListener,
	openSocket,
	send,
	TOKEN,
} from '../support/http-listener.ts';

const list = modernRequest('tools/list');

describe('Host and Origin', () => {
	it.each([
		['another host', { Host: 'evil.example.com' }],
		['another port', { Host: '127.0.0.1:1' }],
		['a host that begins like ours', { Host: 'localhost.evil.example.com' }],
		['user information in the host', { Host: 'localhost@evil.example.com' }],
		['an origin of another site', { Origin: 'https://evil.example.com' }],
		['an origin with another port', { Origin: 'http://localhost:1' }],
		['an opaque origin', { Origin: 'null' }],
	])('refuse a request with %s', async (_, headers) => {
		const { url } = await openListener();
		const answer = await send(url, {
			...list,
			headers: { ...list.headers, ...(headers as Record<string, string>) },
		});
		expect(answer.status).toBe(403);
	});

	it('accept every name of loopback, and our own origin', async () => {
		const { url } = await openListener();
		const { port } = new URL(url);
		for (const host of ['localhost', '127.0.0.1', '[::1]', 'LOCALHOST']) {
			const headers = { ...list.headers, Host: `${host}:${port}`, Origin: `http://${host}:${port}` };
			expect((await send(url, { ...list, headers })).status).toBe(200);
		}
	});

	it.each(['Host', 'host'])('refuse a request with two of them, the second as %s, with 400', async (name) => {
		const { url } = await openListener();
		const { host } = new URL(url);
		for (const [first, second] of [
			[host, 'evil.example.com'],
			['evil.example.com', host],
			[host, host],
		]) {
			const socket = openSocket(url);
			const sent = encodedRequest(url, list).replace(/^Host: .*$/m, `Host: ${first}\r\n${name}: ${second}`);
			socket.write(sent);
			expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]*two Host headers/);
		}
	});

	it('are checked before the token', async () => {
		const { url } = await openListener();
		expect((await send(url, { headers: { Host: 'evil' }, token: undefined })).status).toBe(403);
	});
});

describe('the token', () => {
	it.each([
		['no token', {}],
		['a wrong token', { Authorization: 'Bearer wrong' }],
		['a token that begins like ours', { Authorization: `Bearer ${TOKEN}x` }],
		['another scheme', { Authorization: `Basic ${TOKEN}` }],
		['an empty token', { Authorization: 'Bearer ' }],
	])('is missing with %s: 401 without detail', async (_, headers) => {
		const { url } = await openListener();
		const all = { ...list.headers, ...(headers as Record<string, string>) };
		const answer = await send(url, { ...list, headers: all, token: undefined });
		expect([answer.status, answer.header('www-authenticate')]).toEqual([401, 'Bearer']);
		expect(await answer.json()).toEqual({ jsonrpc: '2.0', error: { code: -32000, message: 'unauthorized' } });
	});

	it('is not accepted in the URL', async () => {
		const { url } = await openListener();
		expect((await send(`${url}?token=${TOKEN}`, { ...list, token: undefined })).status).toBe(401);
	});
});

describe('a request', () => {
	it('may come to /mcp or /mcp/, and to no other path', async () => {
		const { url } = await openListener();
		const at = async (path: string): Promise<number> => (await send(new URL(path, url).href, list)).status;
		expect(await Promise.all(['/mcp', '/mcp/', '/mcp?x=1'].map(at))).toEqual([200, 200, 200]);
		expect(await Promise.all(['/', '/mcpx', '/mcp/other', '/mcp/a/b', '/mcp/%zz'].map(at))).toEqual([
			404, 404, 404, 404, 404,
		]);
	});

	it('with a body over the limit gets 413, whether it declares its size or not', async () => {
		const { url } = await openListener({ limits: { bodyBytes: 1000 } });
		const body = ' '.repeat(1001);
		expect((await send(url, { body })).status).toBe(413);
		const headers = { 'Transfer-Encoding': 'chunked' };
		expect((await send(url, { body, headers })).status).toBe(413);
	});

	it.each(['text/plain', 'application/json; charset=latin1', 'application/jsonp', ''])(
		'with content type "%s" gets 415',
		async (type) => {
			const { url } = await openListener();
			expect((await send(url, { body: '{}', headers: { 'Content-Type': type } })).status).toBe(415);
		},
	);

	it('may accept any content type', async () => {
		const { url } = await openListener();
		for (const accept of ['*/*', 'text/html', 'application/json']) {
			expect((await send(url, { ...list, headers: { ...list.headers, Accept: accept } })).status).toBe(200);
		}
	});

	it('with another method gets 405', async () => {
		const { url } = await openListener();
		for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS', 'PATCH']) {
			const answer = await send(url, { method });
			expect([answer.status, answer.header('allow')]).toEqual([405, 'POST']);
		}
	});
});

describe('a connection', () => {
	it('that sends its headers too slowly is closed', async () => {
		const { url } = await openListener({ limits: { headersMs: 50, requestMs: 100 } });
		const socket = openSocket(url);
		socket.write('POST /mcp HTTP/1.1\r\nHost: ');
		await once(socket.resume(), 'close');
	});

	it('that sends its body too slowly is closed', async () => {
		const { url } = await openListener({ limits: { headersMs: 50, requestMs: 100 } });
		const socket = openSocket(url);
		const { host } = new URL(url);
		socket.write(
			`POST /mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`,
		);
		await once(socket.resume(), 'close');
	});

	it('that sends garbage does not disturb the others', async () => {
		const { url } = await openListener();
		const socket = openSocket(url);
		socket.write('\0\0garbage\r\n\r\n');
		await once(socket.resume(), 'close');
		expect((await send(url, list)).status).toBe(200);
	});
});
