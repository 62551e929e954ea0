import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { messageOf } from '../../src/errors.ts';
import { Child } from '../../src/process/child.ts';
import { Guard } from '../../src/process/guard/guard.ts';
import { HelperSpawner } from '../../src/process/spawn/helper-spawner.ts';
import type { SpawnRecord } from '../../src/process/spawn-record.ts';
import { runsAllTests } from '../support/all-tests.ts';
import { isAlive, node, shell, thrownBy } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const KILL_ROUNDS = runsAllTests ? 40 : 8;
/** Each is a process of Node. */
const ROUNDS_AT_ONCE = 8;
const KILL_WITHIN_MS = 8;

const opened: { close(): void }[] = [];
afterEach(() => {
	for (const each of opened.splice(0).toReversed()) each.close();
});

describe.skipIf(process.platform === 'win32')('HelperSpawner', () => {
	it('starts a process with its own pipes, group and exit status', async () => {
		const { child, helper } = await start(shell('cat; echo words >&2; exit 3'));
		child.stdin.end('hello');
		expect(await text(child.stdout)).toBe('hello');
		expect(await child.gone).toEqual({ code: 3, signal: null });
		expect(await child.lastStderrLines()).toEqual(['words']);
		expect(child.pid).not.toBe(helper.pid);
	});

	it('reports a signal, and transfers a megabyte in each direction', async () => {
		const { child } = await start(shell('cat; kill -KILL $$'));
		const big = 'x'.repeat(1_000_000);
		child.stdin.end(big);
		expect((await text(child.stdout)).length).toBe(big.length);
		expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
	});

	it.skipIf(process.platform !== 'linux')('passes no descriptors but the three pipes', async () => {
		const countOpen = node(`console.log(require('node:fs').readdirSync('/proc/self/fd').length)`);
		const [throughHelper, directly] = await Promise.all([
			start(countOpen).then(({ child }) => text(child.stdout)),
			Child.start(countOpen).then((child) => text(child.stdout)),
		]);
		expect(throughHelper).toMatch(/^\d+\n$/);
		expect(throughHelper).toBe(directly);
	});

	it('starts many at once, each with its own output', async () => {
		const { helper, guard } = open();
		const words = Array.from({ length: 20 }, (_, index) => `word-${index}`);
		const outputs = words.map(async (word) => {
			const child = await Child.start({ command: 'echo', args: [word] }, { spawner: helper, guard });
			return (await text(child.stdout)).trim();
		});
		expect(await Promise.all(outputs)).toEqual(words);
	});

	it('fails as a direct start does when the program or the folder is missing', async () => {
		const { helper, guard } = open();
		const missing = await thrownBy(() =>
			Child.start({ command: 'no-such-thing' }, { spawner: helper, guard }),
		);
		expect(missing).toMatchObject({ code: 'spawn' });
		const env = { BIG: 'x'.repeat(3_000_000) };
		const tooBig = await thrownBy(() => Child.start({ command: 'cat', env }, { spawner: helper, guard }));
		expect(tooBig).toMatchObject({ code: 'spawn', message: expect.stringContaining('E2BIG') });
	});

	it('stops a process that ignores SIGTERM, and its children, by the stop ladder', async () => {
		const { child } = await start(shell(`trap '' TERM; (trap '' TERM; sleep 60) & echo $!; sleep 60`));
		const [line] = (await once(child.stdout, 'data')) as [Buffer];
		await child.stop(0);
		expect([isAlive(child.pid), isAlive(Number(line.toString()))]).toEqual([false, false]);
	});

	it('falls back to a direct start when the helper was killed, and starts a new helper', async () => {
		const { child, helper, guard } = await start(shell('sleep 60'));
		const first = helper.pid ?? 0;
		process.kill(first, 'SIGKILL');
		expect(await child.gone).toEqual({ code: null, signal: 'SIGKILL' });
		expect(isAlive(child.pid)).toBe(false);
		const direct = await Child.start(shell('echo $PPID'), { spawner: helper, guard });
		expect(Number(await text(direct.stdout))).toBe(process.pid);
		const later = await Child.start(shell('echo $PPID'), { spawner: helper, guard });
		expect(Number(await text(later.stdout))).toBe(helper.pid);
		expect(helper.pid).not.toBe(first);
	});

	it('starts directly when the helper died before it announced the start', async () => {
		const { helper, guard } = open();
		process.kill(helper.pid ?? 0, 'SIGSTOP');
		const starting = Child.start(shell('echo $PPID'), { spawner: helper, guard });
		process.kill(helper.pid ?? 0, 'SIGKILL');
		const child = await starting;
		expect(Number(await text(child.stdout))).toBe(process.pid);
	});

	it.skipIf(process.platform !== 'linux')(
		'never starts a program twice when the helper is killed while it forks',
		async () => {
			const folder = temporaryFolder();
			const outcomes: Awaited<ReturnType<typeof startAndKillHelper>>[] = [];
			while (outcomes.length < KILL_ROUNDS) {
				const first = outcomes.length;
				const rounds = Array.from({ length: ROUNDS_AT_ONCE }, (_, index) =>
					startAndKillHelper(join(folder, `${first + index}`), first + index),
				);
				outcomes.push(...(await Promise.all(rounds)));
			}
			const runs = outcomes.map(({ file }) => (existsSync(file) ? readFileSync(file, 'utf8').length : 0));
			expect(Math.max(...runs)).toBeLessThanOrEqual('x'.length);
			const reasons = outcomes.flatMap(({ error }) => (error ? [messageOf(error)] : []));
			expect(reasons.filter((reason) => !reason.includes('outcome unknown'))).toEqual([]);
		},
	);

	it('exits when its parent is killed, and so do the processes that it started', async () => {
		const parent = spawn(process.execPath, [
			'-e',
			`Promise.all([import(${dist('internals')}), import(${dist('transport/index')})]).then(async ([{ HelperSpawner }, { ChildTransport }]) => {
				const spawner = new HelperSpawner();
				const child = await ChildTransport.open({ command: 'sleep', args: ['60'] }, { spawner });
				console.log(spawner.pid + ' ' + child.pid);
			})`,
		]);
		const [line] = (await once(parent.stdout, 'data')) as [Buffer];
		const pids = line.toString().split(' ').map(Number);
		expect(pids.map(isAlive)).toEqual([true, true]);
		parent.kill('SIGKILL');
		await until('both are gone', () => !pids.some(isAlive));
	});

	it('exits when its parent is killed while pipes are being sent', async () => {
		const rounds = Array.from({ length: runsAllTests ? 6 : 2 }, async () => {
			const parent = spawn(process.execPath, [
				'-e',
				`Promise.all([import(${dist('internals')}), import(${dist('transport/index')})]).then(([{ HelperSpawner }, { ChildTransport }]) => {
					const spawner = new HelperSpawner();
					const open = () => ChildTransport.open({ command: 'sleep', args: ['60'] }, { spawner });
					void open().then(() => console.log(spawner.pid));
					for (let i = 0; i < 9; i++) void open();
				})`,
			]);
			const [line] = (await once(parent.stdout, 'data')) as [Buffer];
			parent.kill('SIGKILL');
			await until('the helper is gone', () => !isAlive(Number(line.toString())));
		});
		await Promise.all(rounds);
	});

	it('keeps its parent alive only while a process runs', async () => {
		const parent = spawn(process.execPath, [
			'-e',
			`Promise.all([import(${dist('internals')}), import(${dist('transport/index')})]).then(async ([{ HelperSpawner }, { ChildTransport }]) => {
				const record = { command: 'sh', args: ['-c', 'sleep 0.2; exit 7'] };
				const child = await ChildTransport.open(record, { spawner: new HelperSpawner() });
				child.start({ message() {}, oversize() {}, end: ({ data }) => console.log(data.exitCode) });
			})`,
		]);
		expect(await text(parent.stdout)).toBe('7\n');
	});
});

