/* Entries with one URL: each has an account of its own, with a real authorization server and the built mctl. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runsAllTests } from '../../support/all-tests.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../../support/authorization-server.ts';
import { type MctlResult, mctl } from '../../support/mctl.ts';
import { serveSdk1 } from '../../support/sdk-http.ts';
import { hasTerminal, mctlInTerminal, type Typed } from '../../support/terminal.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

describe('two entries with one URL', () => {
	it('are two accounts: one that never signed in does not act as the other', async () => {
		const { one, server } = await place();
		const first = one({ work: server.url, home: server.url });
		expect(await first.run('auth', 'work')).toMatchObject({ code: 0 });
		expect(await first.run('call', 'work', 'count', 'text=a')).toMatchObject({ stdout: 'a\n', code: 0 });
		const other = await first.run('call', 'home', 'count', 'text=a');
		expect(other).toMatchObject({ stdout: '', code: 69 });
		expect(other.stderr).toContain('hint: Run: mctl auth home');
		expect(await first.run('auth', 'home', '--status')).toMatchObject({ code: 1 });
		expect(await first.run('auth', 'home')).toMatchObject({ code: 0 });
		expect(await first.run('auth', 'work', '--logout')).toMatchObject({ code: 0 });
		expect(await first.run('call', 'home', 'count', 'text=b')).toMatchObject({ stdout: 'b\n', code: 0 });
	});

	it.runIf(runsAllTests)('are two accounts in two projects, also under one name', async () => {
		const { one, server } = await place();
		const [first, second] = [one({ tracker: server.url }), one({ tracker: server.url })];
		await first.run('auth', 'tracker');
		expect(await second.run('call', 'tracker', 'count', 'text=a')).toMatchObject({ code: 69 });
	});

	it('make the URL alone ambiguous, and the message names them', async () => {
		const { one, server } = await place();
		const { run } = one({ work: server.url, home: server.url });
		for (const words of [
			['auth', server.url],
			['call', server.url, 'count', 'text=a'],
		]) {
			const { stderr, code } = await run(...words);
			expect([stderr.includes('several entries have this URL: work, home'), code]).toEqual([true, 64]);
		}
		expect(await run('auth', server.url, '--account', 'default')).toMatchObject({ code: 0 });
	});

	it('share an account on purpose, which mctl auth proposes and writes', async () => {
		const { one, server } = await place();
		const [first, second] = [one({ tracker: server.url }), one({ remote: server.url })];
		await first.run('auth', 'tracker');
		const [{ account: key }] = JSON.parse((await first.run('auth', '--list', '--json')).stdout).accounts;
		const shared = await second.run('auth', 'remote', '--account', key);
		expect(shared).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed in to remote.') });
		expect(server.count('/register')).toBe(1);
		expect(second.configuration().mcpServers['remote']?.oauth).toEqual({ account: key });
		expect(await second.run('call', 'remote', 'count', 'text=a')).toMatchObject({ stdout: 'a\n', code: 0 });
		const { stdout } = await second.run('trust', '--dry-run');
		expect(stdout).toContain(`signed in as the account "${key}"`);
		const third = await one({ other: server.url }).run('auth', 'other');
		expect(third.stderr).toMatch(
			new RegExp(`^note: to use ${key}, of tracker in .*: mctl auth other --account ${key}$`, 'm'),
		);
		expect(server.count('/register')).toBe(2);
	});

	it('with a named account need one sign-in', async () => {
		const { one, server } = await place();
		const named = { url: server.url, oauth: { account: 'work' } };
		const [first, second] = [one({ a: named }), one({ b: named })];
		await first.run('auth', 'a');
		expect(await second.run('call', 'b', 'count', 'text=a')).toMatchObject({ stdout: 'a\n', code: 0 });
	});

	it.runIf(hasTerminal)('are asked about on a terminal', async () => {
		const { one, server } = await place();
		const [first, second] = [one({ tracker: server.url }), one({ remote: server.url })];
		await first.run('auth', 'tracker');
		const shared = await second.type(['auth', 'remote'], [['Use which?', '1\n']]);
		expect([shared.code, server.count('/register')]).toEqual([0, 1]);
		expect(second.configuration().mcpServers['remote']?.oauth.account).toMatch(/^tracker-/);
		const third = one({ another: server.url });
		const anew = await third.type(['auth', 'another'], [['Use which?', 'n\n']]);
		expect([anew.code, server.count('/register')]).toEqual([0, 2]);
	});

	it('are listed with who is signed in', async () => {
		const { one, server } = await place();
		const { run, cwd } = one({ work: server.url, home: server.url });
		expect((await run('auth', '--list')).stdout).toContain('You are signed in to no server');
		await run('auth', 'work');
		const { stdout } = await run('auth', '--list', '--json');
		expect(JSON.parse(stdout)).toMatchObject({
			schema: 'orchestra.accounts/1',
			accounts: [
				{
					url: server.url,
					account: expect.stringMatching(/^work-/),
					state: 'signed_in',
					entries: [{ name: 'work', file: join(cwd, 'orchestra.json') }],
				},
			],
		});
		expect((await run('auth', '--list')).stdout).toMatch(/work-\w+ +- +signed in +work in \//);
		expect((await run('auth', '--list', 'x')).code).toBe(64);
	});

	it.runIf(runsAllTests)('are waited for again after mctl auth', async () => {
		const { one, server, state } = await place();
		const { run } = one({ work: server.url });
		await run('learn');
		const folder = join(state, 'orchestra/servers');
		const [failed = ''] = readdirSync(folder).filter((name) => name.endsWith('.failed'));
		expect(JSON.parse(readFileSync(join(folder, failed), 'utf8'))).toMatchObject({ needsSignIn: true });
		expect(await run('auth', 'work')).toMatchObject({ code: 0 });
		expect(readdirSync(folder)).not.toContain(failed);
	});

	it.runIf(runsAllTests)('have tokens that five processes at a time refresh once', async () => {
		const { one, server } = await place({ tokenDelayMs: 200 });
		const { run } = one({ work: server.url, home: server.url });
		await run('auth', 'work');
		await run('auth', 'home');
		server.expireAccessTokens();
		const names = ['work', 'home', 'work', 'home', 'work'];
		const results = await Promise.all(names.map((name) => run('call', name, 'count', 'text=a')));
		for (const result of results) expect(result).toMatchObject({ stdout: 'a\n', code: 0 });
		expect(server.count('/token', 'refresh_token')).toBe(2);
	});
});

describe('the sign-in that an earlier version stored for a URL', () => {
	it('belongs to the one entry with this URL, once, whichever process is first', async () => {
		const { one, server, state } = await place();
		const { run } = one({ tracker: server.url });
		await leaveEarlier(state, server);
		const results = await Promise.all([1, 2, 3].map(() => run('call', 'tracker', 'count', 'text=a')));
		for (const result of results) expect(result).toMatchObject({ stdout: 'a\n', code: 0 });
		expect(server.count('/register')).toBe(1);
		expect((await run('auth', '--list')).stdout).not.toContain('earlier version');
		expect(await run('auth', 'tracker', '--status')).toMatchObject({ code: 0 });
	});

	it('belongs to no entry when two entries have it, and every command says so', async () => {
		const { one, server, state } = await place();
		const { run, cwd } = one({ work: server.url, home: server.url });
		await leaveEarlier(state, server);
		const called = await run('call', 'work', 'count', 'text=a');
		expect(called).toMatchObject({ stdout: '', code: 69 });
		expect(called.stderr).toContain(
			`because others have the same URL: home in ${join(cwd, 'orchestra.json')}`,
		);
		expect((await run('auth', 'home', '--status')).stderr).toContain('belongs to no entry');
		expect((await run('doctor')).stdout).toContain('mctl auth work --adopt');
		expect((await run('list', 'servers', '--json')).stdout).toContain('"unassigned"');
		expect((await run('auth', '--list')).stdout).toMatch(/\(earlier version\) .*--adopt/);
		expect(await run('auth', 'work', '--adopt')).toMatchObject({ code: 0 });
		expect(await run('call', 'work', 'count', 'text=b')).toMatchObject({ stdout: 'b\n', code: 0 });
		expect(await run('call', 'home', 'count', 'text=b')).toMatchObject({ code: 69 });
		expect(await run('auth', 'home', '--adopt')).toMatchObject({ code: 1 });
		expect(server.count('/register')).toBe(1);
	});

	it('belongs to no entry when another trusted project has the URL', async () => {
		const { one, server, state } = await place({}, { isTrustedByName: true });
		const [first, second] = [one({ tracker: server.url }), one({ tracker: server.url })];
		await first.run('trust');
		await second.run('trust');
		await leaveEarlier(state, server);
		const { stderr, code } = await second.run('call', 'tracker', 'count', 'text=a');
		expect([code, stderr.includes(`tracker in ${join(first.cwd, 'orchestra.json')}`)]).toEqual([69, true]);
	});
});

interface Project {
	readonly cwd: string;
	run(...words: string[]): Promise<MctlResult>;
	type(words: string[], typed: readonly Typed[]): ReturnType<typeof mctlInTerminal>;
	configuration(): { mcpServers: Record<string, { oauth: { account: string } }> };
}

/** A user with a browser, a protected server, and any number of projects. */
async function place(quirks: object = {}, { isTrustedByName = false } = {}) {
	const server = await startAuthorizationServer({ upstream: (await serveSdk1()).url, ...quirks });
	const home = writeFiles(temporaryFolder(), {
		'browser.mjs': 'await (await fetch(process.argv[2])).text();',
	});
	const state = join(home, 'state');
	const env = {
		HOME: home,
		XDG_STATE_HOME: state,
		BROWSER: `${process.execPath} ${join(home, 'browser.mjs')}`,
		...(isTrustedByName && { ORCHESTRA_TRUST: '' }),
	};
	let count = 0;
	const one = (urls: Record<string, string | object>): Project => {
		const entries = Object.entries(urls).map(([name, of]) => [
			name,
			typeof of === 'string' ? { url: of } : of,
		]);
		const cwd = join(home, `project-${++count}`);
		writeFiles(cwd, { 'orchestra.json': JSON.stringify({ mcpServers: Object.fromEntries(entries) }) });
		return {
			cwd,
			run: (...words) => mctl(words, { cwd, env }),
			type: (words, typed) => mctlInTerminal(words, { cwd, env, typed }),
			configuration: () => JSON.parse(readFileSync(join(cwd, 'orchestra.json'), 'utf8')),
		};
	};
	return { server, state, one };
}

