/*
 * Sign-ins and refreshes against a real authorization server: `oidc-provider` of npm, which
 * rotates refresh tokens and withdraws the grant when one is used twice. Run by hand after
 * `npm run build`: `node scripts/oidc-provider.mjs`. It installs the package into a temporary
 * folder, so it needs the network; the tests have an authorization server of their own.
 *
 * Two entries have one URL and sign in as two users. Then eight processes call at the same
 * moment after the tokens have expired, three times: each sees its own user, and each
 * account is refreshed once a round.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const TOKEN_SECONDS = 5;
const ROUNDS = 3;
const main = join(import.meta.dirname, '../dist/cli/main.js');

if (process.argv[2] === '--browser') await signIn(process.argv.at(-1));
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
		console.log(counts, 'expected', expected);
		if (counts.refreshes !== expected.refreshes || counts.errors !== 0) process.exitCode = 1;
	} finally {
		server.close().closeAllConnections();
		rmSync(folder, { recursive: true, force: true });
	}
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
	const counts = { issuer, refreshes: 0, errors: 0 };
	const resource = `${issuer}/mcp`;
	const provider = new Provider(issuer, {
		scopes: ['offline_access', 'tools'],
		findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
		rotateRefreshToken: true,
		issueRefreshToken: () => true,
		features: {
			registration: { enabled: true },
			resourceIndicators: {
				enabled: true,
				defaultResource: () => resource,
				useGrantedResource: () => true,
				getResourceServerInfo: () => ({ scope: 'tools', accessTokenTTL: TOKEN_SECONDS }),
			},
		},
	});
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

/** An MCP server with one tool, which says who calls. */
async function answer(request, response, { AccessToken, issuer }) {
	const token = await AccessToken.find(
		(request.headers.authorization ?? '').replace('Bearer ', '') || 'none',
	);
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
		'tools/call': { content: [{ type: 'text', text: `user ${token.accountId}` }] },
	};
	const error = { code: -32_601, message: `no ${method}` };
	const outcome = results[method] ? { result: results[method] } : { error };
	return response
		.setHeader('content-type', 'application/json')
		.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
}

/** The browser of a user who signs in and agrees: follows redirects with cookies, and sends the forms. */
async function signIn(page) {
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
		const body = new URLSearchParams({ prompt, login: process.env.SIGN_IN_AS, password: 'x' });
		const next = action === undefined ? response : await open(new URL(action, url), { method: 'POST', body });
		url = new URL(next.headers.get('location'), url).href;
		if (!url.startsWith(origin)) await fetch(url);
	}
}
