import { describe, expect, it } from 'vitest';
import { OrchestraError } from '../../src/errors.ts';
import { accountOf } from '../../src/oauth/account.ts';
import { type Quirks, startAuthorizationServer } from '../support/authorization-server.ts';
import { thrownBy } from '../support/programs.ts';
import { obedientBrowser, request, testedAuth } from '../support/signing-in.ts';

describe('a sign-in', () => {
	it('discovers, registers, authorizes with PKCE and gets a token that the server accepts', async () => {
		const server = await startAuthorizationServer({ scopesSupported: ['read'] });
		const browser = obedientBrowser();
		const { auth, store } = testedAuth({ url: server.url, interactive: browser });
		expect(await request(auth, server.url)).toBe(200);
		const [page] = browser.pages;
		expect(Object.fromEntries(page?.searchParams ?? [])).toMatchObject({
			response_type: 'code',
			code_challenge_method: 'S256',
			scope: 'read',
			resource: server.url,
		});
		const [registration] = server.to('/register');
		expect(JSON.parse(registration?.body ?? '')).toMatchObject({
			application_type: 'native',
			grant_types: ['authorization_code', 'refresh_token'],
			token_endpoint_auth_method: 'none',
			redirect_uris: [page?.searchParams.get('redirect_uri')],
		});
		expect(server.to('/token')[0]?.form.get('resource')).toBe(server.url);
		expect(store.read(accountOf({ url: server.url }))).toMatchObject({
			issuer: server.issuer,
			resource: server.url,
		});
	});

	it.each([
		['/.well-known/oauth-authorization-server/tenant'],
		['/.well-known/openid-configuration/tenant'],
		['/tenant/.well-known/openid-configuration'],
	])('finds the metadata of an issuer with a path at %s', async (metadataOnlyAt) => {
		const server = await startAuthorizationServer({ issuerPath: '/tenant', metadataOnlyAt });
		expect(await signedIn(server.url)).toBe(200);
	});

	it('finds the metadata of the resource without a URL in the challenge', async () => {
		const server = await startAuthorizationServer({ challenge: 'Basic realm="x", Bearer' });
		expect(await signedIn(server.url)).toBe(200);
	});

	it.each(['http://example.test/prm', 'https://10.0.0.1/prm'])(
		'ignores metadata in the challenge at a forbidden place, %s',
		async (place) => {
			const server = await startAuthorizationServer({ challenge: `Bearer resource_metadata="${place}"` });
			const { auth, lines } = testedAuth({ url: server.url, interactive: obedientBrowser() });
			expect(await request(auth, server.url)).toBe(200);
			expect(lines.join('')).toContain('the metadata at another origin is ignored');
		},
	);

	it('refuses metadata at another origin that is about another resource', async () => {
		const other = await startAuthorizationServer();
		const challenge = `Bearer resource_metadata="${other.origin}/.well-known/oauth-protected-resource/mcp"`;
		const server = await startAuthorizationServer({ challenge });
		expect(await thrownBy(() => signedIn(server.url))).toMatchObject({
			message: expect.stringContaining(`is about another resource, ${other.url}`),
		});
	});

	it('takes the origin as authorization server where there is no metadata of the resource', async () => {
		const server = await startAuthorizationServer({ noResourceMetadata: true });
		const browser = obedientBrowser();
		expect(await signedIn(server.url, {}, browser)).toBe(200);
		expect(browser.pages[0]?.searchParams.get('resource')).toBe(server.url);
	});

	it('uses the default endpoints where there is no metadata at all', async () => {
		const server = await startAuthorizationServer({ noResourceMetadata: true, noServerMetadata: true });
		expect(await signedIn(server.url)).toBe(200);
		expect(server.count('/register')).toBe(1);
	});

	it('requests the scopes of the challenge, and offline_access only where it is listed', async () => {
		const challenge = 'Bearer error_description="scope=\\"evil\\"", scope="a b"';
		const serverScopes = ['offline_access'];
		const server = await startAuthorizationServer({ challenge, scopesSupported: ['z'], serverScopes });
		const browser = obedientBrowser();
		await signedIn(server.url, {}, browser);
		expect(browser.pages[0]?.searchParams.get('scope')).toBe('a b offline_access');
	});

	it('uses the configured client, with its secret encoded as RFC 6749 says', async () => {
		const clients = { 'my id': 'p:w+d%ü' };
		const server = await startAuthorizationServer({ noRegistration: true, clients });
		expect(await signedIn(server.url, { clientId: 'my id', clientSecret: 'p:w+d%ü' })).toBe(200);
		expect(server.count('/register')).toBe(0);
	});

	it('uses a client metadata document where it is supported', async () => {
		const server = await startAuthorizationServer({ supportsClientDocuments: true });
		expect(await signedIn(server.url, { clientMetadataUrl: 'https://example.com/client.json' })).toBe(200);
		expect(server.count('/register')).toBe(0);
	});

	it.each([['client_secret_basic'], ['client_secret_post'], ['none']])(
		'authenticates a registered client with %s where only that is supported',
		async (method) => {
			const server = await startAuthorizationServer({ authMethods: [method] });
			expect(await signedIn(server.url)).toBe(200);
		},
	);

	it('leaves out the resource parameter on request, also on refresh', async () => {
		const server = await startAuthorizationServer({ rejectsResource: true });
		const settings = { sendsResource: false };
		const { auth, store } = testedAuth({ url: server.url, interactive: obedientBrowser(), settings });
		expect(await request(auth, server.url)).toBe(200);
		server.expireAccessTokens();
		expect(await request(testedAuth({ url: server.url, store, settings }).auth, server.url)).toBe(200);
		expect(server.count('/token')).toBe(2);
	});

	it('accepts the right iss', async () => {
		const server = await startAuthorizationServer({ iss: true, announcesIss: true });
		expect(await signedIn(server.url)).toBe(200);
	});

	it('widens the scopes after 403, as the union of old and new', async () => {
		const server = await startAuthorizationServer({ scopesSupported: ['read'], demandsScope: 'write' });
		const browser = obedientBrowser();
		expect(await signedIn(server.url, {}, browser)).toBe(200);
		expect(browser.pages.map((page) => page.searchParams.get('scope'))).toEqual(['read', 'read write']);
	});

	it('stops to widen the scopes when the server keeps asking', async () => {
		const server = await startAuthorizationServer({ demandsScope: 'write extra' });
		const browser = obedientBrowser();
		const { auth } = testedAuth({ url: server.url, interactive: browser });
		const error = await thrownBy(() => request(auth, server.url, 10));
		expect(error).toMatchObject({ code: 'io', message: expect.stringContaining('still needs the scopes') });
		expect(browser.pages.length).toBeLessThanOrEqual(3);
	});

	it('registers anew when the issuer changed', async () => {
		const server = await startAuthorizationServer();
		const { auth, store } = testedAuth({ url: server.url, interactive: obedientBrowser() });
		await request(auth, server.url);
		const before = store.read(accountOf({ url: server.url }));
		server.quirks.issuerPath = '/other';
		await auth.signIn([]);
		const after = store.read(accountOf({ url: server.url }));
		expect(server.count('/register')).toBe(2);
		expect(after?.issuer).not.toBe(before?.issuer);
		expect(after?.client.id).not.toBe(before?.client.id);
	});

	it('keeps its registration and its port for the next sign-in', async () => {
		const server = await startAuthorizationServer();
		const { auth } = testedAuth({ url: server.url, interactive: obedientBrowser() });
		await request(auth, server.url);
		await auth.signIn([]);
		expect(server.count('/register')).toBe(1);
	});

	it('continues after a response with a wrong state', async () => {
		const server = await startAuthorizationServer();
		const statuses: number[] = [];
		const showPage = async (page: string) => {
			const redirect = new URL(page).searchParams.get('redirect_uri');
			statuses.push((await fetch(`${redirect}?code=x&state=guess`)).status);
			statuses.push((await fetch(`${redirect}?error=access_denied`)).status);
			void fetch(page).then((response) => response.text());
		};
		const { auth } = testedAuth({ url: server.url, interactive: { showPage } });
		expect(await request(auth, server.url)).toBe(200);
		expect(statuses).toEqual([400, 400]);
	});

	it('takes a pasted redirect URL, and no other', async () => {
		const server = await startAuthorizationServer();
		const taken: boolean[] = [];
		let deliver: (url: string) => boolean = () => false;
		const showPage = async (page: string) => {
			const { headers } = await fetch(page, { redirect: 'manual' });
			const foreign = 'http://127.0.0.1/callback?code=x&state=y';
			for (const text of ['no url', foreign, headers.get('location')]) taken.push(deliver(text ?? ''));
		};
		const readPasted = (take: typeof deliver) => {
			deliver = take;
			return () => {};
		};
		const { auth } = testedAuth({ url: server.url, interactive: { showPage, readPasted } });
		expect(await request(auth, server.url)).toBe(200);
		expect(taken).toEqual([false, false, true]);
	});

	it('ends at its deadline, and when it is canceled', async () => {
		const server = await startAuthorizationServer();
		const showPage = async () => {};
		const idle = testedAuth({ url: server.url, interactive: { showPage, deadlineMs: 20 } }).auth;
		expect(OrchestraError.is(await thrownBy(() => idle.signIn([])), 'timeout')).toBe(true);
		const cancel = new AbortController();
		const abort = async () => cancel.abort(new OrchestraError('canceled', 'interrupted'));
		const { signal } = cancel;
		const canceled = testedAuth({ url: server.url, interactive: { showPage: abort }, signal }).auth;
		expect(OrchestraError.is(await thrownBy(() => canceled.signIn([])), 'canceled')).toBe(true);
	});
});

