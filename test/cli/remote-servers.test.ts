/* Remote MCP servers in every command that can use one, as a stranger would type it. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startAuthorizationServer } from '../support/authorization-server.ts';
import { serveRaw } from '../support/http-server.ts';
import { serveTls } from '../support/http-tls.ts';
import { mcpFolder } from '../support/mcp-folder.ts';
import { serveRemote } from '../support/remote-servers.ts';
import { serveSdk1 } from '../support/sdk-http.ts';
import { signInTo } from '../support/signing-in.ts';

const kinds = ['v1', 'v2-legacy', 'v2-modern'] as const;

describe.each(kinds)('the URL of a server (%s)', (kind) => {
	it('is called, shown and asked', async () => {
		const { url } = await serveRemote(kind);
		const { run } = mcpFolder({});
		const call = await run('call', url, 'echo', 'text=hi');
		expect([call.stdout, call.stderr, call.code]).toEqual(['hi\n', '', 0]);
		const shown = await run('show', url, 'echo');
		expect(shown.stdout).toContain('text');
		expect(shown.stdout).toContain(`mctl call ${url} echo`);
		const asked = await run('request', url, 'tools/list', '--json');
		expect(JSON.parse(asked.stdout).result.tools).toHaveLength(5);
	});
});

describe('a URL', () => {
	it('of the transport of 2024-11-05 is called', async () => {
		const { url } = await serveRemote('v1-sse');
		expect((await mcpFolder({}).run('call', url, 'echo', 'text=hi')).stdout).toBe('hi\n');
	});

	it('gets one request without a handshake with --raw', async () => {
		const { url } = await serveRemote('v1');
		const { stderr, code } = await mcpFolder({}).run('request', url, 'tools/list', '--raw');
		expect(code).not.toBe(0);
		expect(stderr).toContain('Server not initialized');
	});

	it('that needs a sign-in says which command signs in', async () => {
		const { url } = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
		const { stderr, code } = await mcpFolder({}).run('call', url, 'count', 'text=a');
		expect([stderr.includes(`hint: Run: mctl auth ${url}`), code]).toEqual([true, 69]);
	});

	it('with a key in its query appears without it in every message', async () => {
		const { url } = await startAuthorizationServer({
			upstream: (await serveSdk1()).url,
			resource: 'https://example.com/mcp',
		});
		const { run } = mcpFolder({});
		const keyed = `${url}?api_key=c4n4ry-00c0ffee`;
		const results = [
			await run('call', keyed, 'count', 'text=a'),
			await run('auth', keyed),
			await run('auth', keyed, '--status'),
			await run('auth', keyed, '--logout', '--json'),
		];
		expect(results[0]?.stderr).toContain(`hint: Run: mctl auth ${url}?…\n`);
		expect(results[1]?.stderr).toContain(`the metadata of ${url} is about another resource`);
		expect(results[2]?.stderr).toContain(`you are not signed in to ${url}?…`);
		for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain('c4n4ry');
	});

	it.each([
		['https://', 'must begin with http://, https:// or unix:///'],
		['http://ann:secret@127.0.0.1:1/mcp', 'must not contain a user name or a password'],
	])('that cannot be used is explained: %s', async (url, reason) => {
		for (const words of [
			['call', url, 'x'],
			['show', url, 'x'],
			['request', url, 'ping'],
		]) {
			const { stderr, code } = await mcpFolder({}).run(...words);
			expect([stderr.includes(reason), stderr.includes('secret'), code]).toEqual([true, false, 64]);
		}
	});

	it('is refused by mctl pipe, which names the commands that take one', async () => {
		const { stderr, code } = await mcpFolder({}).run('pipe', 'https://example.com/mcp');
		expect(code).toBe(64);
		expect(stderr).toContain('for a URL use mctl request or mctl call');
	});
});

describe('remote servers of the configuration', () => {
	it('are listed with state, era, version, tools and sign-in, and without secrets', async () => {
		const guarded = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
		const [old, modern] = [await serveRemote('v1'), await serveRemote('v2-modern')];
		const { run, env, cwd } = mcpFolder({
			old: { url: `${old.url}?key=secret-1`, headers: { Authorization: 'Bearer secret-2' } },
			modern: { type: 'http', url: modern.url },
			guarded: { type: 'http', url: guarded.url },
		});
		await run('call', 'old', 'echo', 'text=a');
		await run('call', 'modern', 'echo', 'text=a');
		const before = await run('list', 'servers');
		expect(before.stdout).toMatch(/^old +known +- +- +legacy +1\.2\.3 +5 +header +http:\S+\/mcp$/m);
		expect(before.stdout).toMatch(/^modern +known +- +- +modern +1\.2\.3 +5 +- /m);
		expect(before.stdout).toMatch(/^guarded +configured +- +- +- +- +- +- /m);
		await signInTo(env, { url: guarded.url, name: 'guarded', file: join(cwd, 'orchestra.json') });
		const after = await run('list', 'servers', '--json');
		expect(JSON.parse(after.stdout).servers).toMatchObject([
			{ signIn: 'header' },
			{ signIn: 'none' },
			{ signIn: 'signed_in' },
		]);
		const { stdout: doctor } = await run('doctor', '--check');
		expect(doctor).toMatch(/server old: .* ms, authorized by its own header$/m);
		expect(doctor).toMatch(/server modern: .* ms$/m);
		expect(doctor).toMatch(/server guarded: .* ms, authorized by the stored sign-in$/m);
		expect(before.stdout + after.stdout + doctor).not.toContain('secret-');
	});

	it('are contacted by list servers --check, which explains each one that fails', async () => {
		const { run } = await openMixed();
		const { stdout, stderr, code } = await run('list', 'servers', '--check');
		expect(stdout).toMatch(/^good +ok +\d+ ms +5 +modern +1\.2\.3 /m);
		for (const name of ['page', 'tls', 'dns', 'gone', 'guarded'])
			expect(stdout).toMatch(new RegExp(`^${name} +FAILED `, 'm'));
		for (const reason of Object.values(reasons)) expect(stderr).toContain(reason);
		expect(code).toBe(1);
	});

	it('are not contacted by doctor, except with --check', async () => {
		const { run, contacts } = await openMixed();
		const quiet = await run('doctor');
		expect(quiet.stdout).toContain('no sign-in is stored (not contacted; --check does it)');
		expect(contacts()).toBe(0);
		const { stdout, code } = await run('doctor', '--check');
		expect(stdout).toMatch(/\[ ok \] server good: MCP 2026-07-28 \(modern\), 5 tools, \d+ ms/);
		for (const reason of Object.values(reasons)) expect(stdout).toContain(reason);
		expect(stdout).toContain('→ Run: mctl auth guarded');
		expect(code).toBe(1);
		expect(contacts()).toBeGreaterThan(0);
	});
});

const reasons = {
	page: 'is not an MCP endpoint: it answered 200 with text/html',
	tls: 'TLS failed',
	dns: 'the host name was not found',
	gone: 'the connection was refused',
	guarded: 'guarded needs authorization',
};

/** One server of each kind of trouble, and one without. */
async function openMixed() {
	const page = await serveRaw((_request, response) =>
		response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>'),
	);
	const gone = await serveRaw(() => {});
	await gone.stop();
	const guarded = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
	const urls = {
		good: (await serveRemote('v2-modern')).url,
		page: page.url,
		tls: (await serveTls()).url,
		dns: 'http://no-such-host.invalid/mcp',
		gone: gone.url,
		guarded: guarded.url,
	};
	const entries = Object.entries(urls).map(([name, url]) => [name, { type: 'http', url }]);
	return { ...mcpFolder(Object.fromEntries(entries)), contacts: () => page.received.length };
}
