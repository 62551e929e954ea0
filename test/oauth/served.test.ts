import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectServer } from '../../src/mcp/client/connect-server.ts';
import { startAuthorizationServer } from '../support/authorization-server.ts';
import { thrownBy } from '../support/programs.ts';
import { serveSdk1, serveSdk2 } from '../support/sdk-http.ts';
import { type ServedHub, serveServers } from '../support/served-hub.ts';
import { signInTo } from '../support/signing-in.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('a hub with a remote server that needs authorization', () => {
	it('names mctl auth, and works at the next call after it', async () => {
		const server = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
		const hub = await serveServers({ remote: { url: server.url } });
		const client = await hub.client();
		const before = await client.failure('remote__count', { text: 'a' });
		expect(before.message).toContain('Run: mctl auth remote');
		await signInTo(hub.environment, entryOf(hub, server.url));
		expect(await client.call('remote__count', { text: 'a' })).toBe('a');
		expect((await client.request('tools/list'))['tools']).not.toEqual([]);
	});

	it('is listed by the first list of the next session after mctl auth', async () => {
		const server = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
		const first = await serveServers({ remote: { url: server.url } });
		expect((await (await first.client()).request('tools/list'))['tools']).toEqual([]);
		await first.close();
		await signInTo(first.environment, entryOf(first, server.url));
		const second = await first.again();
		const { tools } = await (await second.client()).request('tools/list');
		expect(JSON.stringify(tools)).toContain('remote__count');
	});

	it('refreshes a token without a failed call, once for all calls', async () => {
		const server = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
		const hub = await serveServers({ remote: { url: server.url } });
		await signInTo(hub.environment, entryOf(hub, server.url));
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
		await signInTo(hub.environment, entryOf(hub, server.url));
		const client = await hub.client();
		expect(await client.call('remote__echo', { text: 'a' })).toBe('a');
		server.expireAccessTokens();
		server.expireRefreshTokens();
		expect((await client.failure('remote__echo', { text: 'b' })).message).toContain('mctl auth remote');
		await signInTo(hub.environment, entryOf(hub, server.url));
		expect(await client.call('remote__echo', { text: 'c' })).toBe('c');
	});

	it('writes no secret into its log', async () => {
		const server = await startAuthorizationServer({ upstream: (await serveSdk1()).url, canary: 'c4n4ry' });
		const hub = await serveServers({ remote: { url: server.url } });
		await signInTo(hub.environment, entryOf(hub, server.url));
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
		expect(error).toMatchObject({ hint: `Run: mctl auth ${server.url} --account default` });
		await signInTo(parentEnvironment, server);
		const client = await connectServer(server.url, { parentEnvironment });
		expect(await client.callTool('count', { text: 'a' })).toMatchObject({ content: [{ text: 'a' }] });
		await client.close();
	});

	it('sends no token where the caller says so or has a header of its own', async () => {
		const server = await startAuthorizationServer({ upstream: (await serveSdk1()).url });
		const parentEnvironment = { HOME: temporaryFolder() };
		await signInTo(parentEnvironment, server);
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

/** The entry of the hub that `serveServers` wrote. */
function entryOf({ folder }: ServedHub, url: string): { url: string; name: string; file: string } {
	return { url, name: 'remote', file: join(folder, 'orchestra.json') };
}
