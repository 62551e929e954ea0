/*
 * Remote servers that fail, seen by a client of the hub: each failure recovers, or is
 * explained with the next step, and no call runs twice.
 */
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectServer } from '../../../src/mcp/client/connect-server.ts';
import { cutStream, type FaultyRemote, onCall, serveFaulty, status } from '../../support/faulty-remote.ts';
import { beginEvents, event, result, rpcFailure, sendJson, serveRaw } from '../../support/http-server.ts';
import { serveTls } from '../../support/http-tls.ts';
import { type HubClient, type ServedHub, serveServers } from '../../support/served-hub.ts';
import { until } from '../../support/waiting.ts';

const eras = ['legacy', 'modern'] as const;
/** A probe of a child process waits 2 s. */
const SLOWER_THAN_A_PROBE_MS = 2300;

describe.each(eras)('a remote server of the %s era', (era) => {
	it('that restarts between two calls is used again, and each call runs once', async () => {
		const { remote, client } = await open({ era });
		expect(await client.call('shop__write')).toBe('call 1');
		await remote.stop();
		const restarted = await remote.again();
		expect(await client.call('shop__write')).toBe('call 1');
		expect([remote.ran, restarted.ran]).toEqual([1, 1]);
	});

	it('that is away for a moment is waited for, and the call runs once', async () => {
		const { remote, client } = await open({ era });
		await client.call('shop__write');
		await remote.stop();
		const call = client.call('shop__write');
		const restarted = await remote.again();
		expect(await call).toBe('call 1');
		expect(restarted.ran).toBe(1);
	});

	it('that restarts during a call leaves its outcome unknown, and the call is not repeated', async () => {
		const { remote, client } = await open({ era });
		await client.call('shop__write');
		remote.fault(onCall(() => {}));
		const failing = client.failure('shop__write');
		await until('the call arrived', () => remote.calls.length === 2);
		await remote.stop();
		const restarted = await remote.again();
		const { message, data } = await failing;
		expect(message).toContain('the outcome is unknown');
		expect(message).toContain('Next: Check whether the call took effect before you repeat it');
		expect(data['outcome']).toBe('unknown');
		expect(restarted.calls).toHaveLength(0);
		expect(await client.call('shop__write')).toBe('call 1');
	});

	it('that cuts a stream leaves the outcome unknown; a call that only reads is made again', async () => {
		const { remote, client } = await open({ era });
		remote.fault(cutStream);
		expect((await client.failure('shop__write')).message).toContain('the outcome is unknown');
		expect(remote.calls).toHaveLength(1);
		let cuts = 0;
		remote.fault(
			(call, response) => call.message.method === 'tools/call' && cuts++ === 0 && cutStream(call, response),
		);
		expect(await client.call('shop__read')).toMatch(/^call/);
		expect(remote.calls).toHaveLength(3);
	});

	it('behind a proxy that buffers delivers everything in the end, in order', async () => {
		const { remote, client } = await open({ era });
		remote.fault(
			onCall((response, { message }) => {
				const progressToken = (message.params?.['_meta'] as { progressToken?: unknown })?.progressToken;
				const progress = (step: number): object => ({
					jsonrpc: '2.0',
					method: 'notifications/progress',
					params: { progressToken, progress: step },
				});
				beginEvents(response);
				const done = result(message.id, {
					content: [{ type: 'text', text: 'done' }],
					resultType: 'complete',
				});
				response.end([progress(1), progress(2), done].map((each) => event(each)).join(''));
			}),
		);
		const seen: unknown[] = [];
		const onProgress = (params: unknown): void => void seen.push((params as { progress: number }).progress);
		expect(await client.call('shop__write', {}, { onProgress })).toBe('done');
		expect(seen.filter((step) => step !== 0)).toEqual([1, 2]);
	});

	it('that sends no headers is given up at the timeout of the call, and the connection is closed', async () => {
		const { remote, client } = await open({ era, settings: { timeoutMs: 300 } });
		remote.fault(onCall(() => {}));
		const { message } = await client.failure('shop__slow');
		expect(message).toContain('the MCP server shop did not answer the call');
		expect(message).toContain('raise timeoutMs of mcpServers.shop');
		await remote.calls[0]?.closed;
		expect(remote.calls).toHaveLength(1);
	});
});

