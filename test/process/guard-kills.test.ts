/* The guard and its owner are killed within a moment: its backup, or the next process, ends the children. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { childrenOf, isAlive, livingWith, until } from '../support/programs.ts';
import { temporaryFolder } from '../support/workspace.ts';

const parentFile = fileURLToPath(new URL('../fixtures/parent-of-stubborn.mjs', import.meta.url));
const linuxOnly = it.skipIf(process.platform !== 'linux');

linuxOnly.each([0, 1, 5])('ends the children when the guard is killed %i ms before its owner', async (ms) => {
	const { parent, guard, token } = await startParent();
	process.kill(guard, 'SIGKILL');
	if (ms > 0) await sleep(ms);
	parent.kill('SIGKILL');
	await nothingLeft(token);
});

linuxOnly.each([0, 20, 100])(
	'ends the children when the guard is killed %i ms after its owner',
	async (ms) => {
		const { parent, guard, token } = await startParent();
		parent.kill('SIGKILL');
		await sleep(ms);
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

linuxOnly(
	'lets the next process kill the orphans when the guard and its backup were killed too',
	async () => {
		const stateHome = temporaryFolder();
		const { parent, guard, backup, token } = await startParent(stateHome);
		for (const pid of [guard, backup]) process.kill(pid, 'SIGKILL');
		parent.kill('SIGKILL');
		await once(parent, 'exit');
		// A new guard may have been started between the two kills; it is ended in the same way.
		const survivors = livingWith('ROUND_TOKEN', token);
		expect(readdirSync(join(stateHome, 'orchestra', 'children'))).toHaveLength(1);
		const next = await startParent(stateHome);
		await until('what was left is ended', () => !survivors.some(isAlive));
		expect(livingWith('ROUND_TOKEN', next.token).length).toBeGreaterThan(0);
		expect(readdirSync(join(stateHome, 'orchestra', 'children'))).toHaveLength(1);
		next.parent.kill('SIGKILL');
		await nothingLeft(next.token);
	},
);

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
	let guard = 0;
	await once(parent.stdout, 'data');
	await until('the guard has a backup', () => {
		guard = guardOf(parent);
		return childrenOf(guard).length > 0;
	});
	return { parent, guard, backup: childrenOf(guard)[0] ?? 0, token };
}

function guardOf(parent: ChildProcess): number {
	const isGuard = (pid: number): boolean =>
		readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('be_backup');
	return childrenOf(parent.pid ?? 0).find(isGuard) ?? 0;
}

async function nothingLeft(token: string): Promise<void> {
	await until('nothing is left', () => livingWith('ROUND_TOKEN', token).length === 0, 10_000);
}
