import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { type Quirks, startAuthorizationServer } from '../../support/authorization-server.ts';
import { type MctlResult, mctl, startMctl } from '../../support/mctl.ts';
import { serveSdk1 } from '../../support/sdk-http.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const CANARY = 'c4n4ry-';

describe('mctl auth', () => {
	it('signs in with a browser, then shows and deletes what is stored', async () => {
		const place = await workspace({ scopesSupported: ['read', 'write'] });
		const signedIn = await place.run(['auth', 'remote']);
		expect(signedIn).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed in to remote.') });
		expect(signedIn.stdout).toContain(`issuer  ${place.server.issuer}`);
		expect(signedIn.stdout).toContain('scopes  read write');
		const status = await place.run(['auth', 'remote', '--status', '--json']);
		expect(JSON.parse(status.stdout)).toMatchObject({
			schema: 'orchestra.auth/1',
			state: 'signed_in',
			issuer: place.server.issuer,
			clientKind: 'registered',
			scopes: ['read', 'write'],
			canRefresh: true,
		});
		expect(await place.run(['auth', place.server.url, '--status'])).toMatchObject({ code: 0 });
		expect(await place.run(['auth', 'remote', '--logout'])).toMatchObject({
			code: 0,
			stdout: 'Signed out of remote.\n',
		});
		expect(await place.run(['auth', 'remote', '--status'])).toMatchObject({
			code: 1,
			stderr: 'mctl: you are not signed in to remote\nhint: Run: mctl auth remote\n',
		});
		place.expectNoSecrets();
	});

	it('refuses a server of a project that is not trusted, also when its name begins like another server', async () => {
		const cwd = temporaryFolder();
		const home = temporaryFolder();
		const entry = (url: string): string => JSON.stringify({ type: 'http', url });
		writeFiles(home, {
			'.config/orchestra/config.json': `{"mcpServers":{"docs":${entry('http://127.0.0.1:9/mine')}}}`,
		});
		writeFiles(cwd, { 'orchestra.json': `{"mcpServers":{"docs__x":${entry('http://127.0.0.1:9/theirs')}}}` });
		const env = { HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: join(home, 'state'), ORCHESTRA_TRUST: '' };
		const { code, stderr } = await mctl(['auth', 'docs__x', '--status'], { cwd, env });
		expect(code).toBe(64);
		expect(stderr).toContain('mctl trust');
	});

	it('stores tokens where only the user can read them', async () => {
		const place = await workspace();
		await place.run(['auth', 'remote']);
		const [file = ''] = place.stored();
		expect(readFileSync(file, 'utf8')).toContain(CANARY);
		expect(statSync(file).mode & 0o777).toBe(0o600);
	});

	it('prints the page without a browser, and takes the address that the user pastes', async () => {
		const place = await workspace();
		const child = place.start(['auth', 'remote'], { BROWSER: 'none' });
		const location = await redirectOf(await place.page(child));
		child.stdin.write(`not this\n${location}\n`);
		const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
		expect([code, stdout]).toEqual([0, expect.stringContaining('Signed in to remote.')]);
	});

	it('ends at once with Ctrl-C while it waits for the user', async () => {
		const place = await workspace();
		const child = place.start(['auth', 'remote'], { BROWSER: 'none' });
		await place.page(child);
		child.kill('SIGINT');
		expect((await once(child, 'close'))[0]).toBe(130);
		expect(place.stored()).toEqual([]);
	});

	it('ends at once with Ctrl-C while the authorization server does not answer', async () => {
		const place = await workspace({ tokenDelayMs: 60_000 });
		const child = place.start(['auth', 'remote'], {});
		await until('the token is requested', () => place.server.count('/token') === 1);
		child.kill('SIGINT');
		expect((await once(child, 'close'))[0]).toBe(130);
		expect(place.stored()).toEqual([]);
	});

	it('by URL serves every command with this URL, with a client that is registered by hand', async () => {
		const place = await workspace(
			{ noRegistration: true, clients: { mine: `${CANARY}secret` }, upstream: (await serveSdk1()).url },
			{ clientId: 'mine', clientSecret: `${CANARY}secret`, resource: false },
		);
		const { url } = place.server;
		expect(await place.run(['auth', url])).toMatchObject({ code: 0 });
		expect(await place.run(['call', url, 'count', 'text=a'])).toMatchObject({ stdout: 'a\n', code: 0 });
		expect(await place.run(['show', url, 'count'])).toMatchObject({ code: 0 });
		place.server.expireAccessTokens();
		expect(await place.run(['request', url, 'tools/list'])).toMatchObject({ code: 0 });
		const refreshed = place.server.to('/token').filter(({ form }) => form.has('refresh_token'));
		expect(refreshed.map(({ form }) => form.get('resource'))).toEqual([null]);
		place.server.expireRefreshTokens();
		place.server.expireAccessTokens();
		const ended = await place.run(['request', url, 'ping', '--raw']);
		expect(ended.stderr).toContain('hint: Run: mctl auth remote');
		place.expectNoSecrets();
	});

	it('signs in to a server of a client, which is called with the token', async () => {
		const place = await workspace({ upstream: (await serveSdk1()).url });
		const file = JSON.stringify({ mcpServers: { far: { url: place.server.url } } });
		writeFiles(place.cwd, { '.cursor/mcp.json': file });
		expect(await place.run(['auth', 'cursor:far'])).toMatchObject({ code: 0 });
		const call = ['call', 'cursor:far', 'count', 'text=a'];
		expect(await place.run(call)).toMatchObject({ stdout: 'a\n', code: 0 });
		expect((await place.run(['list', 'cursor:far'])).stdout).toContain('count');
		expect((await place.run(['auth', 'cursor:far', '--account', 'a'])).code).toBe(64);
		expect(await place.run(['auth', 'cursor:far', '--logout'])).toMatchObject({ code: 0 });
		expect((await place.run(call)).stderr).toContain('Run: mctl auth cursor:far');
	});

	it('adds scopes to those that are granted', async () => {
		const place = await workspace({ scopesSupported: ['read'] });
		await place.run(['auth', 'remote']);
		const { stdout } = await place.run(['auth', 'remote', '--scope', 'write admin', '--json']);
		expect(JSON.parse(stdout).scopes).toEqual(['read', 'write', 'admin']);
	});

	it.each([
		[{ denies: 'access_denied' }, 1, 'did not grant access'],
		[{ noPkce: true }, 64, 'does not announce PKCE'],
		[{ noRegistration: true }, 64, 'registers no clients by itself'],
	])('fails with %j, with exit code %i and the reason', async (quirks, code, reason) => {
		const place = await workspace(quirks);
		const failed = await place.run(['auth', 'remote']);
		expect(failed).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(reason) });
		expect(failed.stderr).toContain('hint: ');
		place.expectNoSecrets();
	});

	it('shows no secret when the authorization server repeats it in an error', async () => {
		const place = await workspace(
			{ clients: { mine: `${CANARY}secret` } },
			{ clientId: 'mine', clientSecret: '${SECRET}' },
		);
		expect(await place.run(['auth', 'remote'], { SECRET: `${CANARY}secret` })).toMatchObject({ code: 0 });
		expect(await place.run(['auth', 'remote'], { SECRET: `${CANARY}wrong` })).toMatchObject({ code: 1 });
		place.expectNoSecrets();
		const [file = ''] = place.stored();
		expect(readFileSync(file, 'utf8')).not.toContain(`${CANARY}secret`);
	});

	it('reports a mistyped setting without its value', async () => {
		const place = await workspace({}, { clientSecret: [`${CANARY}secret`], callbackHost: 'example.com' });
		const { stderr } = await place.run(['auth', 'remote']);
		expect(stderr).toContain('oauth.clientSecret is an array; allowed: a non-empty string');
		expect(stderr).toContain(
			'oauth.callbackHost is "example.com" (a string); allowed: "127.0.0.1", "localhost", "::1"',
		);
		place.expectNoSecrets();
	});

	it('refuses what has no sign-in: a program, a header of its own, a mistyped name', async () => {
		const place = await workspace();
		expect((await place.run(['auth', 'local'])).stderr).toContain('is a program on this machine');
		expect((await place.run(['auth', 'stdio:node x.mjs'])).stderr).toContain(
			'is no server of the configuration',
		);
		expect((await place.run(['auth', 'keyed'])).stderr).toContain('has an Authorization header of its own');
		expect(await place.run(['auth', 'remot'])).toMatchObject({
			code: 64,
			stderr: expect.stringContaining('did you mean: remote'),
		});
		expect(await place.run(['auth', 'remote', '--status', '--logout'])).toMatchObject({ code: 64 });
	});
});

