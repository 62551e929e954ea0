/* The first lists of servers after a session that was too short, with the built program. */
import { type ChildProcessWithoutNullStreams, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { firstOf, runsAllTests, someOf } from '../support/all-tests.ts';
import { main, mctl, startMctl } from '../support/mctl.ts';
import { until } from '../support/waiting.ts';
import { homeVariables, temporaryFolder, writeFiles } from '../support/workspace.ts';

const fixture = resolve('test/fixtures/servers/gateway-server.mjs');

describe('the learner', () => {
	it.each(someOf(['end of input', 'SIGTERM', 'SIGKILL']))(
		'stores the lists of a slow server after a session that ended by %s',
		async (how) => {
			const place = placeOf({ slow: server({ START_MS: '1500' }) });
			const session = await listed(place);
			expect(session.names).toEqual([]);
			await end(session.child, how);
			await until('the lists are stored', () => place.known().length === 1);
			await until('no process is left', () => place.processes().length === 0);
			expect((await listed(place)).names).toContain('slow__echo');
		},
	);

	it('leaves nothing behind and stores nothing when it is killed at any step, and the next session works', async () => {
		for (const step of firstOf(['list', 'ready', 'start'])) {
			const place = placeOf({ slow: server({ START_MS: '400', LIST_MS: '400' }) });
			await end((await listed(place)).child, 'SIGKILL');
			const before = place.events(step).length;
			await until(`it has come to ${step}`, () => place.events(step).length > before);
			const [learner] = place.processes('learn');
			if (learner !== undefined) process.kill(learner, 'SIGKILL');
			await until('no process is left', () => place.processes().length === 0);
			const again = await listed(place, '20000');
			expect(again.names).toContain('slow__echo');
			await end(again.child, 'end of input');
			await until('no process is left', () => place.processes().length === 0);
		}
	});

	it.runIf(runsAllTests)('starts a server once when several sessions ended', async () => {
		const place = placeOf({ slow: server({ START_MS: '2500' }) });
		const sessions = await Promise.all([listed(place), listed(place), listed(place)]);
		await until('one has started it', () => place.events('start').length > 0);
		const starts = place.events('start').length;
		await Promise.all(sessions.map(({ child }) => end(child, 'SIGKILL')));
		await until('the lists are stored', () => place.known().length === 1);
		await until('no process is left', () => place.processes().length === 0);
		expect(starts).toBe(1);
		expect(place.events('start')).toHaveLength(2);
	});

	it.runIf(runsAllTests)(
		'gives a server up after startMs, so that the next session does not wait for it',
		async () => {
			const place = placeOf({ stuck: server({}, { startMs: 1500 }, 'hangs') });
			await end((await listed(place)).child, 'end of input');
			await until('the failure is stored', () => place.files('.failed').length === 1);
			await until('no process is left', () => place.processes().length === 0);
			expect(place.known()).toEqual([]);
		},
	);

	it('learns nothing with learn: false, with ORCHESTRA_LEARN=off, and of a project that is not trusted', async () => {
		const slow = { START_MS: '1500' };
		const places = [
			placeOf({ slow: server(slow, { learn: false }) }),
			placeOf({ slow: server(slow) }, { ORCHESTRA_LEARN: 'off' }),
			placeOf({ slow: server(slow) }, { ORCHESTRA_TRUST: '' }),
		];
		for (const place of places) await end((await listed(place)).child, 'end of input');
		for (const place of places) {
			await until('no process is left', () => place.processes().length === 0);
			expect(place.known()).toEqual([]);
		}
		expect(places[2]?.events('start')).toEqual([]);
	});

	it('follows a session of the official client that lists once, with a slow server in Python', async ({
		skip,
	}) => {
		const python = ['python3', '/usr/bin/python3'].find(
			(file) => spawnSync(file, ['--version']).status === 0,
		);
		if (python === undefined) return skip('there is no python3');
		const place = placeOf({ slow: { command: python, args: ['slow.py'], env: { STARTS: '${STARTS}' } } });
		writeFiles(place.cwd, { 'slow.py': slowPython });
		const names = await listedBySdk(place);
		expect(names).toEqual([]);
		await until('the lists are stored', () => place.known().length === 1);
		await until('no process is left', () => place.processes().length === 0);
		expect(await listedBySdk(place)).toEqual(['slow__wait']);
	});

	it.runIf(runsAllTests)('learns servers that npx downloads', { timeout: 180_000 }, async ({ skip }) => {
		const registry = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim();
		const isReached = await fetch(registry, { signal: AbortSignal.timeout(5000) }).then(
			({ ok }) => ok,
			() => false,
		);
		if (!isReached) return skip(`the npm registry ${registry} cannot be reached`);
		const npx = (name: string): object => ({
			command: 'npx',
			args: ['-y', `@modelcontextprotocol/server-${name}`],
			env: { STARTS: '${STARTS}', npm_config_registry: registry },
		});
		const place = placeOf({ everything: npx('everything'), memory: npx('memory') });
		await end((await listed(place)).child, 'SIGKILL');
		await until('the lists are stored', () => place.known().length === 2, 150_000);
		await until('no process is left', () => place.processes().length === 0);
		const { names } = await listed(place);
		expect(names).toEqual(expect.arrayContaining(['everything__echo', 'memory__read_graph']));
	});

	it.runIf(runsAllTests)('is not started for servers that are known', async () => {
		const place = placeOf({ quick: server({}) });
		const session = await listed(place, '20000');
		expect(session.names).toContain('quick__echo');
		await end(session.child, 'SIGKILL');
		await until('no process is left', () => place.processes().length === 0);
		expect(place.events('start')).toHaveLength(1);
	});
});

describe('commands that need a server that was never seen', () => {
	it('all answer when they run at a time, and start it one after the other', async () => {
		const place = placeOf({ slow: server({ START_MS: '500' }) });
		const calls = ['a', 'b', 'c'].map((text) => mctl(['call', 'slow', 'echo', `text=${text}`], place));
		for (const [at, result] of (await Promise.all(calls)).entries())
			expect(result).toMatchObject({ stdout: `${'abc'[at]}\n`, stderr: '', code: 0 });
	});

	it('wait for one that failed before after mctl enable and mctl trust, also without a learner', async () => {
		const place = placeOf({ stuck: server({}, {}, 'exits') }, { ORCHESTRA_LEARN: 'off' });
		const isStored = (): boolean => place.files('.failed').length === 1;
		await mctl(['learn'], place);
		expect(isStored()).toBe(true);
		await mctl(['disable', 'stuck'], place);
		expect(isStored()).toBe(true);
		expect((await mctl(['enable', 'stuck'], place)).code).toBe(0);
		expect(isStored()).toBe(false);
		await mctl(['learn'], place);
		expect((await mctl(['trust'], { ...place, env: { ...place.env, ORCHESTRA_TRUST: '' } })).code).toBe(0);
		expect(isStored()).toBe(false);
	});
});

describe('mctl learn', () => {
	it('lists the servers that were never seen, once', async () => {
		const place = placeOf({
			one: server({}),
			broken: server({}, {}, 'exits'),
			off: server({}, { disabled: true }),
		});
		const first = await mctl(['learn'], place);
		expect(first.stdout).toMatch(/^one {2}\d+ tools\nbroken {2}FAILED\n$/);
		expect(first.stderr).toContain('no TOKEN is set');
		expect(first.code).toBe(1);
		const second = await mctl(['learn', 'one', '--json'], place);
		expect(JSON.parse(second.stdout)).toMatchObject({
			schema: 'orchestra.learn/1',
			servers: [{ name: 'one' }],
		});
		expect(place.events('start')).toHaveLength(3);
		expect((await mctl(['learn', 'onne'], place)).stderr).toContain('did you mean: one');
	});

	it('is part of mctl add and mctl trust, and an agent starts warm after them', async () => {
		const place = placeOf({});
		const env = Object.entries({ STARTS: place.starts }).flatMap(([name, value]) => [
			'-e',
			`${name}=${value}`,
		]);
		const added = await mctl(['add', 'one', ...env, '--', process.execPath, fixture], place);
		expect(added.stderr).toMatch(/Listed: one \(\d+ tools\)/);
		const two = { ...(readConfiguration(place.cwd).mcpServers as object), two: server({}) };
		writeFiles(place.cwd, { 'orchestra.json': JSON.stringify({ mcpServers: two, limits: { listMs: 1 } }) });
		const trusted = await mctl(['trust'], { ...place, env: { ...place.env, ORCHESTRA_TRUST: '' } });
		expect(trusted.stderr).toMatch(/Listed: two \(\d+ tools\)/);
		expect(place.events('start')).toHaveLength(2);
		const { names } = await listed(place);
		expect(names).toEqual(expect.arrayContaining(['one__echo', 'two__echo']));
		expect(place.events('start')).toHaveLength(2);
	});

	it('does not fail a command whose server does not start', async () => {
		const place = placeOf({});
		const added = await mctl(['add', 'gone', '--', 'no-such-program-at-all'], place);
		expect(added.code).toBe(0);
		expect(added.stderr).toMatch(/note: gone could not be listed yet: .*no-such-program-at-all/);
	});

	it.runIf(runsAllTests)('is part of mctl init', async () => {
		const place = placeOf(undefined);
		writeFiles(place.cwd, { '.mcp.json': JSON.stringify({ mcpServers: { one: server({}) } }) });
		const made = await mctl(['init'], place);
		expect(made.code).toBe(0);
		expect(made.stderr).toMatch(/Listed: one \(\d+ tools\)/);
	});
});

/** It answers after two seconds. */
const slowPython = `import json, sys, time
time.sleep(2)
for line in sys.stdin:
	message = json.loads(line)
	if 'id' not in message:
		continue
	answer = {'jsonrpc': '2.0', 'id': message['id']}
	if message['method'] == 'initialize':
		version = message['params']['protocolVersion']
		answer['result'] = {'protocolVersion': version, 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'slow', 'version': '1'}}
	elif message['method'] == 'tools/list':
		answer['result'] = {'tools': [{'name': 'wait', 'inputSchema': {'type': 'object'}}]}
	else:
		answer['error'] = {'code': -32601, 'message': 'unknown method'}
	print(json.dumps(answer), flush=True)
`;

/** Start a session with the official client, list once, and close it. */
async function listedBySdk({ cwd, env }: Place): Promise<string[]> {
	const client = new Client({ name: 'test', version: '1' });
	const PATH = process.env['PATH'] ?? '';
	await client.connect(
		new StdioClientTransport({
			command: process.execPath,
			args: [main, 'serve'],
			cwd,
			env: { PATH, ...env },
		}),
	);
	const { tools } = await client.listTools();
	await client.close();
	return tools.map(({ name }) => name);
}

interface Place {
	readonly cwd: string;
	readonly env: Record<string, string>;
	readonly starts: string;
	files(ending: string): string[];
	known(): string[];
	events(event: string): number[];
	/** The pids of all processes of this place: sessions, learners, servers. @param word a part of the command line */
	processes(word?: string): number[];
}

function server(env: Record<string, string>, settings: object = {}, how = 'normal'): object {
	const vars = { STARTS: '${STARTS}', ...env };
	return { command: process.execPath, args: [fixture, how], env: vars, ...settings };
}

function placeOf(mcpServers: object | undefined, more: Record<string, string> = {}): Place {
	const cwd = temporaryFolder();
	const starts = join(cwd, 'starts');
	const env = { ...homeVariables(cwd), STARTS: starts, ORCHESTRA_LEARN: '', ...more };
	if (mcpServers)
		writeFiles(cwd, { 'orchestra.json': JSON.stringify({ mcpServers, limits: { listMs: 1 } }) });
	const files = (ending: string): string[] =>
		filesIn(join(cwd, 'state/orchestra/servers')).filter((name) => name.endsWith(ending));
	const place: Place = {
		cwd,
		env,
		starts,
		files,
		known: () => files('.json'),
		events: (event) => eventsIn(starts, event),
		processes: (word = '') => processesWith(`STARTS=${starts}`, word),
	};
	onTestFinished(() => {
		for (const pid of place.processes()) process.kill(pid, 'SIGKILL');
	});
	return place;
}

/** Start a session of `mctl serve`, and list its tools once. */
async function listed(
	place: Place,
	listMs?: string,
): Promise<{ child: ChildProcessWithoutNullStreams; names: string[] }> {
	if (listMs !== undefined) {
		const { mcpServers } = readConfiguration(place.cwd);
		const limits = { listMs: Number(listMs) };
		writeFiles(place.cwd, { 'orchestra.json': JSON.stringify({ mcpServers, limits }) });
	}
	const child = startMctl(['serve'], place);
	const clientInfo = { name: 'test', version: '1' };
	const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
	const send = (message: object): boolean =>
		child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
	send({ id: 1, method: 'initialize', params: hello });
	send({ id: 2, method: 'tools/list' });
	for await (const line of createInterface({ input: child.stdout })) {
		const { id, result } = JSON.parse(line) as { id?: number; result?: { tools: { name: string }[] } };
		if (id === 2) return { child, names: (result?.tools ?? []).map(({ name }) => name) };
	}
	throw new Error('the session ended before its list');
}

async function end(child: ChildProcessWithoutNullStreams, how: string): Promise<void> {
	const exited = once(child, 'exit');
	if (how === 'end of input') child.stdin.end();
	else child.kill(how as NodeJS.Signals);
	await exited;
}

function readConfiguration(folder: string): Record<string, unknown> {
	return JSON.parse(readFileSync(join(folder, 'orchestra.json'), 'utf8')) as Record<string, unknown>;
}

function eventsIn(file: string, event: string): number[] {
	try {
		const lines = readFileSync(file, 'utf8').split('\n');
		return lines.filter((line) => line.startsWith(`${event} `)).map((line) => Number(line.split(' ')[1]));
	} catch {
		return []; // no server was started
	}
}

function filesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

/** Processes with this variable, found through /proc. */
function processesWith(variable: string, word: string): number[] {
	return filesIn('/proc').flatMap((pid) => {
		if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
		try {
			const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
			const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
			return environment.includes(variable) && (word === '' || command.includes(word)) ? [Number(pid)] : [];
		} catch {
			return []; // it has just ended
		}
	});
}
