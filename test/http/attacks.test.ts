/* What a raw client may try with session ids, tokens, cookies and paths that are not its own. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Authenticate } from '../../src/http/authenticate.ts';
import { HttpSession, modernRequest, openListener, send, TOKEN } from '../support/http-listener.ts';

const list = modernRequest('tools/list');
const initialize = {
	jsonrpc: '2.0',
	id: 1,
	method: 'initialize',
	params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

describe('a session id', () => {
	it('is no authentication: without the token nothing shows whether it exists', async () => {
		const { url } = await openListener();
		const session = await HttpSession.open(url);
		for (const method of ['POST', 'GET', 'DELETE']) {
			const answers = [];
			for (const id of [session.id, crypto.randomUUID()]) {
				const headers = { 'Mcp-Session-Id': id };
				const body = method === 'POST' ? { body: { jsonrpc: '2.0', id: 1, method: 'ping' } } : {};
				const answer = await send(url, { method, headers, token: undefined, ...body });
				answers.push([answer.status, await answer.text()]);
			}
			expect(answers[0]).toEqual(answers[1]);
			expect(answers[0]?.[0]).toBe(401);
		}
		expect((await session.request('ping')).status).toBe(200);
	});

	it('that a client invents is not adopted', async () => {
		const { url } = await openListener();
		const answer = await send(url, { body: initialize, headers: { 'Mcp-Session-Id': 'mine' } });
		expect(answer.header('mcp-session-id')).not.toBe('mine');
		expect((await new HttpSession(url, 'mine', TOKEN).request('ping')).status).toBe(404);
	});

	it('is random and never the same', async () => {
		const { url } = await openListener();
		const ids = new Set<string>();
		for (let count = 0; count < 20; count++) ids.add((await HttpSession.open(url)).id);
		expect(ids.size).toBe(20);
		for (const id of ids)
			expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
	});

	it('of another sender replays nothing with the event id of that session', async () => {
		const authenticate: Authenticate = ({ headers }) => headers.authorization;
		const { url } = await openListener({ authenticate });
		const ann = await HttpSession.open(url, { token: 'ann' });
		const [, event] = await (await ann.call('work')).events();
		expect(event?.id).toBeDefined();
		const lastEvent = { 'Last-Event-ID': event?.id ?? '' };
		expect((await new HttpSession(url, ann.id, 'bob').get(lastEvent)).status).toBe(404);
		const bob = await HttpSession.open(url, { token: 'bob' });
		const answer = await bob.get(lastEvent);
		if (answer.isStream) answer.cut();
		else expect(await answer.text()).not.toContain('progress');
		expect(answer.status).not.toBe(200);
	});
});

describe('a browser on another site', () => {
	it('gets no permission by preflight, and no header that lets it read a reply', async () => {
		const { url } = await openListener();
		const headers = {
			Origin: 'https://evil.example.com',
			'Access-Control-Request-Method': 'POST',
			'Access-Control-Request-Headers': 'authorization',
		};
		const preflight = await send(url, { method: 'OPTIONS', headers, token: undefined });
		const normal = await send(url, list);
		for (const answer of [preflight, normal])
			expect(Object.keys(answer.message.headers).filter((name) => name.startsWith('access-control'))).toEqual(
				[],
			);
		expect([preflight.status, normal.status]).toEqual([403, 200]);
	});

	it('cannot use a cookie: none is set, and none is accepted', async () => {
		const { url } = await openListener();
		expect((await send(url, { body: initialize })).header('set-cookie')).toBeUndefined();
		for (const cookie of [`token=${TOKEN}`, `authorization=Bearer ${TOKEN}`, `Bearer ${TOKEN}`]) {
			const headers = { ...list.headers, Cookie: cookie };
			expect((await send(url, { ...list, headers, token: undefined })).status).toBe(401);
		}
	});

	it('cannot send a form or plain text as a message', async () => {
		const { url } = await openListener();
		for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
			const headers = { ...list.headers, 'Content-Type': type };
			expect((await send(url, { ...list, headers })).status).toBe(415);
		}
	});
});

describe('a raw request', () => {
	it.each(['__proto__', 'constructor', '%2e%2e', '..%2f..%2fetc', '%00', '%zz', 'a/b', 'hub'])(
		'to /mcp/%s finds nothing',
		async (name) => {
			const { url } = await openListener();
			expect((await raw(url, `POST /mcp/${name} HTTP/1.1`)).startsWith('HTTP/1.1 404')).toBe(true);
		},
	);

	it.each([
		['an absolute target of another host', 'POST http://evil.example.com/mcp HTTP/1.1', {}],
		['two lengths', 'POST /mcp HTTP/1.1', { 'Content-Length': '5\r\nContent-Length: 6' }],
		['a length and chunks', 'POST /mcp HTTP/1.1', { 'Content-Length': '5', 'Transfer-Encoding': 'chunked' }],
		['a line break in a header', 'POST /mcp HTTP/1.1', { 'X-A': 'a\nb' }],
	])('with %s is refused', async (_, line, headers) => {
		const { url } = await openListener();
		expect(await raw(url, line, headers as Record<string, string>)).toMatch(/^HTTP\/1\.1 4\d\d /);
		expect((await send(url, list)).status).toBe(200);
	});

	it('with two tokens of which the first is wrong is refused', async () => {
		const { url } = await openListener();
		const answer = await raw(url, 'POST /mcp HTTP/1.1', {
			Authorization: `Bearer wrong\r\nAuthorization: Bearer ${TOKEN}`,
		});
		expect(answer).toMatch(/^HTTP\/1\.1 401 /);
	});
});

/** The whole reply to these bytes, with our Host and token unless the headers say otherwise. */
async function raw(url: string, line: string, headers: Record<string, string> = {}): Promise<string> {
	const { hostname, port, host } = new URL(url);
	const socket = connect(Number(port), hostname);
	await once(socket, 'connect');
	const all = { Host: host, Authorization: `Bearer ${TOKEN}`, Connection: 'close', ...headers };
	const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
	socket.write(`${line}\r\n${head.join('\r\n')}\r\n\r\n`);
	socket.on('error', () => {}); // it may be reset after the reply
	return text(socket);
}
