/* Remote servers behind an HTTP proxy that the environment names. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectServer } from '../../../src/mcp/client/connect-server.ts';
import { GuardedHttp } from '../../../src/oauth/guarded-http.ts';
import { proxyFor } from '../../../src/transport/http/proxy/proxy.ts';
import { runsAllTests } from '../../support/all-tests.ts';
import { startAuthorizationServer } from '../../support/authorization-server.ts';
import { startProxy, startTlsFront } from '../../support/http-proxy.ts';
import { mctl } from '../../support/mctl.ts';
import { serveRemote } from '../../support/remote-servers.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const PASSWORD = 's3cret-pass%40word';

describe('the proxy for a URL', () => {
	it.each([
		['https://a.test/', { HTTPS_PROXY: 'http://p:8080' }, 'p:8080'],
		['https://a.test/', { https_proxy: 'p:1', HTTPS_PROXY: 'http://q:2' }, 'p:1'],
		['http://a.test/', { HTTPS_PROXY: 'http://p:8080' }, undefined],
		['http://a.test/', { http_proxy: 'https://p' }, 'p'],
		['http://a.test/', { ALL_PROXY: 'http://p:3' }, 'p:3'],
		['https://a.test/', { HTTPS_PROXY: '' }, undefined],
		['http://localhost:1/', { HTTP_PROXY: 'http://p' }, undefined],
		['http://127.1.2.3/', { HTTP_PROXY: 'http://p' }, undefined],
		['http://[::1]:80/', { HTTP_PROXY: 'http://p' }, undefined],
	])('%s with %j is %s', (url, environment, label) => {
		expect(proxyFor(new URL(url), environment)?.label).toBe(label);
	});

	it.each([
		['*', true],
		['a.test', true],
		['A.TEST', true],
		['.test', true],
		['*.test', true],
		['other, a.test', true],
		['other a.test', true],
		['a.test:443', true],
		['a.test:444', false],
		['b.a.test', false],
		['est', false],
		['10.0.0.0/8', false],
	])('NO_PROXY=%s leaves out https://a.test: %s', (list, isLeftOut) => {
		const environment = { HTTPS_PROXY: 'http://p', NO_PROXY: list };
		expect(proxyFor(new URL('https://a.test/mcp'), environment) === undefined).toBe(isLeftOut);
	});

	it.each([
		['http://10.1.2.3/', '10.0.0.0/8', true],
		['http://11.1.2.3/', '10.0.0.0/8', false],
		['http://10.1.2.3:90/', '10.1.2.3', true],
		['http://[fd00::1]/', 'fd00::/8', true],
		['http://[fd00::1]/', '[fd00::1]:80', true],
		['http://10.1.2.3/', '.3', false],
	])('%s with NO_PROXY=%s is left out: %s', (url, list, isLeftOut) => {
		const found = proxyFor(new URL(url), { http_proxy: 'http://p', no_proxy: list });
		expect(found === undefined).toBe(isLeftOut);
	});

	it.each(['socks5://user:hunter2hunter2@p:1', 'http://', 'http://user:hunter2hunter2@p:port'])(
		'is refused for %s, without its text',
		(text) => {
			const refused = (): unknown => proxyFor(new URL('http://a.test'), { HTTP_PROXY: text });
			expect(refused).toThrow('HTTP_PROXY does not name an HTTP proxy');
			expect(refused).not.toThrow('hunter2');
		},
	);
});

describe('a server behind a proxy', () => {
	it('over HTTP is asked by its whole URL, with the credentials of the proxy', async () => {
		const { url } = await serveRemote('v2-modern');
		const proxy = await startProxy(Number(new URL(url).port), { credentials: 'ann:s3cret-pass@word' });
		const client = await connectServer('http://mcp.example.test/mcp', {
			parentEnvironment: environment({ HTTP_PROXY: `http://ann:${PASSWORD}@127.0.0.1:${proxy.port}` }),
		});
		expect(await client.callTool('echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
		await client.close();
		expect(new Set(proxy.asked)).toEqual(new Set(['POST http://mcp.example.test/mcp']));
	});

	it.each(['v1', 'v2-modern'] as const)(
		'over HTTPS is reached through a tunnel (%s), also by doctor',
		async (kind) => {
			const place = await behindTls((await serveRemote(kind)).url);
			const called = await place.run('call', place.url, 'echo', 'text=hi');
			expect([called.stdout, called.code]).toEqual(['hi\n', 0]);
			expect(place.asked()).toEqual(new Set(['CONNECT mcp.example.test:443']));
			const doctor = await place.run('doctor', '--check');
			expect(doctor.stdout).toMatch(/server far: .* through the proxy 127\.0\.0\.1:\d+/);
			for (const { stdout, stderr } of [called, doctor]) expect(stdout + stderr).not.toMatch(/s3cret|YW5uOn/);
		},
	);

	it('that refuses the credentials is named, and how to set them', async () => {
		const { run, url } = await behindTls((await serveRemote('v1')).url, 'bob:s3cret-wrong-one');
		const { stderr, code } = await run('call', url, 'echo', 'text=hi');
		expect(stderr).toMatch(/the proxy 127\.0\.0\.1:\d+ refused the connection with status 407/);
		expect(stderr).toContain('hint: It wants a user and a password: set HTTPS_PROXY');
		expect([code, stderr.includes('s3cret')]).toEqual([69, false]);
	});

	it.each(['http', 'https'])(
		'that is down fails a call over %s, as certainly not processed',
		async (scheme) => {
			const variable = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' };
			const opened = connectServer(`${scheme}://mcp.example.test/mcp`, {
				parentEnvironment: environment(variable),
			});
			await expect(opened).rejects.toMatchObject({
				message: expect.stringContaining('the proxy 127.0.0.1:9 cannot be reached'),
				data: { outcome: 'not_run' },
			});
		},
	);

	it.runIf(runsAllTests)('that never answers does not keep the client from ending', async () => {
		const proxy = await startProxy(9, { isSilent: true });
		const opened = connectServer('https://mcp.example.test/mcp', {
			parentEnvironment: environment({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }),
			startMs: 300,
		});
		await expect(opened).rejects.toMatchObject({ code: 'timeout' });
		expect(proxy.asked).toContain('CONNECT mcp.example.test:443');
	});
});

describe('a request of the authorization', () => {
	it('goes through the proxy too', async () => {
		const front = await startTlsFront('auth.example.test', 9);
		const proxy = await startProxy(front.port);
		const http = new GuardedHttp(['https://mcp.example.test/mcp'], undefined, {
			HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
		});
		// Its certificate is of an authority that this process does not trust.
		await expect(http.fetch('https://auth.example.test/token')).rejects.toMatchObject({ code: 'io' });
		expect(proxy.asked).toEqual(['CONNECT auth.example.test:443']);
	});

	it('signs in, refreshes and signs out through the proxy, with metadata of another origin', async () => {
		const challenge =
			'Bearer resource_metadata="https://meta.example.test/.well-known/oauth-protected-resource/mcp"';
		const upstream = (await serveRemote('v1')).url;
		const publicOrigin = 'https://mcp.example.test';
		const server = await startAuthorizationServer({ upstream, publicOrigin, challenge });
		const { run, url, asked } = await behindTls(server.ownOrigin);
		expect((await run('auth', 'far')).stdout).toContain('Signed in to far.');
		expect((await run('call', url, 'echo', 'text=hi')).stdout).toBe('hi\n');
		server.expireAccessTokens();
		expect((await run('call', 'far', 'echo', 'text=again')).stdout).toBe('again\n');
		expect(server.count('/token', 'refresh_token')).toBe(1);
		expect((await run('auth', 'far', '--logout')).stdout).toBe('Signed out of far.\n');
		expect(server.count('/revoke')).toBeGreaterThan(0);
		expect(asked()).toEqual(new Set(['CONNECT mcp.example.test:443', 'CONNECT meta.example.test:443']));
	});

	it('over plain HTTP is refused before the proxy is asked', async () => {
		const { run, asked } = await behindTls('http://127.0.0.1:9');
		const { stderr, code } = await run('auth', 'http://mcp.example.test/mcp');
		expect([stderr.includes('http://mcp.example.test is not an https:// URL'), code]).toEqual([true, 64]);
		expect(asked()).toEqual(new Set());
	});

	it('to a private address is refused, also with a proxy', async () => {
		const http = new GuardedHttp(['https://mcp.example.test/mcp'], undefined, {
			HTTPS_PROXY: 'http://127.0.0.1:9',
		});
		await expect(http.fetch('https://169.254.169.254/latest')).rejects.toMatchObject({ code: 'bad_input' });
	});
});

function environment(proxies: Record<string, string>): Record<string, string> {
	return { HOME: temporaryFolder(), PATH: process.env['PATH'] ?? '', ...proxies };
}

/** A server at https://mcp.example.test/mcp, reached through a proxy with credentials, and mctl in its project. */
async function behindTls(inner: string, given = `ann:${PASSWORD}`) {
	const front = await startTlsFront('*.example.test', Number(new URL(inner).port));
	const proxy = await startProxy(front.port, { credentials: 'ann:s3cret-pass@word' });
	const cwd = temporaryFolder();
	const url = 'https://mcp.example.test/mcp';
	writeFiles(cwd, {
		'authority.pem': front.authority,
		// The browser of the user has its own way to the server.
		'browser.mjs': `await (await fetch(process.argv[2].replace('https://mcp.example.test', '${new URL(inner).origin}'))).text();`,
		'orchestra.json': JSON.stringify({ mcpServers: { far: { url } } }),
	});
	const env = {
		HOME: cwd,
		XDG_STATE_HOME: join(cwd, 'state'),
		NODE_EXTRA_CA_CERTS: join(cwd, 'authority.pem'),
		HTTPS_PROXY: `http://${given}@127.0.0.1:${proxy.port}`,
		HTTP_PROXY: `http://${given}@127.0.0.1:${proxy.port}`,
		BROWSER: `${process.execPath} ${join(cwd, 'browser.mjs')}`,
		LOG_LEVEL: 'debug',
		ORCHESTRA_TRUST: 'all',
	};
	const run = (...words: string[]): ReturnType<typeof mctl> => mctl(words, { cwd, env });
	return { url, run, asked: () => new Set(proxy.asked) };
}
