/* Secrets of every kind and failures in every phase; then nothing that was written or printed has one of them. */

import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Log } from '../../src/log.ts';
import { accountOf } from '../../src/oauth/account.ts';
import { CredentialStore } from '../../src/oauth/credential-store.ts';
import { runsAllTests } from '../support/all-tests.ts';
import type { BridgeClient } from '../support/bridges.ts';
import { Browser } from '../support/dashboard.ts';
import { type HubPlace, openHubPlace } from '../support/hub-place.ts';
import { type MctlResult, mctlProcess } from '../support/mctl.ts';
import { livingWith } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const server = resolve(import.meta.dirname, '../fixtures/servers/leaky-server.mjs');
const canaries = {
	literal: 'canary-literal-00c0ffee',
	file: 'canary-file-00c0ffee',
	cmd: 'canary-cmd-00c0ffee',
	variable: 'canary-variable-00c0ffee',
	header: 'canary-header-00c0ffee',
	headerFile: 'canary-header-file-00c0ffee',
	token: 'canary-token-00c0ffee',
	refresh: 'canary-refresh-00c0ffee',
};

let echo: Server;
let url = '';
beforeAll(async () => {
	echo = createServer((request, response) => {
		const status = Number(request.url?.slice(1));
		request.resume();
		response.writeHead(status, { 'content-type': 'text/plain', 'www-authenticate': 'Bearer realm="x"' });
		response.end(`you sent ${JSON.stringify(request.headers)}`);
	});
	await new Promise<void>((done) => echo.listen(0, '127.0.0.1', done));
	// A server on a port has such an address.
	url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
});
afterAll(() => {
	echo.close();
	echo.closeAllConnections();
});

test('no file, log line, error, status, JSON output, process list or response of the dashboard has a secret', {
	timeout: 240_000,
}, async () => {
	const env = {
		API_KEY: canaries.literal,
		FROM_FILE: '${file:secret.txt}',
		FROM_CMD: '${cmd:cat command.txt}',
		FROM_VARIABLE: '${CANARY_TOKEN}',
	};
	const leaky = (phase: string): object => ({
		command: process.execPath,
		args: [server],
		env: { ...env, LEAK_PHASE: phase },
		startMs: phase === 'hang-initialize' ? 2000 : 10_000,
		...(phase === 'hang-call' && { timeoutMs: 500 }),
	});
	const ends = runsAllTests ? ['list', 'exit', 'hang-initialize'] : [];
	const phases = ['none', 'spawn', 'initialize', 'call', 'hang-call', ...ends];
	const remote = (status: number, headers?: object): object => ({ url: `${url}/${status}`, headers });
	const headers = { Authorization: `Bearer ${canaries.header}`, 'X-Key': '${file:header.txt}' };
	const place = openHubPlace(
		{
			mcpServers: {
				...Object.fromEntries(phases.map((phase) => [phase, leaky(phase)])),
				none: { ...leaky('none'), record: true },
				masked: { ...leaky('none'), redact: true },
				asked: leaky('none'),
				refused: remote(401, headers),
				broken: remote(500, headers),
				token: remote(501),
				tokenRefused: remote(401),
			},
			policy: [{ tools: 'asked__whole', action: 'ask' }],
		},
		{
			'work/secret.txt': `${canaries.file}\n`,
			'work/command.txt': `${canaries.cmd}\n`,
			'work/header.txt': canaries.headerFile,
		},
	);
	place.env['CANARY_TOKEN'] = canaries.variable;
	place.env['LOG_LEVEL'] = 'debug';
	await storeToken(place, 'token', `${url}/501`);
	await storeToken(place, 'tokenRefused', `${url}/401`);
	await place.start();
	const dashboard = await runIn(place, 'dashboard', '--no-open', '--json');
	const browser = await Browser.login(JSON.parse(dashboard.stdout).url);

	const runs: (MctlResult & { words: string[] })[] = [];
	const run = async (...words: string[]): Promise<void> => {
		runs.push({ ...(await runIn(place, ...words)), words });
	};
	const servers = [...phases, 'masked', 'refused', 'broken', 'token', 'tokenRefused'];
	await inLanes(
		servers.filter((name) => name !== 'none'),
		async (name) => {
			// Each is a process of its own; in a short run a server is called once, every other one for JSON.
			const isJson = servers.indexOf(name) % 2 === 0;
			if (runsAllTests || !isJson) await run('call', `${name}__whole`);
			if (runsAllTests || isJson) await run('call', `${name}__whole`, '--json');
			if (runsAllTests || name === 'spawn') await run('hub', 'logs', name);
		},
	);
	const bridge = place.bridge();
	await bridge.ready();
	const [served, stdout] = await Promise.all([
		serveCalls(place),
		bridgeCalls(bridge.client),
		askAbout({ place, client: bridge.client, browser }, run),
		recordCall(place),
	]);
	const bridged = { words: ['bridge'], stdout, stderr: bridge.stderr(), code: 0, signal: null };
	runs.push({ ...served, words: ['serve'] }, bridged);
	bridge.kill('SIGTERM');
	const others = [
		['hub', 'ps', '--json'],
		...(runsAllTests ? [['hub', 'ps']] : []),
		['hub', 'status', '--json'],
		['list', 'servers', '--check', '--json'],
		['list', '--json'],
		['doctor', '--json'],
		['hub', 'logs'],
		['auth', 'tokenRefused', '--status', '--json'],
		['log', '--json'],
		['trust', 'diff', '--json'],
	];
	await inLanes(others, (words) => run(...words));
	// The client that called gets its result as it is.
	const whole = await runIn(place, 'call', 'none__whole');
	expect(whole.stdout).toContain(canaries.cmd);
	const commands = commandLinesOf(place.home);
	expect(commands.length).toBeGreaterThan(0);
	for (const line of commands) expect([line, ...found(line)]).toEqual([line]);
	const pages = [
		'state',
		'catalogue',
		'calls',
		'approvals',
		'settings',
		...servers.map((name) => `servers/${name}`),
	];
	const { rows } = await browser.get('/api/calls');
	expect(rows.length).toBeGreaterThan(phases.length);
	for (const path of [...pages, ...rows.map(({ number }: { number: number }) => `calls/${number}`)]) {
		const text = JSON.stringify(await browser.get(`/api/${path}`));
		expect([path, ...found(text)]).toEqual([path]);
	}
	await runIn(place, 'hub', 'stop');

	expect(runs.map(({ stdout }) => stdout).join('')).toContain('•••');
	for (const { words, stdout, stderr } of runs) expect([words, ...found(stdout + stderr)]).toEqual([words]);
	const files = filesBelow(place.home).filter((file) => !isOwnPlaceOfSecrets(file));
	const kinds = [
		/\.log$/,
		/journal\.ndjson$/,
		/serve\/.*\.ndjson$/,
		/orchestra\.lock$/,
		/recordings\/none\./,
		/own\/leaky/,
	];
	for (const kind of kinds) expect([kind, files.some((file) => kind.test(file))]).toEqual([kind, true]);
	for (const file of files) expect([file, ...found(readFileSync(file, 'utf8'))]).toEqual([file]);
});

