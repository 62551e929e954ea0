/* The redirect URI of a sign-in: its host, its port, and what happens when the port is in use. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallbackHost } from '../../src/oauth/auth-settings.ts';
import { CallbackServer } from '../../src/oauth/callback-server.ts';
import { startAuthorizationServer } from '../support/authorization-server.ts';
import { thrownBy } from '../support/programs.ts';
import { obedientBrowser, request, testedAuth } from '../support/signing-in.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
	all?.some(({ address }) => address === '::1'),
);

describe('the redirect URI', () => {
	it.each<[CallbackHost, string]>([
		['127.0.0.1', '127.0.0.1'],
		['localhost', 'localhost'],
		...(hasIpv6 ? [['::1', '[::1]'] as [CallbackHost, string]] : []),
	])('of a sign-in has the configured host %s and port', async (callbackHost, shown) => {
		const callbackPort = await freePort();
		const server = await startAuthorizationServer();
		const browser = obedientBrowser();
		const settings = { callbackHost, callbackPort };
		const { auth } = testedAuth({ url: server.url, settings, interactive: browser });
		expect(await request(auth, server.url)).toBe(200);
		const uri = `http://${shown}:${callbackPort}/callback`;
		expect(browser.pages[0]?.searchParams.get('redirect_uri')).toBe(uri);
		expect(auth.credentials?.client.redirectUri).toBe(uri);
	});

	it('with localhost is served on both addresses', async () => {
		const callback = await open('localhost', await freePort());
		const { port } = new URL(callback.redirectUri);
		const response = callback.response((parameters) => parameters.get('state') === 'right');
		for (const host of hasIpv6 ? ['127.0.0.1', '[::1]'] : ['127.0.0.1'])
			expect((await fetch(`http://${host}:${port}/callback?state=wrong`)).status).toBe(400);
		await fetch(`${callback.redirectUri}?state=right&code=c`);
		expect((await response).get('code')).toBe('c');
	});

	it.each<CallbackHost>(hasIpv6 ? ['127.0.0.1', 'localhost', '::1'] : ['127.0.0.1'])(
		'with %s and a port in use is an error that names the port and the setting',
		async (host) => {
			const port = await portInUse(host === '127.0.0.1' ? '127.0.0.1' : '::1');
			expect(await thrownBy(() => open(host, port))).toMatchObject({
				code: 'io',
				message: expect.stringContaining(`port ${port}: listen EADDRINUSE`),
				hint: expect.stringContaining('oauth.callbackPort'),
			});
			// Nothing of the attempt is left.
			if (host === 'localhost') await portInUse('127.0.0.1', port);
		},
	);
});

async function open(host: CallbackHost, port: number): Promise<CallbackServer> {
	const callback = await CallbackServer.open({ host, port, preferredPort: undefined });
	onTestFinished(() => callback.close());
	return callback;
}

async function portInUse(host: string, port = 0): Promise<number> {
	const server = createServer().listen(port, host);
	await once(server, 'listening');
	onTestFinished(() => void server.close());
	return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
	const server = createTcpServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}
