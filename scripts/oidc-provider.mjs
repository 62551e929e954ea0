/*
 * Authorization against a real server: `oidc-provider` of npm. Run after `npm run build`, or by
 * `npm run test:all`: `node scripts/oidc-provider.mjs`. It installs the package into a temporary
 * folder, so it needs the network; the tests have an authorization server of their own.
 *
 * Users: two entries have one URL and sign in as two users. Then eight processes call at the same
 * moment after the tokens have expired, three times: each sees its own user, and each account is
 * refreshed once a round. The provider rotates refresh tokens and withdraws the grant when one is
 * used twice.
 *
 * Machines: client credentials with a secret and with a signed assertion, and an assertion of the
 * identity provider about a user who signed in there (ID-JAG). The provider knows no ID-JAG, so two
 * grants are registered with it here; it authenticates the clients and checks the ID token. Wrong
 * secrets, keys and ID tokens are refused.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_SECONDS = 5;
const ROUNDS = 3;
const main = join(import.meta.dirname, '../dist/cli/main.js');

if (process.argv[2] === '--browser') await signIn(process.argv.at(-1), process.env.SIGN_IN_AS);
else await check();

async function check() {
	const folder = mkdtempSync(join(tmpdir(), 'orchestra-oidc-'));
	const server = createServer();
	try {
		await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
		const counts = await serve(server, `http://127.0.0.1:${server.address().port}`, folder);
		const env = { PATH: process.env.PATH, HOME: folder, ORCHESTRA_TRUST: 'all' };
		const users = { one: 'alice', two: 'bob' };
		const entry = { type: 'http', url: `${counts.issuer}/mcp` };
		mkdirSync(join(folder, 'work'));
		writeFileSync(
			join(folder, 'work/orchestra.json'),
			JSON.stringify({ mcpServers: { one: entry, two: entry } }),
		);
		const mctl = (words, more = {}) => run(words, { cwd: join(folder, 'work'), env: { ...env, ...more } });
		const browser = `${process.execPath} ${import.meta.filename} --browser`;
		for (const [name, user] of Object.entries(users))
			await mctl(['auth', name], { BROWSER: browser, SIGN_IN_AS: user });
		for (let round = 0; round < ROUNDS; round++) {
			await new Promise((resolve) => setTimeout(resolve, (TOKEN_SECONDS + 1) * 1000));
			const names = [1, 2, 3, 4].flatMap(() => Object.keys(users));
			const seen = await Promise.all(names.map((name) => mctl(['call', name, 'whoami'])));
			for (const [at, name] of names.entries())
				if (!seen[at].includes(`user ${users[name]}`)) throw new Error(`${name} saw ${seen[at]}`);
		}
		const expected = { refreshes: 2 * ROUNDS, errors: 0 };
		const { refreshes, errors } = counts;
		console.log({ refreshes, errors }, 'expected', expected);
		if (refreshes !== expected.refreshes || errors !== 0) process.exitCode = 1;
		await checkMachines(counts, { folder, env });
	} finally {
		server.close().closeAllConnections();
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Each entry gets a token without a browser; the same with wrong credentials is refused. */
async function checkMachines({ issuer, keys }, { folder, env }) {
	const cwd = join(folder, 'machines');
	mkdirSync(cwd);
	writeFileSync(join(cwd, 'right.pem'), keys.right, { mode: 0o600 });
	writeFileSync(join(cwd, 'wrong.pem'), keys.wrong, { mode: 0o600 });
	const idToken = await idTokenOf(issuer, 'carol');
	const entry = (oauth) => ({ type: 'http', url: `${issuer}/mcp`, oauth });
	const machine = (more) => entry({ grant: 'client_credentials', ...more });
	const enterprise = (more) =>
		entry({ grant: 'enterprise', clientId: 'agent', clientSecret: 'agent secret', ...more });
	const cases = {
		secret: [machine({ clientId: 'ci', clientSecret: '${CI_SECRET}' }), 'client ci'],
		key: [machine({ clientId: 'signer', privateKey: `\${file:${join(cwd, 'right.pem')}}` }), 'client signer'],
		user: [enterprise({}), 'user carol'],
		wrongsecret: [machine({ clientId: 'ci', clientSecret: 'wrong' })],
		wrongkey: [machine({ clientId: 'signer', privateKey: `\${file:${join(cwd, 'wrong.pem')}}` })],
		wrongtoken: [enterprise({})],
		wronguser: [enterprise({ clientSecret: 'wrong' })],
	};
	const mcpServers = Object.fromEntries(Object.entries(cases).map(([name, [server]]) => [name, server]));
	const identityProvider = { issuer, clientId: 'idp', clientSecret: 'idp secret', idToken: '${ID_TOKEN}' };
	writeFileSync(join(cwd, 'orchestra.json'), JSON.stringify({ identityProvider, mcpServers }));
	for (const [name, [, expected]] of Object.entries(cases)) {
		const token = name === 'wrongtoken' ? `${idToken.slice(0, -4)}AAAA` : idToken;
		const variables = { ...env, CI_SECRET: 's3cret:%&/+=', ID_TOKEN: token };
		const seen = await run(['call', name, 'whoami'], { cwd, env: variables }).catch(({ message }) => message);
		const isAsExpected = expected ? seen.includes(expected) : /invalid_client|invalid_grant/.test(seen);
		console.log(isAsExpected ? 'ok  ' : 'FAIL', name, seen.trim().split('\n')[0]);
		if (!isAsExpected) process.exitCode = 1;
	}
}