describe('a remote server that refuses calls', () => {
	it.each([
		[401, {}, 'needs authorization', 'mctl auth shop'],
		[403, {}, 'denies access (403)', 'mctl auth shop'],
		[429, { 'retry-after': '7' }, 'too many requests (429)', 'Try again in 7 s.'],
	])('with %i explains it, and is called once', async (code, headers, reason, next) => {
		const { remote, client } = await open();
		expect(await client.call('shop__write')).toBe('call 1');
		remote.fault(status(code, headers));
		const { message } = await client.failure('shop__write');
		expect(message).toContain('the MCP server shop failed during the call');
		expect(message).toContain(reason);
		expect(message).toMatch(/\nNext: /);
		expect(message.split('\nNext: ')[1]).toContain(next);
		expect(remote.calls).toHaveLength(2);
		remote.fault(undefined);
		expect(await client.call('shop__write')).toBe('call 2');
	});

	it.each([500, 502, 503, 504])('with %i leaves the outcome unknown', async (code) => {
		const { remote, client } = await open();
		remote.fault(status(code));
		const { message, data } = await client.failure('shop__write');
		expect(message).toContain('the outcome is unknown');
		expect(message).toContain(`(${code})`);
		expect(data['outcome']).toBe('unknown');
		expect(remote.calls).toHaveLength(1);
	});

	it('because it forgot the session gets a new one, and the call runs once', async () => {
		const { remote, client } = await open();
		await client.call('shop__write');
		let isForgotten = false;
		remote.fault((call, response) => {
			if (call.message.method !== 'tools/call' || isForgotten) return false;
			isForgotten = true;
			response.writeHead(404).end('Session not found');
			return true;
		});
		expect(await client.call('shop__write')).toBe('call 2');
		expect(remote.sessions).toBe(2);
	});

	it('for lack of authorization answers again as soon as it accepts us', async () => {
		const { remote, client } = await open({
			fault: (_call, response) => Boolean(response.writeHead(401).end()),
		});
		const { message } = await client.failure('shop__write');
		expect(message).toContain('Next: Run: mctl auth shop');
		remote.fault(undefined);
		expect(await client.call('shop__write')).toBe('call 1');
	});
});

describe('a modern server that is slow to wake up', () => {
	it('is found to be modern: silence of a remote server is no sign of its era', async () => {
		const { remote, served, client } = await open({
			era: 'modern',
			fault: ({ message }, response) => {
				if (message.method === 'initialize') return refuseInitialize(response);
				if (message.method !== 'server/discover' || remote.methods().length > 1) return false;
				setTimeout(() => sendDiscovered(response, message.id), SLOWER_THAN_A_PROBE_MS);
				return true;
			},
		});
		expect(await client.call('shop__write')).toBe('call 1');
		expect(served.opened.hub.sources.find(({ id }) => id === 'shop')?.status.era).toBe('modern');
		expect(remote.methods()).not.toContain('initialize');
	});

	it('and refuses initialize is asked again what it is', async () => {
		const remote = await serveFaulty({
			era: 'modern',
			fault: ({ message }, response) => {
				if (message.method === 'initialize') return refuseInitialize(response);
				if (message.method !== 'server/discover' || remote.methods().length > 2) return false;
				response.writeHead(500).end(); // says nothing about the era
				return true;
			},
		});
		const client = await connectServer(remote.url, { auth: false });
		onTestFinished(() => client.close());
		expect(client.era).toBe('modern');
		const probe = 'server/discover';
		expect(remote.methods().slice(0, 4)).toEqual([probe, probe, 'initialize', probe]);
	});
});

describe('a server that refuses once the version which it offers', () => {
	it('is asked again with that version', async () => {
		const remote = await serveFaulty({
			era: 'modern',
			fault: ({ message }, response) => {
				if (message.method !== 'server/discover' || remote.methods().length > 1) return false;
				const data = { supported: ['2026-07-28'], requested: '2026-07-28' };
				const error = { code: -32022, message: 'Unsupported protocol version', data };
				sendJson(response, { jsonrpc: '2.0', id: message.id, error }, 400);
				return true;
			},
		});
		const client = await connectServer(remote.url, { auth: false });
		onTestFinished(() => client.close());
		expect(client.era).toBe('modern');
	});
});