describe('a sign-in refuses', () => {
	const evil = 'https://evil.example';
	const refusals: [string, Quirks, string][] = [
		['metadata of another resource', { resource: `${evil}/mcp` }, 'about another resource'],
		['a resource that is a prefix of the text only', { resource: 'ORIGIN/mc' }, 'about another resource'],
		['another issuer', { claimedIssuer: evil }, `calls itself ${evil}`],
		['an issuer with a slash more', { claimedIssuer: 'ORIGIN/' }, 'calls itself'],
		['a server without PKCE', { noPkce: true }, 'does not announce PKCE'],
		['a wrong iss', { iss: evil }, 'the response is not from'],
		['an iss with a slash more', { iss: 'ORIGIN/' }, 'the response is not from'],
		['a missing iss that was announced', { announcesIss: true }, 'the response is not from'],
		['a wrong iss before its error is read', { iss: evil, denies: 'no' }, 'the response is not from'],
		['a denial, with its reason', { denies: 'access_denied' }, 'not grant access: access_denied (said no)'],
		['a server that registers no clients', { noRegistration: true }, 'registers no clients by itself'],
	];

	it.each(refusals)('%s', async (_, quirks, message) => {
		const server = await startAuthorizationServer();
		for (const [key, value] of Object.entries(quirks)) {
			const real = typeof value === 'string' ? value.replace('ORIGIN', server.origin) : value;
			Object.assign(server.quirks, { [key]: real });
		}
		const { auth, store } = testedAuth({ url: server.url, interactive: obedientBrowser() });
		const error = await thrownBy(() => request(auth, server.url));
		expect(error).toMatchObject({ message: expect.stringContaining(message), hint: expect.any(String) });
		expect(store.read(accountOf({ url: server.url }))).toBeUndefined();
		expect(server.count('/token')).toBe(0);
	});

	it('neither a slash nor missing PKCE when the settings accept them', async () => {
		const server = await startAuthorizationServer({ noPkce: true });
		server.quirks.claimedIssuer = `${server.origin}/`;
		expect(await signedIn(server.url, { allowIssuerSlash: true, allowMissingPkce: true })).toBe(200);
	});

	it('to follow a redirect of metadata to another origin', async () => {
		const other = await startAuthorizationServer();
		const server = await startAuthorizationServer({ redirectsTo: other.origin });
		expect(await signedIn(server.url)).toBe(200);
		expect(other.requests).toEqual([]);
	});

	it('to work without a user, and names the command', async () => {
		const server = await startAuthorizationServer();
		const { auth } = testedAuth({ url: server.url, name: 'files' });
		const error = await thrownBy(() => request(auth, server.url));
		expect(error).toMatchObject({ message: 'files needs authorization', hint: 'Run: mctl auth files' });
	});
});

function signedIn(url: string, settings = {}, interactive = obedientBrowser()): Promise<number> {
	return request(testedAuth({ url, settings, interactive }).auth, url);
}
