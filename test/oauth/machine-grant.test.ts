/* Sign-in without a person: credentials of a program, and assertions of an organisation's identity provider. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load.ts';
import type { OAuthSettings } from '../../src/oauth/auth-settings.ts';
import {
	type AuthorizationServer,
	type Quirks,
	startAuthorizationServer,
} from '../support/authorization-server.ts';
import { thrownBy } from '../support/programs.ts';
import { request, type TestedAuth, testedAuth } from '../support/signing-in.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const machine: OAuthSettings = { grant: 'client_credentials', clientId: 'ci', clientSecret: 's3cret:%&' };

async function opened(
	settings: OAuthSettings,
	quirks: Quirks = {},
): Promise<TestedAuth & { server: AuthorizationServer }> {
	const server = await startAuthorizationServer({ clients: { ci: 's3cret:%&' }, ...quirks });
	return { server, ...testedAuth({ url: server.url, settings }) };
}

describe('client credentials', () => {
	it('get a token with a secret, for this resource, without a browser and without a registration', async () => {
		const { server, auth } = await opened({ ...machine, scopes: ['files:read'] });
		expect(await request(auth, server.url, 2)).toBe(200);
		const [sent] = server.to('/token');
		expect(Object.fromEntries(sent?.form ?? [])).toEqual({
			grant_type: 'client_credentials',
			scope: 'files:read',
			resource: server.url,
		});
		expect(sent?.headers.authorization).toMatch(/^Basic /);
		expect([server.count('/authorize'), server.count('/register')]).toEqual([0, 0]);
	});

	it('ask for no refresh token where the server lists offline_access', async () => {
		const { server, auth } = await opened(machine, {
			scopesSupported: ['read'],
			serverScopes: ['offline_access'],
		});
		expect(await request(auth, server.url, 2)).toBe(200);
		expect(server.to('/token')[0]?.form.get('scope')).toBe('read');
	});

	it('get a token with a signed assertion, and nothing of the key is sent', async () => {
		const { publicKey, privateKey } = generateKeyPairSync('ec', {
			namedCurve: 'P-256',
			publicKeyEncoding: { type: 'spki', format: 'pem' },
			privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
		});
		const { server, auth } = await opened(
			{ grant: 'client_credentials', clientId: 'ci', privateKey },
			{ publicKeys: { ci: publicKey } },
		);
		expect(await request(auth, server.url, 2)).toBe(200);
		expect(server.to('/token')[0]?.headers.authorization).toBeUndefined();
		expect(JSON.stringify(server.requests)).not.toContain(privateKey.split('\n')[1]);
	});

	it('get another token before one expires, and when one is refused, once for many requests', async () => {
		const { server, auth, store } = await opened(machine, { expiresIn: 1 });
		expect(await request(auth, server.url, 2)).toBe(200);
		server.quirks.expiresIn = 3600;
		await until(
			'the token is due',
			async () => (await request(auth, server.url, 1), server.count('/token') === 2),
		);
		const before = server.count('/token');
		server.expireAccessTokens();
		const { auth: hub } = testedAuth({ url: server.url, settings: machine, store });
		const statuses = await Promise.all(Array.from({ length: 10 }, () => request(hub, server.url, 2)));
		expect(new Set(statuses)).toEqual(new Set([200]));
		expect(server.count('/token') - before).toBe(1);
	});

	it('end when the server refuses a fresh token, and say so', async () => {
		const { server, auth } = await opened(machine);
		expect(await request(auth, server.url, 2)).toBe(200);
		const again = { url: server.url, status: 401 as const, challenges: [], token: await auth.token() };
		expect(await thrownBy(() => auth.onUnauthorized(again))).toMatchObject({
			message: expect.stringContaining('refuses the token that its authorization server just issued'),
			data: { outcome: 'not_run' },
		});
		expect(server.count('/token')).toBe(1);
	});

	it('are explained when they are wrong, without the secret', async () => {
		const { server, auth, lines } = await opened({ ...machine, clientSecret: 'wr0ng-secret' });
		const error = await thrownBy(() => request(auth, server.url, 2));
		expect(error).toMatchObject({ code: 'rpc', hint: expect.stringContaining('oauth.clientSecret') });
		expect(inspect(error, { depth: 9 }) + lines.join('')).not.toContain('wr0ng-secret');
	});

	it.each<[OAuthSettings, RegExp]>([
		[{ grant: 'client_credentials', clientId: 'ci' }, /oauth\.clientSecret or oauth\.privateKey is missing/],
		[{ grant: 'client_credentials', clientSecret: 'x' }, /oauth\.clientId is missing/],
		[{ grant: 'client_credentials', clientId: 'ci', privateKey: 'no key' }, /not a private key as PEM/],
		[{ grant: 'enterprise', clientId: 'ci', clientSecret: 'x' }, /oauth\.identityProvider/],
	])('name what is missing: %j', async (settings, message) => {
		const { server, auth } = await opened(settings);
		expect(await thrownBy(() => request(auth, server.url, 2))).toMatchObject({
			message: expect.stringMatching(message),
		});
	});
});

describe('enterprise-managed authorization', () => {
	it('exchanges the ID token of the user for an assertion, and that for a token', async () => {
		const { server, auth } = await enterprise('the-id-token');
		expect(await request(auth, server.url, 2)).toBe(200);
		const [exchange, bearer] = server.to('/token').map(({ form }) => form);
		expect(exchange?.get('resource')).toBe(server.url);
		expect(bearer?.get('assertion')).toMatch(/^jag-/);
	});

	it('reads the ID token again for each token, and never shows it', async () => {
		const { server, auth, file } = await enterprise('an-old-id-token');
		const error = await thrownBy(() => request(auth, server.url, 2));
		expect(error).toMatchObject({ code: 'rpc', message: expect.stringContaining('refused') });
		expect(inspect(error, { depth: 9 })).not.toContain('an-old-id-token');
		writeFileSync(file, 'the-id-token');
		expect(await request(auth, server.url, 2)).toBe(200);
	});

	/** The settings come from files: the identity provider from the user's, the entry from the project's. */
	async function enterprise(
		idToken: string,
	): Promise<TestedAuth & { server: AuthorizationServer; file: string }> {
		const server = await startAuthorizationServer({
			clients: { ci: 'secret', work: 'idp-secret' },
			idToken: 'the-id-token',
			authMethods: ['client_secret_basic'],
		});
		const home = temporaryFolder();
		const provider = {
			issuer: server.issuer,
			clientId: 'ci',
			clientSecret: 'secret',
			idToken: '${file:id-token}',
		};
		const oauth = { grant: 'enterprise', clientId: 'ci', clientSecret: 'secret' };
		writeFiles(home, {
			'config/orchestra/config.json': JSON.stringify({ identityProvider: provider }),
			'config/orchestra/id-token': idToken,
			'work/orchestra.json': JSON.stringify({ mcpServers: { a: { url: server.url, oauth } } }),
		});
		const environment = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), ORCHESTRA_TRUST: 'all' };
		const { configuration, problems } = loadConfiguration({ cwd: join(home, 'work'), environment });
		expect(problems).toEqual([]);
		const [entry] = configuration.mcpServers;
		if (entry === undefined || entry.kind === 'stdio') throw new Error('no remote entry');
		const file = join(home, 'config/orchestra/id-token');
		return { server, file, ...testedAuth({ url: server.url, settings: entry.oauth, environment }) };
	}
});
