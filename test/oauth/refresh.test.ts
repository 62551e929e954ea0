import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { accountOf } from '../../src/oauth/account.ts';
import type { CredentialStore } from '../../src/oauth/credential-store.ts';
import { type Quirks, startAuthorizationServer } from '../support/authorization-server.ts';
import { bundle } from '../support/bundle.ts';
import { thrownBy } from '../support/programs.ts';
import { obedientBrowser, request, testedAuth } from '../support/signing-in.ts';
import { until } from '../support/waiting.ts';

describe('a token', () => {
	it('is refreshed before it expires, without a refused request', async () => {
		const { server, auth, store } = await signedIn();
		expireAt(store, server.url, Date.now() + 1000);
		expect(await request(auth, server.url, 1)).toBe(200);
		expect(server.count('/token', 'refresh_token')).toBe(1);
		expect(server.to('/token').at(-1)?.form.get('resource')).toBe(server.url);
	});

	it('is refreshed once for many requests that are refused at the same time', async () => {
		const { server, hub } = await signedIn();
		server.expireAccessTokens();
		const statuses = await Promise.all(Array.from({ length: 20 }, () => request(hub, server.url, 2)));
		expect(new Set(statuses)).toEqual(new Set([200]));
		expect(server.count('/token', 'refresh_token')).toBe(1);
	});

	it('is refreshed once by five processes at the same time', async () => {
		const { server, store } = await signedIn({ tokenDelayMs: 200 });
		expireAt(store, server.url, Date.now() - 1000);
		const program = await bundle(join(import.meta.dirname, '../fixtures/token-reader.mjs'));
		symlinkSync(join(import.meta.dirname, '../../node_modules'), join(dirname(program), 'node_modules'));
		const results = await Promise.all([1, 2, 3, 4, 5].map(() => runReader(program, store, server.url)));
		for (const result of results) expect(result).toEqual({ code: 0, stdout: '200\n', stderr: '' });
		expect(server.count('/token', 'refresh_token')).toBe(1);
	});

	it('that another process stored is used at the next request', async () => {
		const { server, store, hub } = await signedIn();
		expect(await request(hub, server.url)).toBe(200);
		server.expireAccessTokens();
		server.expireRefreshTokens();
		expect(await thrownBy(() => request(hub, server.url))).toMatchObject({ code: 'io' });
		await testedAuth({ url: server.url, store, interactive: obedientBrowser() }).auth.signIn([]);
		expect(await request(hub, server.url, 1)).toBe(200);
	});

	it('keeps its refresh token when a refresh brings no new one', async () => {
		const { server, store } = await signedIn({ keepsRefreshToken: true });
		for (const round of [1, 2, 3]) {
			server.expireAccessTokens();
			const { auth } = testedAuth({ url: server.url, store });
			expect([round, await request(auth, server.url)]).toEqual([round, 200]);
		}
	});

	it('is used while it is valid, although the authorization server fails', async () => {
		const { server, auth, store, lines } = await signedIn({ refreshError: 'temporarily_unavailable' });
		expireAt(store, server.url, Date.now() + 20_000);
		expect(await request(auth, server.url, 1)).toBe(200);
		expect(lines.join('')).toContain('could not be refreshed yet');
		expect(store.read(accountOf({ url: server.url }))?.tokens?.refreshToken).toBeDefined();
	});

	it('is deleted when the authorization server withdrew it; the registration stays', async () => {
		const { server, hub, store } = await signedIn();
		server.expireAccessTokens();
		server.expireRefreshTokens();
		expect(await thrownBy(() => request(hub, server.url))).toMatchObject({
			hint: `Run: mctl auth ${server.url}`,
		});
		expect(store.read(accountOf({ url: server.url }))).toMatchObject({
			tokens: undefined,
			client: { kind: 'registered' },
		});
	});

	it('is deleted with its registration when the authorization server forgot the client', async () => {
		const { server, auth, store } = await signedIn();
		server.expireAccessTokens();
		server.forgetClients();
		expireAt(store, server.url, Date.now() - 1000);
		expect(await request(auth, server.url)).toBe(200);
		expect(server.count('/register')).toBe(2);
	});

	it('of a newer generation survives the failure of an old one', async () => {
		const { server, hub, store } = await signedIn({ tokenDelayMs: 100 });
		server.expireRefreshTokens();
		expireAt(store, server.url, Date.now() - 1);
		const refreshing = hub.token();
		await until('the refresh is under way', () => server.count('/token', 'refresh_token') === 1);
		// A process that ignores the lock, or whose lock was taken for stale.
		const before = store.read(accountOf({ url: server.url }));
		const newer = { accessToken: 'newer', generation: 'newer', expiresAt: undefined };
		if (before?.tokens)
			store.write(accountOf({ url: server.url }), { ...before, tokens: { ...before.tokens, ...newer } });
		expect(await refreshing).toBe('newer');
		expect(store.read(accountOf({ url: server.url }))?.tokens?.accessToken).toBe('newer');
	});

	it('is not refreshed in a loop when the server refuses the fresh one too', async () => {
		const { server, hub } = await signedIn();
		const refuse = async () => {
			const token = await hub.token();
			return hub.onUnauthorized({ status: 401, url: server.url, challenges: [], token });
		};
		expect(await refuse()).toBe('retry');
		expect(await thrownBy(refuse)).toMatchObject({ code: 'io' });
		expect(server.count('/token', 'refresh_token')).toBe(1);
	});

	it('of another issuer or client than the configured one is never sent', async () => {
		const { server, store } = await signedIn();
		for (const settings of [{ issuer: 'https://other.example' }, { clientId: 'other' }])
			expect(await testedAuth({ url: server.url, store, settings }).auth.token()).toBeUndefined();
		expect(await testedAuth({ url: `${server.url}/2`, store }).auth.token()).toBeUndefined();
	});

	it('is never shown, although the authorization server repeats it', async () => {
		const { server, auth, store, lines } = await signedIn({ canary: 'c4n4ry', refreshError: 'server_error' });
		expireAt(store, server.url, Date.now() + 20_000);
		expect(await auth.token()).toContain('c4n4ry');
		expireAt(store, server.url, Date.now() - 1);
		const error = await thrownBy(() => auth.token());
		expect(error).toMatchObject({ message: expect.stringContaining('refused: server_error (no: ***)') });
		expect(inspect(error, { depth: 9 }) + JSON.stringify(error) + lines.join('')).not.toContain('c4n4ry');
	});

	it('is withdrawn and deleted by a sign-out', async () => {
		const { server, auth, store } = await signedIn();
		expect(await auth.signOut()).toBe(true);
		expect([server.count('/revoke'), store.read(accountOf({ url: server.url }))]).toEqual([2, undefined]);
		expect([await auth.signOut(), await auth.token()]).toEqual([false, undefined]);
	});
});

/** A server and a stored sign-in: `auth` has a person beside it, `hub` has none. */
async function signedIn(quirks: Quirks = {}) {
	const server = await startAuthorizationServer(quirks);
	const { store, auth, lines } = testedAuth({ url: server.url, interactive: obedientBrowser() });
	await request(auth, server.url);
	return { server, store, lines, auth, hub: testedAuth({ url: server.url, store }).auth };
}

function expireAt(store: CredentialStore, url: string, expiresAt: number): void {
	const found = store.read(accountOf({ url }));
	if (found?.tokens === undefined) throw new Error('not signed in');
	store.write(accountOf({ url }), {
		...found,
		tokens: { ...found.tokens, expiresAt, obtainedAt: expiresAt - 3_600_000 },
	});
}

async function runReader(program: string, store: CredentialStore, url: string) {
	const child = spawn(process.execPath, [program, join(store.fileOf(accountOf({ url })), '../..'), url]);
	const exited = once(child, 'close');
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
	const [code] = await exited;
	return { code, stdout, stderr };
}