/** Programs that act before they read, with the helper killed at some moment of their start. */
async function startAndKillHelper(file: string, round: number): Promise<{ file: string; error?: unknown }> {
	const { helper, guard } = open();
	await Child.start(shell('exit 0'), { spawner: helper, guard }).then(({ gone }) => gone);
	const starting = Child.start(shell(`printf x >> ${file}; sleep 60`), { spawner: helper, guard });
	const { pid } = helper;
	if (pid === undefined) throw new Error('the helper does not run');
	// A deliberate pause: another moment each round.
	setTimeout(() => process.kill(pid, 'SIGKILL'), round % KILL_WITHIN_MS);
	try {
		const child = await starting;
		await until('it acts', () => existsSync(file) || !child.isRunning);
		await child.stop(0);
		return { file };
	} catch (error) {
		return { file, error };
	}
}

function open(): { helper: HelperSpawner; guard: Guard } {
	const guard = new Guard();
	const helper = new HelperSpawner(guard);
	opened.push(guard, helper);
	return { helper, guard };
}

async function start(record: SpawnRecord): Promise<{ child: Child; helper: HelperSpawner; guard: Guard }> {
	const { helper, guard } = open();
	return { child: await Child.start(record, { spawner: helper, guard }), helper, guard };
}

function dist(name: string): string {
	return JSON.stringify(fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url)));
}
