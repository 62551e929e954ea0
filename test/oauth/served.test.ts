import { describe, expect, it } from 'vitest';
import { Log } from '../../src/log.ts';
import { connectServer } from '../../src/mcp/client/connect-server.ts';
import { CredentialStore } from '../../src/oauth/credential-store.ts';
import { startAuthorizationServer } from '../support/authorization-server.ts';
import { thrownBy } from '../support/programs.ts';
import { serveSdk1, serveSdk2 } from '../support/sdk-http.ts';
import { serveServers } from '../support/served-hub.ts';
import { obedientBrowser, testedAuth } from '../support/signing-in.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('a hub with a remote server that needs authorization', () => {
	it('names mctl auth, and works at the next call after it', async () => {
		const server = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
		const hub = await serveServers({ remote: { url: server.url } });
		const client = await hub.client();
		const before = await client.failure('remote__count', { text: 'a' });
		expect(before.message).toContain('Run: mctl auth remote');
		await signIn(hub.environment, server.url);
		expect(await client.call('remote__count', { text: 'a' })).toBe('a');
		expect((await client.request('tools/list'))['tools']).not.toEqual([]);
	});

	it('refreshes a token without anybody noticing, once for all calls', async () => {
		const server = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
		const hub = await serveServers({ remote: { url: server.url } });
		await signIn(hub.environment, server.url);
		const client = await hub.client();
		expect(await client.call('remote__count', { text: 'a' })).toBe('a');
		server.expireAccessTokens();
		const answers = await Promise.all(['b', 'c', 'd'].map((text) => client.call('remote__count', { text })));
		expect(answers).toEqual(['b', 'c', 'd']);
		expect(server.count('/token', 'refresh_token')).toBe(1);
	});

	it('names mctl auth when the authorization ends in the middle, and continues after it', async () => {
		const server = await startAuthorizationServer({ upstream: (await serveSdk2()).url });
		const hub = await serveServers({ remote: { url: server.url } });
		await signIn(hub.environment, server.url);
		const client = await hub.client();
		expect(await client.call('remote__echo', { text: 'a' })).toBe('a');
		server.expireAccessTokens();
		server.expireRefreshTokens();
		expect((await client.failure('remote__echo', { text: 'b' })).message).toContain('mctl auth remote');
		await signIn(hub.environment, server.url);
		expect(await client.call('remote__echo', { text: 'c' })).toBe('c');
	});

	it('writes no secret into its log', async () => {
		const server = await startAuthorizationServer({ upstream: (await serveSdk1()).url, canary: 'c4n4ry' });
		const hub = await serveServers({ remote: { url: server.url } });
		await signIn(hub.environment, server.url);
		const client = await hub.client();
		await client.call('remote__count', { text: 'a' });
		server.expireAccessTokens();
		server.expireRefreshTokens();
		const { message, data } = await client.failure('remote__count', { text: 'b' });
		expect(message + JSON.stringify(data) + hub.log.join('')).not.toContain('c4n4ry');
	});
});

describe('connectServer with a URL', () => {
	it('uses the stored sign-in, and names mctl auth without one', async () => {
		const server = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
		const parentEnvironment = { HOME: temporaryFolder() };
		const error = await thrownBy(() => connectServer(server.url, { parentEnvironment }));
		expect(error).toMatchObject({ hint: `Run: mctl auth ${server.url}` });
		await signIn(parentEnvironment, server.url);
		const client = await connectServer(server.url, { parentEnvironment });
		expect(await client.callTool('count', { text: 'a' })).toMatchObject({ content: [{ text: 'a' }] });
		await client.close();
	});

	it('sends no token where the caller says so or has a header of its own', async () => {
		const server = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
		const parentEnvironment = { HOME: temporaryFolder() };
		await signIn(parentEnvironment, server.url);
		const before = server.to('/mcp').length;
		await thrownBy(() => connectServer(server.url, { parentEnvironment, auth: false }));
		const own = { url: server.url, headers: { Authorization: 'Bearer own' } };
		await thrownBy(() => connectServer(own, { parentEnvironment }));
		const sent = server
			.to('/mcp')
			.slice(before)
			.map(({ headers }) => headers.authorization);
		expect(new Set(sent)).toEqual(new Set([undefined, 'Bearer own']));
	});
});

/** What `mctl auth` does, in this process. */
async function signIn(environment: NodeJS.ProcessEnv, url: string): Promise<void> {
	const store = CredentialStore.ofUser(environment, Log.silent);
	await testedAuth({ url, store, interactive: obedientBrowser() }).auth.signIn([]);
}