/** Sign in at the identity provider, with PKCE, as the program of an organisation does. */
async function idTokenOf(issuer, user) {
	const verifier = randomBytes(32).toString('base64url');
	const redirect_uri = `${issuer}/signed-in`;
	const query = new URLSearchParams({
		client_id: 'idp',
		response_type: 'code',
		scope: 'openid',
		redirect_uri,
		code_challenge: createHash('sha256').update(verifier).digest('base64url'),
		code_challenge_method: 'S256',
	});
	const code = new URL(await signIn(`${issuer}/auth?${query}`, user, redirect_uri)).searchParams.get('code');
	const body = new URLSearchParams({
		grant_type: 'authorization_code',
		code,
		redirect_uri,
		code_verifier: verifier,
	});
	const authorization = `Basic ${Buffer.from('idp:idp+secret').toString('base64')}`;
	const response = await fetch(`${issuer}/token`, { method: 'POST', headers: { authorization }, body });
	return (await response.json()).id_token;
}

function run(words, options) {
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, [main, ...words], {
			...options,
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		let text = '';
		for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
		child.on('close', (code) =>
			code === 0 ? resolve(text) : reject(new Error(`mctl ${words.join(' ')}: ${text}`)),
		);
	});
}

async function serve(server, issuer, folder) {
	writeFileSync(join(folder, 'package.json'), '{}');
	spawnSync('npm', ['install', '--no-fund', '--no-audit', 'oidc-provider@9'], {
		cwd: folder,
		stdio: 'inherit',
	});
	const path = createRequire(join(folder, 'package.json')).resolve('oidc-provider');
	const { default: Provider } = await import(pathToFileURL(path).href);
	const jose = await import(pathToFileURL(createRequire(path).resolve('jose')).href);
	const pair = () =>
		generateKeyPairSync('ec', {
			namedCurve: 'P-256',
			publicKeyEncoding: { type: 'spki', format: 'pem' },
			privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
		});
	const [right, wrong] = [pair(), pair()];
	const counts = {
		issuer,
		refreshes: 0,
		errors: 0,
		keys: { right: right.privateKey, wrong: wrong.privateKey },
	};
	const resource = `${issuer}/mcp`;
	const jwk = await jose.exportJWK(await jose.importSPKI(right.publicKey, 'ES256'));
	const machine = { redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };
	const provider = new Provider(issuer, {
		clients: [
			{ ...machine, client_id: 'ci', client_secret: 's3cret:%&/+=', scope: 'tools' },
			{
				...machine,
				client_id: 'signer',
				token_endpoint_auth_method: 'private_key_jwt',
				token_endpoint_auth_signing_alg: 'ES256',
				jwks: { keys: [{ ...jwk, alg: 'ES256', use: 'sig' }] },
				scope: 'tools',
			},
			{ ...machine, client_id: 'agent', client_secret: 'agent secret', grant_types: [JWT_BEARER] },
			{
				client_id: 'idp',
				client_secret: 'idp secret',
				redirect_uris: [`${issuer}/signed-in`],
				grant_types: ['authorization_code', TOKEN_EXCHANGE],
			},
		],
		scopes: ['offline_access', 'tools'],
		findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
		rotateRefreshToken: true,
		issueRefreshToken: () => true,
		features: {
			clientCredentials: { enabled: true },
			registration: { enabled: true },
			resourceIndicators: {
				enabled: true,
				defaultResource: () => resource,
				useGrantedResource: () => true,
				getResourceServerInfo: () => ({ scope: 'tools', accessTokenTTL: TOKEN_SECONDS }),
			},
		},
	});
	registerAssertions(provider, jose, resource);
	provider.on(
		'grant.success',
		({ oidc }) => (counts.refreshes += oidc.params.grant_type === 'refresh_token' ? 1 : 0),
	);
	provider.on('grant.error', () => counts.errors++);
	const authorize = provider.callback();
	server.on('request', (request, response) => {
		if (request.url.startsWith('/.well-known/oauth-protected-resource'))
			return response.end(
				JSON.stringify({ resource, authorization_servers: [issuer], scopes_supported: ['tools'] }),
			);
		return request.url === '/mcp' ? answer(request, response, provider) : authorize(request, response);
	});
	return counts;
}

