/* Descendants that leave the process group of their child, in the ways that real tools do. */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { Child } from '../../src/process/child.ts';
import { Guard } from '../../src/process/guard/guard.ts';
import { MARK_VARIABLE, markOfProcess, withoutMark } from '../../src/process/guard/mark.ts';
import { ProcessTree } from '../../src/process/guard/process-tree.ts';
import { HelperSpawner } from '../../src/process/spawn/helper-spawner.ts';
import type { SpawnRecord } from '../../src/process/spawn-record.ts';
import { hasPython, livingWith, shell } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const opened: { close(): void }[] = [];
afterEach(() => {
	for (const each of opened.splice(0).toReversed()) each.close();
});

const escapes: [string, SpawnRecord][] = [
	['setsid', shell('setsid sleep 60 & echo up; wait')],
	['GNU timeout', shell('timeout 60 sleep 60 & echo up; wait')],
	['job control', { command: 'bash', args: ['-c', 'set -m; sleep 60 & echo up; wait'] }],
	[
		'start_new_session',
		{
			command: 'python3',
			args: [
				'-c',
				'import subprocess; p = subprocess.Popen(["sleep", "60"], start_new_session=True); print("up", flush=True); p.wait()',
			],
		},
	],
	[
		'a double fork that ignores SIGTERM',
		shell('(setsid sh -c \'trap "" TERM; echo up; sleep 60\' &) ; sleep 60'),
	],
];

describe.skipIf(process.platform !== 'linux')('a descendant that leaves the process group', () => {
	it.for(escapes)('by %s is stopped with the child', async ([, record], { skip }) => {
		if (record.command === 'python3' && !hasPython) skip('there is no python3');
		const { child, token } = await startMarked(record);
		await once(child.stdout, 'data');
		await child.stop(0);
		expect(livingWith('ROUND_TOKEN', token)).toEqual([]);
	});

	it.each([
		['with our pipes', 'setsid sleep 60 & exit 0'],
		['without our pipes', 'setsid sleep 60 >/dev/null 2>&1 & exit 0'],
		['twice', '(setsid sh -c "setsid sleep 60 & exit 0" &) ; exit 0'],
	])('%s is stopped when its child exits by itself', async (_, script) => {
		const { child, token } = await startMarked(shell(script));
		child.stdout.resume();
		expect(await child.gone).toEqual({ code: 0, signal: null });
		expect(livingWith('ROUND_TOKEN', token)).toEqual([]);
	});

	it('is stopped when it was started through the helper', async () => {
		const guard = new Guard();
		const spawner = new HelperSpawner(guard);
		opened.push(guard, spawner);
		const { child, token } = await startMarked(shell('setsid sleep 60 & echo up; wait'), { spawner, guard });
		await once(child.stdout, 'data');
		await child.stop(0);
		expect(livingWith('ROUND_TOKEN', token)).toEqual([]);
	});

	it('is stopped by the guard', async () => {
		const guard = new Guard();
		const record = shell('setsid sh -c \'trap "" TERM; echo up; while :; do sleep 1; done\' & wait');
		const { child, token } = await startMarked(record, { guard });
		await once(child.stdout, 'data');
		guard.close();
		await until('nothing is left', () => livingWith('ROUND_TOKEN', token).length === 0);
	});

	it('of one of several old children that are stopped together is stopped with its own child alone', async () => {
		const children = await Promise.all(
			[1, 2, 3].map((number) => startOld(`${markOfProcess()}old.${number}.`)),
		);
		const [first, second, third] = children.map(({ tree }) => tree);
		await Promise.all([first, second].map((tree) => tree?.stop()));
		const left = children.map(({ token }) => livingWith('ROUND_TOKEN', token).length > 0);
		expect(left).toEqual([false, false, true]);
		expect(await third?.signal('SIGKILL')).toBe(true);
		expect(await third?.gone(10_000)).toBe(true);
	});

	it('is not stopped when it belongs to another child', async () => {
		const first = await startMarked(shell('setsid sleep 60 & echo up; wait'));
		const second = await startMarked(shell('setsid sleep 60 & echo up; wait'));
		await Promise.all([once(first.child.stdout, 'data'), once(second.child.stdout, 'data')]);
		await first.child.stop(0);
		expect(livingWith('ROUND_TOKEN', second.token).length).toBeGreaterThan(1);
		await second.child.stop(0);
	});
});

describe('withoutMark', () => {
	it('removes only the mark from an environment', () => {
		expect(withoutMark({ ORCHESTRA_SPAWN: '1.2.3.', PATH: '/bin' })).toEqual({ PATH: '/bin' });
	});
});

/** A child with a descendant outside its group, which is searched like that of a child that runs for long. */
async function startOld(mark: string): Promise<{ tree: ProcessTree; token: string }> {
	const token = randomUUID();
	const env = { ...process.env, ROUND_TOKEN: token, [MARK_VARIABLE]: mark };
	const script = 'setsid sleep 60 & echo up; wait';
	const child = spawn('sh', ['-c', script], { env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
	await once(child.stdout, 'data');
	return { tree: new ProcessTree({ pid: child.pid ?? 0, startedAt: -Infinity }, mark), token };
}

async function startMarked(
	record: SpawnRecord,
	options: Parameters<typeof Child.start>[1] = {},
): Promise<{ child: Child; token: string }> {
	const token = randomUUID();
	return { child: await Child.start({ ...record, env: { ROUND_TOKEN: token } }, options), token };
}
