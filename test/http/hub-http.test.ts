/* MCP over HTTP of the real shared hub, as `mctl hub start --http` starts it. */
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { request as openHttps } from 'node:https';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ensureCertificates } from '../../src/link/certificates/certificates.ts';
import { runsAllTests, someOf } from '../support/all-tests.ts';
import { HttpSession, modernRequest, openListener, send } from '../support/http-listener.ts';
import { type HubPlace, openHubPlace } from '../support/hub-place.ts';
import { isAlive } from '../support/programs.ts';
import { manifestOf, shellEvent } from '../support/tool-folder.ts';
import { deferred, until } from '../support/waiting.ts';
import { writeFiles } from '../support/workspace.ts';

const list = modernRequest('tools/list');

describe('mctl hub start --http', () => {
	it('serves MCP at a URL of loopback, with the token that mctl hub token prints', async () => {
		const place = openHubPlace({}, tools);
		const { url, token } = await startHttp(place);
		expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
		expect((await send(url, { ...list, token })).status).toBe(200);
		expect((await send(url, { ...list, token: 'wrong' })).status).toBe(401);
		expect((await send(url, { ...list, token, headers: { ...list.headers, Host: 'evil' } })).status).toBe(
			403,
		);
		const file = join(place.folder.path, 'http-token');
		expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8').trim()]).toEqual([0o600, token]);
		expect((await place.run('hub', 'status')).stdout).toContain(
			`MCP over HTTP: ${url} (its token: mctl hub token)`,
		);
		expect(JSON.parse(readFileSync(join(place.folder.path, 'hub.json'), 'utf8')).httpUrl).toBe(url);
	});

	it('is off by default, and is opened by a hub that runs when it is asked for', async () => {
		const place = openHubPlace();
		const pid = await place.start();
		expect(JSON.parse((await place.run('hub', 'status', '--json')).stdout).httpUrl).toBeUndefined();
		const { url, token, pid: samePid } = await startHttp(place);
		expect(samePid).toBe(pid);
		expect((await send(url, { ...list, token })).status).toBe(200);
		const refused = await openHubPlace({ hub: {} }).run('hub', 'start', '--http', '0.0.0.0:0');
		expect(refused.stderr).toContain('could be reached by other machines');
	});

	it('keeps its token over restarts, and refuses one that others can read', async () => {
		const place = openHubPlace({ hub: { httpAddr: '127.0.0.1:0' } });
		const first = await startHttp(place, []);
		await place.run('hub', 'stop');
		expect((await startHttp(place, [])).token).toBe(first.token);
		await place.run('hub', 'stop');
		chmodSync(join(place.folder.path, 'http-token'), 0o644);
		const { code, stderr } = await place.run('hub', 'start');
		expect(code).toBe(69);
		expect(stderr).toContain('can be read by other users');
	});

	it.each([
		['an address of the network', { httpAddr: '0.0.0.0:0' }, 'could be reached by other machines'],
		['a public address without TLS', { httpAddr: '0.0.0.0:0', httpPublic: true }, 'needs TLS'],
		[
			'a certificate without a key',
			{ httpAddr: '127.0.0.1:0', httpCert: './a.pem' },
			'hub.httpKey is missing',
		],
	])('refuses %s with the reason', async (_, hub, reason) => {
		const place = openHubPlace({ hub });
		const { code, stderr } = await place.run('hub', 'start');
		expect(code).toBe(69);
		expect(stderr).toContain(reason);
		expect(place.hubs()).toEqual([]);
	});

	it('refuses an address that is in use', async () => {
		const taken = await openListener();
		const address = new URL(taken.url).host;
		const { code, stderr } = await openHubPlace({ hub: { httpAddr: address } }).run('hub', 'start');
		expect(code).toBe(69);
		expect(stderr).toContain(`HTTP cannot listen on ${address}`);
	});

	it('ends streams and exits at once when it is stopped', async () => {
		const place = openHubPlace();
		const { url, token, pid } = await startHttp(place);
		const session = await HttpSession.open(url, { token });
		const push = await session.get();
		const listen = modernRequest('subscriptions/listen', { notifications: { toolsListChanged: true } });
		const subscription = await send(url, { ...listen, token });
		await subscription.messages(1);
		expect((await place.run('hub', 'stop')).code).toBe(0);
		expect(await push.messages()).toEqual([]);
		expect(await subscription.messages()).toMatchObject([{ result: { resultType: 'complete' } }]);
		expect(isAlive(pid)).toBe(false);
	});
});