describe('a redirect to another origin', () => {
	it('is not followed, so that no credentials and no arguments get there', async () => {
		const thief = await serveRaw((_request, response) => response.writeHead(200).end());
		const { remote, client } = await open({ settings: { headers: { Authorization: 'Bearer secret' } } });
		await client.call('shop__write');
		remote.fault(status(307, { location: thief.url }));
		const { message } = await client.failure('shop__write');
		expect(message).toContain(`redirects to ${thief.url} (307), which is not followed`);
		expect(message).toContain(`If you trust it, use ${thief.url} as the URL.`);
		expect(thief.received).toEqual([]);
	});
});

describe('a remote server that does not connect', () => {
	it('because nothing listens names the refused connection', async () => {
		const remote = await serveFaulty();
		await remote.stop();
		const { message } = await failureAt(remote.url);
		expect(message).toContain(`cannot reach ${remote.url}: the connection was refused`);
		expect(message).toContain('Next: Check that the server runs, and its port.');
	});

	it('because its name is unknown names DNS', async () => {
		const { message } = await failureAt('http://no-such-host.invalid/mcp');
		expect(message).toContain('the host name was not found');
	});

	it('because of its certificate names TLS', async () => {
		const { message } = await failureAt((await serveTls()).url);
		expect(message).toContain('TLS failed');
		expect(message).toContain('NODE_EXTRA_CA_CERTS');
	});

	it('because the path is wrong says so', async () => {
		const { url } = await serveRaw((_request, response) => response.writeHead(404).end('Cannot POST /mcp'));
		const { message } = await failureAt(url);
		expect(message).toContain('has no MCP endpoint (404)');
		expect(message).toContain('Check the path of the URL');
	});

	it('because a web page answers quotes its beginning', async () => {
		const { url } = await serveRaw((_request, response) =>
			response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>'),
		);
		const { message } = await failureAt(url);
		expect(message).toContain('is not an MCP endpoint: it answered 200 with text/html');
		expect(message).toContain('Welcome');
	});

	it('because it answers initialize with an error quotes the error', async () => {
		const { url } = await serveRaw(({ message }, response) =>
			sendJson(response, rpcFailure(message.id, -32000, 'no licence'), 200),
		);
		const { message } = await failureAt(url);
		expect(message).toContain('the MCP server shop failed in the handshake');
		expect(message).toContain('no licence');
		expect(message).toContain(`URL: ${url}`);
	});

	it('because it accepts and never answers is given up at startMs', async () => {
		const server = createServer(() => {});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		onTestFinished(() => void server.close());
		const { port } = server.address() as { port: number };
		const { message } = await failureAt(`http://127.0.0.1:${port}/mcp`, { startMs: 400 });
		expect(message).toContain('the MCP server shop did not answer the handshake');
		expect(message).toContain('400ms');
	});

	it('shows no secret of its URL or headers, in no message and no log', async () => {
		const { url } = await serveRaw((_request, response) => response.writeHead(500).end());
		const headers = { 'X-Key': 'secret-2' };
		const served = await serveServers({ shop: { url: `${url}?key=secret-1`, headers } });
		const { message, data } = await (await served.client()).failure('shop__write');
		const everything = JSON.stringify([message, data, served.log, served.opened.hub.processes()]);
		expect(everything).toContain('500');
		expect(everything).not.toContain('secret-');
	});
});

function refuseInitialize(response: ServerResponse): boolean {
	sendJson(response, rpcFailure(1, -32020, 'Missing MCP-Protocol-Version header'), 400);
	return true;
}

function sendDiscovered(response: ServerResponse, id: unknown): void {
	const about = { capabilities: { tools: {} }, supportedVersions: ['2026-07-28'], resultType: 'complete' };
	sendJson(response, result(id, about));
}

interface Opened {
	remote: FaultyRemote;
	served: ServedHub;
	client: HubClient;
}

interface OpenOptions {
	era?: 'legacy' | 'modern';
	settings?: object;
	fault?: Parameters<FaultyRemote['fault']>[0];
}

async function open({ era = 'legacy', settings = {}, fault }: OpenOptions = {}): Promise<Opened> {
	const remote = await serveFaulty({ era, ...(fault && { fault }) });
	const served = await serveServers({ shop: { type: 'http', url: remote.url, ...settings } });
	return { remote, served, client: await served.client() };
}

async function failureAt(url: string, settings: object = {}): Promise<{ message: string }> {
	const served = await serveServers({ shop: { type: 'http', url, ...settings } });
	return (await served.client()).failure('shop__write');
}