/** The two grants of an ID-JAG: an ID token for an assertion, and that for an access token. */
function registerAssertions(provider, jose, resource) {
	const key = randomBytes(32);
	const refuse = (context, error_description) => {
		context.status = 400;
		context.body = { error: 'invalid_grant', error_description };
	};
	provider.registerGrantType(
		TOKEN_EXCHANGE,
		async (context) => {
			const { client, params } = context.oidc;
			const checked = await provider.IdToken.validate(params.subject_token, client).catch(() => undefined);
			if (!checked) return refuse(context, 'the ID token is not valid');
			if (params.audience !== provider.issuer || params.resource !== resource)
				return refuse(context, 'audience or resource are not known');
			const access_token = await new jose.SignJWT({ resource: params.resource, client_id: 'agent' })
				.setProtectedHeader({ alg: 'HS256', typ: 'oauth-id-jag+jwt' })
				.setIssuer(provider.issuer)
				.setAudience(params.audience)
				.setSubject(checked.payload.sub)
				.setExpirationTime('5m')
				.sign(key);
			const issued_token_type = params.requested_token_type;
			context.body = { issued_token_type, access_token, token_type: 'N_A', expires_in: 300 };
		},
		['audience', 'resource', 'requested_token_type', 'subject_token', 'subject_token_type', 'scope'],
	);
	provider.registerGrantType(
		JWT_BEARER,
		async (context) => {
			const { client, params } = context.oidc;
			const options = { issuer: provider.issuer, audience: provider.issuer, typ: 'oauth-id-jag+jwt' };
			const checked = await jose.jwtVerify(params.assertion, key, options).catch(() => undefined);
			if (checked?.payload.client_id !== client.clientId)
				return refuse(context, 'the assertion is not valid');
			const grant = new provider.Grant({ accountId: checked.payload.sub, clientId: client.clientId });
			const token = new provider.AccessToken({
				accountId: checked.payload.sub,
				client,
				grantId: await grant.save(),
				gty: 'jwt-bearer',
			});
			context.body = { access_token: await token.save(), token_type: 'Bearer', expires_in: 60 };
		},
		['assertion'],
	);
}

/** An MCP server with one tool, which says who calls. */
async function answer(request, response, { AccessToken, ClientCredentials, issuer }) {
	const sent = (request.headers.authorization ?? '').replace('Bearer ', '') || 'none';
	const token = (await AccessToken.find(sent)) ?? (await ClientCredentials.find(sent));
	const caller = token?.accountId === undefined ? `client ${token?.clientId}` : `user ${token.accountId}`;
	const metadata = `${issuer}/.well-known/oauth-protected-resource/mcp`;
	if (!token)
		return response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
	if (request.method !== 'POST') return response.writeHead(405).end();
	const { id, method } = JSON.parse((await request.toArray()).join(''));
	if (id === undefined) return response.writeHead(202).end();
	const results = {
		initialize: {
			protocolVersion: '2025-06-18',
			capabilities: { tools: {} },
			serverInfo: { name: 'who', version: '1' },
		},
		'tools/list': { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] },
		'tools/call': { content: [{ type: 'text', text: caller }] },
	};
	const error = { code: -32_601, message: `no ${method}` };
	const outcome = results[method] ? { result: results[method] } : { error };
	return response
		.setHeader('content-type', 'application/json')
		.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
}

/** The browser of a user who signs in and agrees: follows redirects with cookies, and sends the forms. */
async function signIn(page, user, end = 'elsewhere') {
	const { origin } = new URL(page);
	const cookies = new Map();
	const open = async (url, init = {}) => {
		const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
		const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
		for (const line of response.headers.getSetCookie()) {
			const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
			cookies.set(name, value);
		}
		return response;
	};
	for (let url = page; url.startsWith(origin); ) {
		const response = await open(url);
		const html = await response.text();
		const [, action] = /action="([^"]+)"/.exec(html) ?? [];
		const [, prompt] = /name="prompt" value="(\w+)"/.exec(html) ?? [];
		const body = new URLSearchParams({ prompt, login: user, password: 'x' });
		const next = action === undefined ? response : await open(new URL(action, url), { method: 'POST', body });
		url = new URL(next.headers.get('location'), url).href;
		if (url.startsWith(end)) return url;
		if (!url.startsWith(origin)) await fetch(url);
	}
}
