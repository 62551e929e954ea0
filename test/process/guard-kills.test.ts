/* The guard and its owner are killed within a moment: its backup, or the next process, ends the children. */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { childrenOf, isAlive, livingWith, nothingLeft } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const parentFile = fileURLToPath(new URL('../fixtures/parent-of-stubborn.mjs', import.meta.url));
const transportFile = new URL('../../dist/transport/index.js', import.meta.url).href;
const opensShell = `import { ChildTransport } from '${transportFile}';
await ChildTransport.open({ command: 'sh', args: ['-c', process.argv[1]] });`;
const linuxOnly = it.skipIf(process.platform !== 'linux');

linuxOnly.each(runsAllTests ? [0, 1, 5] : [1])(
	'ends the children when the guard is killed %i ms before its owner',
	async (ms) => {
		const { parent, guard, token } = await startParent();
		process.kill(guard, 'SIGKILL');
		if (ms > 0) await sleep(ms); // a deliberate pause: the moment is what varies
		parent.kill('SIGKILL');
		await nothingLeft(token);
	},
);

linuxOnly.each(runsAllTests ? [0, 20, 100] : [20])(
	'ends the children when the guard is killed %i ms after its owner',
	async (ms) => {
		const { parent, guard, token } = await startParent();
		parent.kill('SIGKILL');
		await sleep(ms); // a deliberate pause: the moment is what varies
		process.kill(guard, 'SIGKILL');
		await nothingLeft(token);
	},
);

linuxOnly('replaces a killed guard, whose backup then goes, and keeps the children', async () => {
	const { parent, guard, backup, token } = await startParent();
	process.kill(guard, 'SIGKILL');
	await until('the backup is gone', () => !isAlive(backup));
	expect(livingWith('ROUND_TOKEN', token).length).toBeGreaterThan(0);
	expect(guardOf(parent)).not.toBe(guard);
	parent.kill('SIGKILL');
	await nothingLeft(token);
});

linuxOnly('lets the next process kill the orphans of a dead guard and backup', async () => {
	const stateHome = temporaryFolder();
	const { parent, guard, backup, token } = await startParent(stateHome);
	// A parent that is stopped starts no other guard between the two kills.
	parent.kill('SIGSTOP');
	for (const pid of [guard, backup]) process.kill(pid, 'SIGKILL');
	parent.kill('SIGKILL');
	await once(parent, 'exit');
	const survivors = livingWith('ROUND_TOKEN', token);
	expect(readdirSync(join(stateHome, 'orchestra', 'children'))).toHaveLength(1);
	const next = await startParent(stateHome);
	await until('what was left is ended', () => !survivors.some(isAlive));
	expect(livingWith('ROUND_TOKEN', next.token).length).toBeGreaterThan(0);
	const records = (): string[] => readdirSync(join(stateHome, 'orchestra', 'children'));
	await until('the record of the dead owner is removed', () => records().length === 1);
	next.parent.kill('SIGKILL');
	await nothingLeft(next.token);
});

linuxOnly('lets a guard stop the children in order, although another process starts meanwhile', async () => {
	const folder = temporaryFolder();
	const env = { ...process.env, XDG_STATE_HOME: folder };
	// Its shell says that `sleep` was ended, which must not break the pipe of the dead parent.
	const child = `exec 2>/dev/null; trap 'touch ended; exit' TERM; touch began; while :; do sleep 0.05; done`;
	const parent = spawn(process.execPath, ['--input-type=module', '-e', opensShell, child], {
		cwd: folder,
		env,
	});
	await until('the child runs', () => existsSync(join(folder, 'began')));
	parent.kill('SIGKILL');
	await once(parent, 'exit');
	const next = await startParent(folder);
	await until('the child has ended in order', () => existsSync(join(folder, 'ended')));
	next.parent.kill('SIGKILL');
	await nothingLeft(next.token);
});

interface Started {
	readonly parent: ChildProcess;
	readonly guard: number;
	readonly backup: number;
	readonly token: string;
}

async function startParent(stateHome = temporaryFolder()): Promise<Started> {
	const token = randomUUID();
	const env = { ...process.env, XDG_STATE_HOME: stateHome };
	const parent = spawn(process.execPath, [parentFile, token], { env, stdio: ['ignore', 'pipe', 'inherit'] });
	onTestFinished(() => void parent.kill('SIGKILL'));
	let guard = 0;
	await once(parent.stdout, 'data');
	await until('the guard has a backup', () => {
		guard = guardOf(parent);
		return guard > 0 && childrenOf(guard).length > 0;
	});
	return { parent, guard, backup: childrenOf(guard)[0] ?? 0, token };
}

function guardOf(parent: ChildProcess): number {
	const isGuard = (pid: number): boolean =>
		readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('be_backup');
	return childrenOf(parent.pid ?? 0).find(isGuard) ?? 0;
}
