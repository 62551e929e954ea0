/* Who gets into the dashboard: what a raw client may try. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { DashboardAccess } from '../../src/dashboard/dashboard-access.ts';
import { HubCall } from '../../src/hub/calls/hub-call.ts';
import { CallContext } from '../../src/mcp/server/call-context.ts';
import { negotiate } from '../../src/protocol/revisions.ts';
import { IncomingCall } from '../../src/rpc/calls/incoming-call.ts';
import { type Browser, eventsOf, fetchRaw, openTestDashboard } from '../support/dashboard.ts';
import { fakeSource } from '../support/fake-source.ts';
import { modernRequest, send } from '../support/http-listener.ts';
import { until } from '../support/waiting.ts';

const servers = {};

describe('the login', () => {
	it('takes a code once, and gives a cookie that scripts and other sites cannot use', async () => {
		const { http, origin } = await openTestDashboard({ servers });
		const url = http.dashboardUrl?.() ?? '';
		const first = await fetchRaw(url);
		expect([first.status, first.header('location')]).toEqual([303, '/dashboard/']);
		expect(String(first.message.headers['set-cookie'])).toMatch(
			/^orchestra_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
		);
		const second = await fetchRaw(url);
		expect([second.status, second.header('set-cookie')]).toEqual([401, undefined]);
		for (const wrong of ['', '?code=', '?code=x', `?code=${'a'.repeat(43)}`])
			expect((await fetchRaw(`${origin}/dashboard/enter${wrong}`)).status).toBe(401);
	});

	it('ends with a sign-out, for this browser only', async () => {
		const { login } = await openTestDashboard({ servers });
		const [one, other] = [await login(), await login()];
		const left = await one.post('/api/sign-out');
		expect(String(left.message.headers['set-cookie'])).toMatch(/^orchestra_\d+=; .*Max-Age=0$/);
		expect((await one.page('/api/state')).status).toBe(401);
		expect((await other.page('/api/state')).status).toBe(200);
	});

	it('takes the event streams of every tab with it when it ends', async () => {
		const { login } = await openTestDashboard({ servers });
		const [one, other] = [await login(), await login()];
		const [tab, stranger] = [await one.page('/api/events'), await other.page('/api/events')];
		const ended = text(tab.message);
		stranger.message.resume();
		await one.post('/api/sign-out');
		expect(await ended).toMatch(/event: signed-out\ndata: \{\}\n\n$/);
		expect(stranger.message.complete).toBe(false);
		stranger.message.destroy();
	});

	it('does not take a code that has ended', async () => {
		const { http } = await openTestDashboard({ servers, limits: { codeMs: 0 } });
		expect((await fetchRaw(http.dashboardUrl?.() ?? '')).status).toBe(401);
	});

	it('of a browser ends when it sends nothing for long, and the oldest codes end first', () => {
		let now = 0;
		const limits = { codeMs: 10, codes: 2, loginMs: 100, logins: 2 };
		const access = new DashboardAccess({ hasToken: () => undefined, limits, now: () => now });
		const [oldest, , newest] = [access.makeCode(), access.makeCode(), access.makeCode()];
		expect(access.enter(oldest)).toBeUndefined();
		const cookie = `orchestra_80=${access.enter(newest)}`;
		for (const [at, verdict] of [
			[90, 'ok'],
			[180, 'ok'],
			[281, 'unauthorized'],
		] as const) {
			now = at;
			expect(access.forPage({ headers: { cookie }, socket: { localPort: 80 } })).toBe(verdict);
		}
		expect(access.forPage({ headers: { cookie }, socket: { localPort: 81 } })).toBe('unauthorized');
	});

	it('opens the page and the API, but not /mcp', async () => {
		const { login } = await openTestDashboard({ servers });
		const browser = await login();
		const page = await browser.send('/dashboard/');
		expect([page.status, await page.text()]).toEqual([200, '<p>page</p>']);
		expect((await browser.page('/api/state')).status).toBe(200);
		expect((await browser.page('/mcp', { method: 'POST', body: {} })).status).toBe(401);
	});
});

describe('a request', () => {
	it('without cookie or token gets 401 and nothing else, on every path', async () => {
		const { origin } = await openTestDashboard({ servers });
		const bodies = new Set<string>();
		for (const path of ['/api/state', '/api/events', '/api/nothing', '/api/servers/x', '/api/calls/1']) {
			const answer = await fetchRaw(`${origin}${path}`);
			expect(answer.status).toBe(401);
			bodies.add(await answer.text());
		}
		expect([...bodies]).toEqual(['{"error":{"code":"unauthorized","message":"unauthorized"}}']);
		for (const path of ['/dashboard/', '/dashboard/app.js', '/dashboard/nothing'])
			expect((await fetchRaw(`${origin}${path}`)).status).toBe(401);
		const wrong = { Authorization: `Bearer ${'x'.repeat(43)}`, Cookie: 'orchestra_1=x; orchestra_2' };
		expect((await fetchRaw(`${origin}/api/state`, { headers: wrong })).status).toBe(401);
	});

	it('with the token of programs gets in, also without an origin', async () => {
		const { origin, token } = await openTestDashboard({ servers });
		const headers = { Authorization: `Bearer ${token}` };
		expect((await fetchRaw(`${origin}/api/state`, { headers })).status).toBe(200);
		const wrongServer = { method: 'POST', body: {}, headers };
		expect((await fetchRaw(`${origin}/api/servers/none/start`, wrongServer)).status).toBe(404);
	});

	it.each([
		['another host', { Host: 'evil.example' }],
		['another port', { Host: '127.0.0.1:1' }],
		['another origin', { Origin: 'http://evil.example' }],
		['the origin of another port', { Origin: 'http://127.0.0.1:1' }],
		['an opaque origin', { Origin: 'null' }],
	])('with %s gets 403', async (_, headers) => {
		const { login } = await openTestDashboard({ servers });
		const browser = await login();
		for (const path of ['/api/state', '/dashboard/', '/dashboard/enter?code=x'])
			expect((await browser.send(path, { headers })).status).toBe(403);
	});

	it('with the cookie that another site sends changes nothing', async () => {
		const { login } = await openTestDashboard();
		const browser = await login();
		const path = '/api/servers/py/disable';
		const body = {};
		for (const headers of [
			{},
			{ 'Sec-Fetch-Site': 'cross-site' },
			{ 'Sec-Fetch-Site': 'same-site', Origin: browser.origin },
			{ 'Sec-Fetch-Site': 'none' },
		])
			expect((await browser.send(path, { method: 'POST', body, headers })).status).toBe(403);
		expect((await browser.send('/api/state', { headers: { 'Sec-Fetch-Site': 'same-site' } })).status).toBe(
			403,
		);
		const form = { 'Content-Type': 'text/plain' };
		expect((await browser.page(path, { method: 'POST', body, headers: form })).status).toBe(415);
		expect(await stateOf(browser)).not.toBe('disabled');
		expect(
			(await browser.send(path, { method: 'POST', body, headers: { Origin: browser.origin } })).status,
		).toBe(200);
		expect(await stateOf(browser)).toBe('disabled');
	});

	it('cannot leave the folder of the page', async () => {
		const { login, served } = await openTestDashboard({ servers });
		const browser = await login();
		for (const path of [
			'/dashboard/../orchestra.json',
			'/dashboard/%2e%2e/orchestra.json',
			'/dashboard/..%2forchestra.json',
			'/dashboard/....//orchestra.json',
			`/dashboard/${encodeURIComponent(`${served.folder}/orchestra.json`)}`,
			'/dashboard/index.html%00.js',
			'/dashboard/constructor',
		]) {
			const answer = await rawGet(browser, path);
			expect(answer).toMatch(/^HTTP\/1\.1 404 /);
			expect(answer).not.toContain('mcpServers');
		}
	});

	it('with a name of two lines splits no reply', async () => {
		const { login } = await openTestDashboard({ servers });
		const browser = await login();
		for (const path of [
			'/api/servers/a%0d%0aSet-Cookie:%20x=1',
			'/api/tool?name=a%0d%0aSet-Cookie:%20x=1',
			'/dashboard/a%0d%0aSet-Cookie:%20x=1',
			'/api/%0d%0aSet-Cookie:%20x=1',
		]) {
			const answer = await browser.page(path);
			expect([answer.status, answer.header('set-cookie')]).toEqual([404, undefined]);
		}
		expect((await browser.page('/api/%E0%A4%A')).status).toBe(404);
	});

	it('has replies that a browser neither caches nor frames nor guesses about', async () => {
		const { login } = await openTestDashboard({ servers });
		const browser = await login();
		for (const path of ['/dashboard/', '/api/state']) {
			const answer = await browser.page(path);
			expect(answer.header('content-security-policy')).toMatch(/^default-src 'self';/);
			expect(answer.header('content-security-policy')).not.toContain('unsafe');
			expect(answer.header('x-content-type-options')).toBe('nosniff');
			expect(answer.header('x-frame-options')).toBe('DENY');
		}
		expect((await browser.page('/api/state')).header('cache-control')).toBe('no-store');
	});
});

describe('the limits', () => {
	it('refuse a body that is too long before it is read, and one that is no object', async () => {
		const { login } = await openTestDashboard({ servers, limits: { bodyBytes: 1000 } });
		const browser = await login();
		const long = { method: 'POST', body: JSON.stringify({ name: 'x'.repeat(2000) }) };
		expect((await browser.page('/api/call', long)).status).toBe(413);
		for (const body of ['', '[]', '"x"', '{', 'null'])
			expect((await browser.page('/api/call', { method: 'POST', body })).status).toBe(400);
		const wrong = await browser.post('/api/call', { name: 5 });
		expect([wrong.status, await wrong.json()]).toEqual([
			400,
			{ error: { code: 'bad_input', message: expect.any(String), hint: expect.any(String) } },
		]);
		expect((await browser.page('/api/call', { method: 'DELETE' })).status).toBe(405);
	});

	it('refuse more event streams than allowed, and take one again when one has ended', async () => {
		const { login } = await openTestDashboard({ servers, limits: { eventStreams: 2 } });
		const browser = await login();
		const streams = [await browser.page('/api/events'), await browser.page('/api/events')];
		const refused = await browser.page('/api/events');
		expect([refused.status, await refused.text()]).toEqual([
			503,
			'{"error":{"code":"too_many_streams","message":"too_many_streams"}}',
		]);
		streams[0]?.cut();
		await until('a stream is free', async () => {
			const again = await browser.page('/api/events');
			again.cut();
			return again.status === 200;
		});
	});

	it('share the limit of event streams with MCP clients', async () => {
		const { login, http, token } = await openTestDashboard({ servers });
		const browser = await login();
		const streams = await Promise.all(Array.from({ length: 64 }, () => browser.page('/api/events')));
		const refused = await send(http.url, {
			...modernRequest('subscriptions/listen', { notifications: {} }),
			token,
		});
		expect([streams.at(-1)?.status, refused.status]).toEqual([200, 503]);
	});

	it('bound what a page that never reads costs', async () => {
		const limits = { unreadBytes: 10_000, tickMs: 5, stateMs: 5, pingMs: 5 };
		const { login, served } = await openTestDashboard({ servers, limits });
		const browser = await login();
		const stuck = await browser.page('/api/events');
		stuck.message.pause();
		const reading = eventsOf(await browser.page('/api/events'));
		const { hub } = served.opened;
		const client = 'x'.repeat(300);
		const connection = {
			revision: negotiate(undefined),
			capabilities: {},
			clientInfo: undefined,
			sessionId: '',
			logLevel: () => undefined,
			notify: () => {},
		};
		const context = new CallContext(connection, new IncomingCall('1', 'tools/call', {}), {});
		const call = (): void => {
			const params = { name: client, arguments: {} };
			const made = new HubCall({ method: 'tools/call', params, context }, client);
			made.target = { source: fakeSource('own', { callTool: () => ({ content: [] }) }), name: client };
			void hub.send(made);
		};
		for (let round = 0; round < 200; round++) {
			for (let count = 0; count < 100; count++) call();
			await nextCalls(reading);
		}
		stuck.message.resume();
		let dropped = 0;
		for await (const { name: event, data } of eventsOf(stuck)) {
			if (event !== 'calls') continue;
			dropped += data.dropped;
			if (dropped > 0) break;
			call();
		}
		expect(dropped).toBeGreaterThan(0);
	});
});

async function nextCalls(events: ReturnType<typeof eventsOf>): Promise<void> {
	for (;;) {
		const { value, done } = await events.next();
		if (done || value.name === 'calls') return;
	}
}

async function stateOf(browser: Browser): Promise<string> {
	const { backends } = await browser.get('/api/state');
	return backends.find(({ id }: { id: string }) => id === 'py').state;
}

/** The path as it is, which `http.request` would change. */
async function rawGet({ origin, cookie }: Browser, path: string): Promise<string> {
	const { host, hostname, port } = new URL(origin);
	const socket = connect({ host: hostname, port: Number(port) });
	await once(socket, 'connect');
	socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`);
	return text(socket);
}