test('no list, process list, trust report, page or recording has a secret of a command line or of the arguments of a call', {}, async () => {
	const secrets = {
		inline: 'canary-inline-00c0ffee',
		apart: 'canary-apart-00c0ffee',
		variable: 'canary-expanded-00c0ffee',
		plugin: 'canary-plugin-00c0ffee',
		argument: 'canary-argument-00c0ffee',
		short: 'c4n4ry',
	};
	const foundIn = (text: string): string[] =>
		Object.values(secrets).filter((secret) => text.includes(secret));
	const args = [
		`--token=${secrets.inline}`,
		'--api-key',
		secrets.apart,
		'${CANARY_VALUE}',
		`--pwd=${secrets.short}`,
	];
	const place = openHubPlace({
		mcpServers: { named: { command: process.execPath, args: [server, ...args], record: true } },
		plugins: [{ id: 'tools.named', binary: process.execPath, args: [server, '--secret', secrets.plugin] }],
	});
	place.env['CANARY_VALUE'] = secrets.variable;
	await place.start();
	const dashboard = await runIn(place, 'dashboard', '--no-open', '--json');
	const browser = await Browser.login(JSON.parse(dashboard.stdout).url);
	const bridge = place.bridge();
	await bridge.ready();
	const input = { password: secrets.argument, options: { apiKey: secrets.argument }, city: 'Oslo' };
	const call = { name: 'named__whole', arguments: input };
	expect(JSON.stringify(await bridge.client.call('one', 'tools/call', call))).toContain('API_KEY is');

	const commands = [
		['list', 'servers'],
		['list', 'servers', '--check', '--json'],
		['list', 'plugins', '--json'],
		['hub', 'ps'],
		['hub', 'status', '--json'],
		['hub', 'logs'],
		['trust', '--dry-run', '--json'],
		['trust', '--json'],
		['doctor', '--json'],
		['log', '--json'],
		...(runsAllTests ? otherForms : []),
	];
	await inLanes(commands, async (words) => {
		const { stdout, stderr } = await runIn(place, ...words);
		expect([words, ...foundIn(stdout + stderr)]).toEqual([words]);
	});
	// What would run is shown, and what is replaced is shown as such.
	const dry = await runIn(place, 'trust', '--dry-run');
	expect(foundIn(dry.stdout + dry.stderr)).toEqual([]);
	expect(dry.stdout).toContain(`leaky-server.mjs --token=••• --api-key ••• '\${CANARY_VALUE}' --pwd=•••`);
	const { rows } = await browser.get('/api/calls');
	const { number } = rows.find(({ name }: { name: string }) => name === 'named__whole');
	const shown = await browser.get(`/api/calls/${number}`);
	expect(JSON.parse(shown['arguments'])).toEqual({
		password: '•••',
		options: { apiKey: '•••' },
		city: 'Oslo',
	});
	for (const path of ['state', 'settings', 'servers/named', `calls/${number}`])
		expect([path, ...foundIn(JSON.stringify(await browser.get(`/api/${path}`)))]).toEqual([path]);
	bridge.kill('SIGTERM');
	await runIn(place, 'hub', 'stop');
	const files = filesBelow(place.home).filter((file) => !isOwnPlaceOfSecrets(file));
	expect(files.some((file) => /recordings\/named\./.test(file))).toBe(true);
	for (const file of files) expect([file, ...foundIn(readFileSync(file, 'utf8'))]).toEqual([file]);
});

