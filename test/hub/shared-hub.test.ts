/* The shared hub as a background process: started by bridges, killed in the middle, never leaving anything behind. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { rpcErrorOf } from '../../src/rpc/rpc-error.ts';
import { Client } from '../../src/transport/client.ts';
import { runsAllTests } from '../support/all-tests.ts';
import { mctl } from '../support/mctl.ts';
import { isAlive, livingWith } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const root = resolve(import.meta.dirname, '../..');
const main = join(root, 'dist/cli/main.js');
const plugin = join(root, 'examples/plugins/projects/plugin.mjs');
/** A bridge is a process. */
const AGENTS = runsAllTests ? 10 : 3;
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
	for (const close of closers.splice(0).reverse()) await close();
});

describe('mctl hub', () => {
	it('starts once, reports its status, and stops without leaving a process or file', async () => {
		const place = await openPlace();
		const first = JSON.parse((await place.mctl('hub', 'start', '--json')).stdout);
		const second = JSON.parse((await place.mctl('hub', 'start', '--json')).stdout);
		expect([first.wasRunning, second.wasRunning, second.pid]).toEqual([false, true, first.pid]);
		const status = JSON.parse((await place.mctl('hub', 'status', '--json')).stdout);
		expect(status).toMatchObject({
			schema: 'orchestra.hub/1',
			pid: first.pid,
			backends: expect.arrayContaining([expect.objectContaining({ id: 'tools' })]),
		});
		expect((await place.mctl('hub', 'stop')).stdout).toBe('The hub is stopped.\n');
		expect(isAlive(first.pid)).toBe(false);
		const after = await place.mctl('hub', 'status');
		expect([after.code, after.stderr]).toEqual([
			69,
			'mctl: no hub is running for this folder\nhint: Start it with: mctl hub start\n',
		]);
		expect((await place.mctl('hub', 'stop')).stdout).toBe('No hub was running for this folder.\n');
	});

	it('is a single process when many start it at once', async () => {
		const place = await openPlace();
		const starts = await Promise.all([1, 2, 3, 4].map(() => place.mctl('hub', 'start', '--json')));
		expect(new Set(starts.map(({ stdout }) => JSON.parse(stdout).pid)).size).toBe(1);
	});

	it('recovers from the lock of a hub that was killed', async () => {
		const place = await openPlace();
		const { pid } = JSON.parse((await place.mctl('hub', 'start', '--json')).stdout);
		process.kill(pid, 'SIGKILL');
		await until('it is gone', () => !isAlive(pid));
		const next = JSON.parse((await place.mctl('hub', 'start', '--json')).stdout);
		expect(next).toMatchObject({ wasRunning: false });
		expect(next.pid).not.toBe(pid);
	});

	it('runs a plugin, lists its process, writes a journal, and shows its log', async () => {
		const place = await openPlace({
			plugins: [{ id: 'tools.projects', binary: process.execPath, args: [plugin] }],
		});
		const client = await place.bridge();
		const call = { name: 'create_project', arguments: { name: 'My App' } };
		expect(await client.request('tools/call', call)).toEqual({
			content: [{ type: 'text', text: 'Created project: My App (slug: my-app)' }],
		});
		expect(readFileSync(join(place.folder, '.projects/my-app/project.md'), 'utf8')).toContain('# My App');
		const { processes } = JSON.parse((await place.mctl('hub', 'ps', '--json')).stdout);
		expect(processes).toMatchObject([
			{ backend: 'tools.projects', state: 'idle', memoryBytes: expect.any(Number) },
			{ backend: 'hub', command: 'guard', state: 'ready', memoryBytes: expect.any(Number) },
		]);
		const journal = await place.mctl('hub', 'logs', '--journal');
		expect(JSON.parse(journal.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
			name: 'create_project',
			outcome: 'ok',
		});
		expect((await place.mctl('hub', 'logs')).stdout).toContain('listens on');
		await client.close(); // a bridge that is open would start the next hub
		await place.mctl('hub', 'stop');
		expect(isAlive(processes[0].pid)).toBe(false);
	});

	it('restarts a plugin after a crash, and the call in flight fails with an unknown outcome', async () => {
		const place = await openPlace({
			plugins: [{ id: 'tools.moody', binary: process.execPath, args: [moodyPlugin(root)] }],
		});
		const client = await place.bridge();
		const answer = await client.request('tools/call', { name: 'die' }).catch((error: unknown) => error);
		expect(rpcErrorOf(answer)?.message).toMatch(/outcome is unknown.*ended by SIGKILL.*REASON 42/);
		await until('it is back', async () =>
			JSON.stringify(await client.request('tools/call', { name: 'fine' }).catch(() => '')).includes('fine'),
		);
	});

	it.runIf(runsAllTests)('passes exact digits to a plugin, and journals the calls of a plugin', async () => {
		const place = await openPlace({
			plugins: [{ id: 'tools.moody', binary: process.execPath, args: [moodyPlugin(root)] }],
		});
		const client = await place.bridge();
		const digits = '{"n":9007199254740993}';
		const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"exact","arguments":${digits}}}`;
		const { stdout } = await place.pipe(line);
		expect(JSON.parse(stdout)).toMatchObject({ result: { content: [{ text: digits }] } });
		expect(await client.request('tools/call', { name: 'other' })).toMatchObject({
			content: [{ text: 'fine' }],
		});
		const journal = await place.mctl('hub', 'logs', '--journal');
		const entries = journal.stdout
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line));
		expect(entries).toMatchObject([
			{ name: 'exact', outcome: 'ok' },
			{ name: 'fine', client: 'tools.moody', outcome: 'ok' },
			{ name: 'other', outcome: 'ok' },
		]);
	});

	it.runIf(runsAllTests)('shows a plugin that is still starting, and stops it at once', async () => {
		const file = join(temporaryFolder(), 'hangs.mjs');
		writeFileSync(file, 'setInterval(() => {}, 1000);');
		const place = await openPlace({
			plugins: [
				{ id: 'tools.hangs', binary: process.execPath, args: [file] },
				{ id: 'tools.moody', binary: process.execPath, args: [moodyPlugin(root)] },
			],
		});
		const client = await place.bridge();
		expect(await client.request('tools/call', { name: 'fine' })).toMatchObject({
			content: [{ text: 'fine' }],
		});
		const { processes } = JSON.parse((await place.mctl('hub', 'ps', '--json')).stdout);
		expect(processes).toMatchObject([
			{ backend: 'tools.hangs', state: 'starting' },
			{ backend: 'tools.moody', state: 'idle' },
			{ backend: 'hub', command: 'guard' },
		]);
		await client.close(); // a bridge that is open would start the next hub
		await place.mctl('hub', 'stop');
		const alive = processes.slice(0, 2).map(({ pid }: { pid: number }) => isAlive(pid));
		expect(alive).toEqual([false, false]);
	});

	it('recovers from SIGKILL: pending calls fail at once, bridges reconnect, no process is left, no call runs twice', async () => {
		const place = await openPlace({
			plugins: [
				{
					id: 'tools.moody',
					binary: process.execPath,
					args: [moodyPlugin(root)],
					env: { COUNT_FILE: '${COUNT_FILE}' },
				},
			],
		});
		const bridges = await Promise.all([1, 2, 3].map(() => place.bridge()));
		await Promise.all(bridges.map((bridge) => bridge.request('tools/call', { name: 'fine' })));
		const { pid, processes } = JSON.parse((await place.mctl('hub', 'status', '--json')).stdout);
		const calls = bridges.flatMap((bridge) =>
			[1, 2, 3].map(() => bridge.request('tools/call', { name: 'slow' }).catch((error: unknown) => error)),
		);
		await until('they run', () => countOf(place.countFile) === calls.length);
		process.kill(pid, 'SIGKILL');
		for (const answer of await Promise.all(calls)) expect(rpcErrorOf(answer)).toMatchObject({ code: -32603 });
		await until('nothing of the old hub is left', () =>
			processes.every((owned: { pid: number }) => !isAlive(owned.pid)),
		);
		for (const bridge of bridges) {
			await until('it serves again', async () =>
				JSON.stringify(await bridge.request('tools/call', { name: 'fine' }).catch(() => '')).includes('fine'),
			);
		}
		expect(countOf(place.countFile)).toBe(calls.length);
	});

	it('serves several agents at once with 100 calls in flight each, and mixes up no responses', async () => {
		const place = await openPlace({
			plugins: [{ id: 'tools.moody', binary: process.execPath, args: [moodyPlugin(root)] }],
		});
		await place.mctl('hub', 'start');
		const bridges = await Promise.all(Array.from({ length: AGENTS }, () => place.bridge()));
		const answers = await Promise.all(
			bridges.flatMap((bridge, agent) =>
				Array.from({ length: 100 }, async (_, n) => {
					const result = await bridge.request('tools/call', {
						name: 'echo',
						arguments: { text: `${agent}/${n}` },
					});
					return JSON.stringify(result).includes(`${agent}/${n}"`);
				}),
			),
		);
		expect(answers.filter(Boolean)).toHaveLength(AGENTS * 100);
	});
});