describe('a hub over HTTP', () => {
	it.each(someOf(['SDK v1', 'legacy', 'auto', 'pinned']))(
		'runs a tool for %s, with progress, and reports new tools',
		async (mode) => {
			const place = openHubPlace({}, tools);
			const client = await connect(mode, await startHttp(place));
			const { tools: listed } = await client.listTools();
			expect(listed.map(({ name }) => name)).toContain('steps');
			const seen: number[] = [];
			const result = await client.call('steps', ({ progress }) => seen.push(progress));
			expect(result).toMatchObject({ content: [{ text: expect.stringContaining('"done":true') }] });
			expect(seen.length).toBeGreaterThan(0);
			writeFiles(place.cwd, {
				'tools/later/main.sh': 'true\n',
				'tools/later/manifest.json': manifestOf('later'),
			});
			await client.toolsChanged;
			await until('it is listed', async () =>
				(await client.listTools()).tools.some(({ name }) => name === 'later'),
			);
		},
	);

	it('serves one source at its own path, under its own names', async () => {
		const place = openHubPlace({}, tools);
		const { url, token } = await startHttp(place);
		const at = async (path: string, request = list) => send(`${url}/${path}`, { ...request, token });
		const { result } = await (await at('tools')).json();
		expect(result.tools.map(({ name }: { name: string }) => name)).toContain('steps');
		const call = modernRequest('tools/call', { name: 'steps', arguments: {} });
		expect(await (await at('tools/', call)).json()).toMatchObject({
			result: { content: [{ type: 'text' }] },
		});
		const unknown = modernRequest('tools/call', { name: 'nope', arguments: {} });
		expect(await (await at('tools', unknown)).json()).toMatchObject({
			error: { code: -32602, message: 'Unknown tool: nope' },
		});
		const prompts = await (await at('tools', modernRequest('prompts/list'))).json();
		expect(prompts['result'].prompts).toEqual([]);
		const resources = await (await at('library', modernRequest('resources/list'))).json();
		expect(resources['result'].resources.length).toBeGreaterThan(0);
		expect((await at('nope')).status).toBe(404);
		const { stdout } = await place.run('hub', 'logs', '--journal');
		expect(stdout).toContain('"name":"steps"');
	});

	it.runIf(runsAllTests)('does not share a session between two paths', async () => {
		const place = openHubPlace({}, tools);
		const { url, token } = await startHttp(place);
		const session = await HttpSession.open(`${url}/tools`, { token });
		expect((await session.request('tools/list')).status).toBe(200);
		expect((await new HttpSession(url, session.id, token).request('tools/list')).status).toBe(404);
	});
});

describe('a public address', () => {
	it('is served with TLS, to the names of its certificate only', async () => {
		const place = openHubPlace();
		const certs = join(place.home, '.orchestra', 'certs');
		await ensureCertificates(certs);
		const [httpCert, httpKey] = [join(certs, 'orchestrator.crt'), join(certs, 'orchestrator.key')];
		const hub = { httpAddr: '0.0.0.0:0', httpPublic: true, httpCert, httpKey };
		writeFiles(place.cwd, { 'orchestra.json': JSON.stringify({ hub }) });
		const { url, token } = await startHttp(place, []);
		expect(url).toMatch(/^https:/);
		const { port } = new URL(url);
		const status = (host: string): Promise<number> =>
			statusOverTls(Number(port), host, token, readFileSync(join(certs, 'ca.crt')));
		expect(await status(`orchestrator:${port}`)).toBe(200);
		expect(await status(`evil.example.com:${port}`)).toBe(403);
	});
});

const tools = {
	'work/tools/steps/manifest.json': manifestOf('steps'),
	'work/tools/steps/main.sh': `${shellEvent('steps')}
event started '{}'
event progress '{"progress":1,"total":2}'
event progress '{"progress":2,"total":2}'
event result '{"done":true}'
`,
};

interface Started {
	url: string;
	token: string;
	pid: number;
}

async function startHttp(place: HubPlace, flags = ['--http']): Promise<Started> {
	const { stdout, stderr } = await place.run('hub', 'start', ...flags, '--json');
	if (stdout === '') throw new Error(stderr);
	const { httpUrl: url, pid } = JSON.parse(stdout);
	const token = (await place.run('hub', 'token')).stdout.trim();
	return { url, token, pid };
}

interface Connected {
	listTools(): Promise<{ tools: { name: string }[] }>;
	call(name: string, onprogress: (progress: { progress: number }) => void): Promise<unknown>;
	toolsChanged: Promise<void>;
}

async function connect(mode: string, { url, token }: Started): Promise<Connected> {
	const changed = deferred();
	const requestInit = { headers: { Authorization: `Bearer ${token}` } };
	const info = { name: 'judge', version: '1' };
	if (mode === 'SDK v1') {
		const client = new ClientV1(info);
		const { ToolListChangedNotificationSchema } = await import('@modelcontextprotocol/sdk/types.js');
		client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
		const transport = new TransportV1(new URL(url), { requestInit });
		await client.connect(transport);
		onTestFinished(() => client.close());
		return {
			listTools: () => client.listTools(),
			call: (name, onprogress) => client.callTool({ name }, undefined, { onprogress }),
			toolsChanged: changed.promise,
		};
	}
	const negotiation = mode === 'pinned' ? { pin: '2026-07-28' as const } : (mode as 'auto' | 'legacy');
	const client = new Client(info, { versionNegotiation: { mode: negotiation } });
	client.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve());
	await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
	onTestFinished(() => client.close());
	if (mode !== 'legacy') await client.listen({ toolsListChanged: true });
	return {
		listTools: () => client.listTools(),
		call: (name, onprogress) => client.callTool({ name }, { onprogress }),
		toolsChanged: changed.promise,
	};
}

function statusOverTls(port: number, host: string, token: string, ca: Buffer): Promise<number> {
	return new Promise((resolve, reject) => {
		const { body, headers } = list;
		const request = openHttps(
			{
				host: '127.0.0.1',
				port,
				path: '/mcp',
				method: 'POST',
				ca,
				servername: 'orchestrator',
				headers: {
					...headers,
					Host: host,
					Authorization: `Bearer ${token}`,
					'Content-Type': 'application/json',
				},
			},
			(response) => {
				resolve(response.statusCode ?? 0);
				response.resume();
			},
		);
		request.on('error', reject);
		request.end(JSON.stringify(body));
	});
}