/** Of commands that are tried in one form anyway. */
const otherForms = [
	['list', 'servers', '--json'],
	['list', 'servers', '--check'],
	['hub', 'ps', '--json'],
];

/** A call with a secret in its arguments waits for a person: what they see, and the file of the request. */
async function askAbout(
	{ place, client, browser }: { place: HubPlace; client: BridgeClient; browser: Browser },
	run: (...words: string[]) => Promise<void>,
): Promise<void> {
	const input = { note: `${canaries.file} ${canaries.cmd}` };
	const call = client.call('asked', 'tools/call', { name: 'asked__whole', arguments: input });
	const waiting = async (): Promise<{ id: string }[]> => (await browser.get('/api/approvals'))['approvals'];
	await until('the call waits', async () => (await waiting()).length > 0);
	const [{ id } = { id: '' }] = await waiting();
	const shown = await browser.get(`/api/approvals/${id}`);
	expect(shown['arguments']).toMatchObject([{ name: 'note', text: '"••• •••"', hasSecret: true }]);
	const files = filesBelow(join(place.home, 'state/orchestra/approvals'));
	expect(files).toHaveLength(1);
	for (const file of files) expect(found(readFileSync(file, 'utf8'))).toEqual([]);
	await run('approve', '--json');
	await run('approve', 'show', id);
	await run('approve', 'deny', id);
	expect(JSON.stringify(await call)).toContain('denied');
}

function serveCalls({ cwd, env }: HubPlace): Promise<MctlResult> {
	return mctlProcess(['serve'], {
		cwd,
		env,
		input: requests(['masked__whole', 'call__whole', 'exit__whole']),
	});
}

async function bridgeCalls(client: BridgeClient): Promise<string> {
	const names = ['masked__whole', 'call__whole', 'exit__whole'];
	const answers = names.map((name) => client.call(name, 'tools/call', { name, arguments: {} }));
	return JSON.stringify(await Promise.all(answers));
}

/** Only the recording counts: a proxy passes messages and stderr on as they are. */
async function recordCall({ cwd, env, home }: HubPlace): Promise<void> {
	const words = ['record', '--to', join(home, 'own'), '--', process.execPath, server];
	await mctlProcess(words, { cwd, env: { ...env, API_KEY: canaries.literal }, input: requests(['whole']) });
}

function requests(tools: readonly string[]): string {
	const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
	const calls = tools.map((name) => ['tools/call', { name, arguments: {} }]);
	return [['initialize', hello], ...calls]
		.map(([method, params], id) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
		.join('');
}

/** A few at a time: most of the time of a command is its start. */
async function inLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	const left = [...items];
	const lane = async (): Promise<void> => {
		for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
	};
	await Promise.all([lane(), lane(), lane(), lane()]);
}

function found(text: string): string[] {
	return Object.values(canaries).filter((secret) => text.includes(secret));
}

/** The files of the user, and the stored sign-in. */
function isOwnPlaceOfSecrets(file: string): boolean {
	return /\/work\/[^/]*\.(?:txt|json)$/.test(file) || file.endsWith('credentials.json');
}

function filesBelow(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
}

/** The command lines of all living processes with this home. Others may end while they are read. */
function commandLinesOf(home: string): string[] {
	return livingWith('HOME', home).flatMap((pid) => {
		try {
			return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
		} catch {
			return [];
		}
	});
}

function storeToken({ env, cwd }: HubPlace, name: string, of: string): Promise<void> {
	const store = CredentialStore.ofUser(env, Log.silent);
	const account = accountOf({ url: of, name, file: join(cwd, 'orchestra.json') });
	return store.locked(account, async () => {
		store.write(account, {
			url: of,
			key: undefined,
			entry: undefined,
			issuer: url,
			resource: of,
			tokenEndpoint: `${url}/500`,
			revocationEndpoint: undefined,
			client: {
				id: 'me',
				secret: undefined,
				authMethod: 'none',
				redirectUri: 'http://127.0.0.1/',
				kind: 'configured',
			},
			account: undefined,
			tokens: {
				accessToken: canaries.token,
				refreshToken: canaries.refresh,
				obtainedAt: Date.now(),
				expiresAt: Date.now() + 3_600_000,
				scopes: [],
				generation: '1',
			},
		});
	});
}

/** Each in a process of its own: one that has masked a secret once would mask it for the next command too. */
function runIn({ cwd, env }: HubPlace, ...words: string[]): Promise<MctlResult> {
	return mctlProcess(words, { cwd, env });
}