/** A plugin that exits or delays on request, and counts its calls. */
function moodyPlugin(packageRoot: string): string {
	const file = join(temporaryFolder(), 'plugin.mjs');
	writeFileSync(
		file,
		`import { appendFileSync } from 'node:fs';
import { definePlugin } from ${JSON.stringify(join(packageRoot, 'dist/plugin/index.js'))};
const tool = (run) => ({ description: 'x', run });
console.error('REASON 42');
await definePlugin({
	id: 'tools.moody',
	version: '1.0.0',
	tools: {
		die: tool(() => process.kill(process.pid, 'SIGKILL')),
		fine: tool(() => 'fine'),
		exact: tool((_input, call) => call.inputText),
		other: tool(async (_input, call) => (await call.orchestrator.callTool('fine', {})).value.text),
		echo: tool(({ text }) => text),
		slow: tool(() => {
			appendFileSync(process.env.COUNT_FILE, 'x');
			return new Promise(() => {});
		}),
	},
}).run();
`,
	);
	return file;
}

function countOf(file: string): number {
	try {
		return readFileSync(file, 'utf8').length;
	} catch {
		return 0; // nothing was counted yet
	}
}

interface Place {
	folder: string;
	countFile: string;
	mctl: (...args: string[]) => ReturnType<typeof mctl>;
	/** Give a bridge this input, and wait for its end. */
	pipe: (input: string) => ReturnType<typeof mctl>;
	bridge: () => Promise<Client>;
}

/** A folder with a configuration, a home of its own and so a hub of its own, stopped in the end. */
async function openPlace(configuration: object = {}): Promise<Place> {
	const home = temporaryFolder();
	const folder = join(home, 'work');
	mkdirSync(folder);
	writeFileSync(join(folder, 'orchestra.json'), JSON.stringify(configuration));
	const countFile = join(home, 'count');
	const env = {
		HOME: home,
		XDG_STATE_HOME: join(home, 'state'),
		COUNT_FILE: countFile,
		ORCHESTRA_TRUST: 'all',
	};
	const run = (...args: string[]): ReturnType<typeof mctl> => mctl(args, { cwd: folder, env });
	closers.push(async () => {
		await run('hub', 'stop');
		await until('nothing with this home is left', () => livingWith('HOME', home).length === 0);
	});
	return {
		folder,
		countFile,
		mctl: run,
		pipe: (input) => mctl(['bridge'], { cwd: folder, env, input }),
		bridge: async () => {
			const client = await Client.open({
				command: process.execPath,
				args: [main, 'bridge'],
				cwd: folder,
				env,
			});
			closers.push(() => client.close());
			return client;
		},
	};
}