/** A folder with a configuration that names a protected server, and a browser of a user who agrees. */
async function workspace(quirks: Quirks = {}, oauth?: object) {
	const server = await startAuthorizationServer({ canary: CANARY, ...quirks });
	const servers = {
		remote: { url: server.url, oauth },
		local: { command: 'true' },
		keyed: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
	};
	const cwd = writeFiles(temporaryFolder(), {
		'orchestra.json': JSON.stringify({ mcpServers: servers }),
		'browser.mjs': 'await (await fetch(process.argv[2])).text();',
	});
	const env = {
		HOME: cwd,
		XDG_STATE_HOME: join(cwd, 'state'),
		BROWSER: `${process.execPath} ${join(cwd, 'browser.mjs')}`,
		LOG_LEVEL: 'debug',
	};
	const results: MctlResult[] = [];
	return {
		server,
		cwd,
		async run(args: string[], more: Record<string, string> = {}): Promise<MctlResult> {
			const result = await mctl(args, { cwd, env: { ...env, ...more } });
			results.push(result);
			return result;
		},
		start: (args: string[], more: Record<string, string>) =>
			startMctl(args, { cwd, env: { ...env, ...more } }),
		/** The page that a running mctl asks to open. */
		async page(child: ReturnType<typeof startMctl>): Promise<string> {
			let seen = '';
			child.stderr.on('data', (chunk) => {
				seen += chunk;
			});
			await until('the page is printed', () => seen.includes('paste its address'));
			return /^ {2}(http\S+)$/m.exec(seen)?.[1] ?? '';
		},
		stored(): string[] {
			const folder = join(cwd, 'state');
			if (!existsSync(folder)) return [];
			const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
			return names.filter((name) => name.endsWith('credentials.json')).map((name) => join(folder, name));
		},
		expectNoSecrets(): void {
			expect(results.length).toBeGreaterThan(0);
			for (const { stdout, stderr } of results) expect(`${stdout}${stderr}`).not.toContain(CANARY);
		},
	};
}

async function redirectOf(page: string): Promise<string> {
	return (await fetch(page, { redirect: 'manual' })).headers.get('location') ?? '';
}