/** The file that the former version wrote: one for each URL, without the key of an account. */
async function leaveEarlier(state: string, server: AuthorizationServer): Promise<void> {
	const cwd = writeFiles(temporaryFolder(), {
		'orchestra.json': JSON.stringify({ mcpServers: { before: { url: server.url } } }),
		'browser.mjs': 'await (await fetch(process.argv[2])).text();',
	});
	const BROWSER = `${process.execPath} ${join(cwd, 'browser.mjs')}`;
	await mctl(['auth', 'before'], { cwd, env: { HOME: cwd, XDG_STATE_HOME: join(cwd, 's'), BROWSER } });
	const own = join(cwd, 's/orchestra/auth');
	const [folder = ''] = readdirSync(own);
	const {
		key: _key,
		entry: _entry,
		...record
	} = JSON.parse(readFileSync(join(own, folder, 'credentials.json'), 'utf8'));
	const hash = createHash('sha256').update(server.url).digest('hex').slice(0, 16);
	const earlier = join(state, 'orchestra/auth', `127.0.0.1-${hash}`);
	mkdirSync(earlier, { recursive: true, mode: 0o700 });
	for (const path of [join(state, 'orchestra/auth'), earlier]) chmodSync(path, 0o700);
	const text = `${JSON.stringify({ ...record, format: 1 }, null, '\t')}\n`;
	writeFileSync(join(earlier, 'credentials.json'), text, { mode: 0o600 });
}
