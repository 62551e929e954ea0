/* One hub per user and configuration, whatever happens to its files, independent of the process that started it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeHubLock } from '../../../src/hub/shared/hub-lock.ts';
import { runsAllTests } from '../../support/all-tests.ts';
import { openHubPlace } from '../../support/hub-place.ts';
import { mctl } from '../../support/mctl.ts';
import { isAlive } from '../../support/programs.ts';
import { until } from '../../support/waiting.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const main = resolve(import.meta.dirname, '../../../dist/cli/main.js');
const BRIDGES = runsAllTests ? 20 : 6;
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

describe('one hub', () => {
	it('stays the only one when its record and its lock file are deleted and a bridge starts', async () => {
		const place = openHubPlace();
		const pid = await place.start();
		process.kill(pid, 'SIGSTOP'); // so that it cannot write them again
		rmSync(join(place.folder.path, 'hub.json'));
		rmSync(join(place.folder.path, 'hub.lock'));
		rmSync(join(place.home, '.orchestra/hubs'), { recursive: true });
		const bridge = place.bridge();
		bridge.client.send(list);
		await until('the bridge has tried', () =>
			readFileSync(place.folder.logFile, 'utf8').includes('is already running here'),
		);
		process.kill(pid, 'SIGCONT');
		await bridge.client.answer(2);
		await until('no other hub starts', () => place.hubs().length === 1);
		expect(place.hubs()).toEqual([pid]);
	});

	it('is found and stopped by its lock when no file names it', async () => {
		const place = openHubPlace();
		const pid = await place.start();
		process.kill(pid, 'SIGSTOP');
		rmSync(place.folder.path, { recursive: true });
		rmSync(join(place.home, '.orchestra/hubs'), { recursive: true });
		expect((await place.run('hub', 'stop', '--force')).stdout).toBe('The hub is stopped.\n');
		expect([isAlive(pid), place.hubs()]).toEqual([false, []]);
	});

	it('is a single process for many bridges that start at once', async () => {
		const place = openHubPlace();
		const bridges = Array.from({ length: BRIDGES }, () => place.bridge());
		for (const { client } of bridges) client.send(list);
		for (const { client } of bridges) expect(JSON.parse(await client.answer(2))).toHaveProperty('result');
		await until('the others are gone', () => place.hubs().length === 1);
		expect(JSON.parse((await place.run('hub', 'status', '--json')).stdout).pid).toBe(place.hubs()[0]);
	});

	it.runIf(runsAllTests)('is started although another process is suspended while starting it', async () => {
		const place = openHubPlace();
		const lock = await place.folder.startLock();
		expect(await place.start()).toBeGreaterThan(0);
		lock?.release();
	});

	it.runIf(runsAllTests)('is the same for a terminal with XDG_STATE_HOME and an agent without', async () => {
		const place = openHubPlace();
		const pid = await place.start();
		const bridge = place.bridge({ XDG_STATE_HOME: '' });
		await bridge.ready();
		expect(place.hubs()).toEqual([pid]);
	});

	it.runIf(runsAllTests)(
		'keeps running when the process tree of the bridge that started it is killed',
		async () => {
			const place = openHubPlace();
			// A background job reads /dev/null unless it is redirected, and the bridge would end by itself.
			const agent = spawn(
				'/bin/sh',
				['-c', `exec 3<&0; "$@" <&3 & wait`, 'sh', process.execPath, main, 'bridge'],
				{
					cwd: place.cwd,
					env: { ...process.env, ...place.env, ORCHESTRA_SPAWN: 'mark.of.the.starter.' },
					stdio: 'pipe',
				},
			);
			await until('a hub runs', () => place.folder.running() !== undefined);
			const pid = await place.runningPid();
			const tree = treeOf(agent.pid ?? 0);
			expect(tree).not.toContain(pid);
			expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('ORCHESTRA_SPAWN');
			const ended = once(agent, 'exit');
			for (const member of tree.reverse()) killIfThere(member);
			await ended;
			expect(JSON.parse((await place.run('hub', 'status', '--json')).stdout).pid).toBe(pid);
		},
	);

	it.runIf(runsAllTests)(
		'serves every folder that has neither a configuration nor anything to serve',
		async () => {
			const place = openHubPlace();
			const pids = [];
			for (const name of ['a', 'b']) {
				const cwd = join(place.home, name);
				mkdirSync(join(cwd, '.git'), { recursive: true });
				const started = await mctl(['hub', 'start', '--json'], { cwd, env: place.env });
				pids.push(JSON.parse(started.stdout).pid);
			}
			expect(new Set(pids).size).toBe(1);
		},
	);
});

describe('the list of hubs', () => {
	it('shows every hub with its clients and memory, drops those that are gone, and stop --all ends them', async () => {
		const place = openHubPlace();
		const pid = await place.start();
		const bridge = place.bridge();
		await bridge.ready();
		const registry = join(place.home, '.orchestra/hubs');
		const dead = { pid: 1, startTime: 'long ago', root: '/', statePath: '/', startedAt: '' };
		writeFileSync(join(registry, 'abcdef012345.json'), JSON.stringify(dead), { mode: 0o600 });
		const { hubs } = JSON.parse((await place.run('hub', 'ls', '--json')).stdout);
		expect(hubs).toMatchObject([
			{ pid, root: place.cwd, statePath: place.folder.path, clients: 1, memoryBytes: expect.any(Number) },
		]);
		expect(readdirSync(registry)).toHaveLength(1);
		bridge.kill('SIGKILL'); // it would start another
		expect((await place.run('hub', 'stop', '--all')).stdout).toBe(`The hub of ${place.cwd} is stopped.\n`);
		expect(isAlive(pid)).toBe(false);
		expect((await place.run('hub', 'ls')).stderr).toBe('No hub is running.\n');
	});
});

describe('an idle hub', () => {
	it('exits after the last client disconnected', async () => {
		const place = openHubPlace({ hub: { idleMs: 1500 } });
		const bridge = place.bridge();
		await bridge.ready();
		const pid = await place.runningPid();
		await until('more than the idle time has passed', () => ageMs(place.folder.running()?.startedAt) > 3000);
		expect(isAlive(pid)).toBe(true);
		bridge.kill('SIGTERM');
		await until('it ended', () => !isAlive(pid));
		expect(readFileSync(place.folder.logFile, 'utf8')).toContain('no client for');
	});
});

describe('the lock as a socket file', () => {
	it('is held by one process, and is taken over from one that was killed', async () => {
		const home = temporaryFolder();
		const first = await takeHubLock('one', home, 'darwin');
		expect([first !== undefined, await takeHubLock('one', home, 'darwin')]).toEqual([true, undefined]);
		first?.release();
		const path = join(home, '.orchestra/run/two.lock');
		const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('held'))`;
		const holder = spawn(process.execPath, ['-e', script]);
		await once(holder.stdout, 'data');
		expect(await takeHubLock('two', home, 'darwin')).toBeUndefined();
		const ended = once(holder, 'exit');
		holder.kill('SIGKILL');
		await ended;
		const lock = await takeHubLock('two', home, 'darwin');
		expect(lock).toBeDefined();
		lock?.release();
	});
});

/** A process and all its descendants, parents first. */
function treeOf(pid: number): number[] {
	const parents = readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.flatMap((name): [number, number][] => {
			try {
				const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
				return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
			} catch {
				return []; // it ended while we looked
			}
		});
	const below = (parent: number): number[] =>
		parents.filter(([, of]) => of === parent).flatMap(([child]) => [child, ...below(child)]);
	return [pid, ...below(pid)];
}

function killIfThere(pid: number): void {
	try {
		process.kill(pid, 'SIGKILL');
	} catch {
		// a helper of the bridge ended since we looked
	}
}

function ageMs(startedAt: string | undefined): number {
	return startedAt === undefined ? 0 : Date.now() - Date.parse(startedAt);
}
