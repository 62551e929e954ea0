/* Kill the parent, hard, at any moment: nothing of its tree may be left. */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runsAllTests } from '../support/all-tests.ts';
import { livingWith, nothingLeft } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const parentFile = fileURLToPath(new URL('../fixtures/parent-of-stubborn.mjs', import.meta.url));
const hastyFile = fileURLToPath(new URL('../fixtures/dies-while-starting.mjs', import.meta.url));
const ROUNDS = runsAllTests ? 50 : 5;
const ROUNDS_AT_ONCE = 5;
const HASTY_ROUNDS = runsAllTests ? 5 : 1;

it.skipIf(process.platform !== 'linux')(
	`leaves no process behind in ${ROUNDS} rounds of SIGKILL to the parent`,
	async () => {
		for (let done = 0; done < ROUNDS; done += ROUNDS_AT_ONCE) {
			await Promise.all(Array.from({ length: ROUNDS_AT_ONCE }, (_, index) => round(done + index)));
		}
	},
	120_000,
);

it.skipIf(process.platform !== 'linux').each([
	['ignores SIGTERM', 'trap "" TERM; while :; do sleep 1; done'],
	['leaves others behind', '(trap "" TERM HUP; while :; do sleep 1; done) & exit 0'],
])('ends a child that %s when the parent dies before it knows the pid', async (_, script) => {
	await Promise.all(Array.from({ length: HASTY_ROUNDS }, () => hastyRound(script)));
});

async function hastyRound(script: string): Promise<void> {
	const token = randomUUID();
	const parent = spawn(process.execPath, [hastyFile, token, script], { stdio: 'inherit' });
	const [, signal] = await once(parent, 'exit');
	expect(signal).toBe('SIGKILL');
	// While its program is loaded, a process shows no environment.
	await until('the child is seen', () => livingWith('ROUND_TOKEN', token).length > 0);
	await nothingLeft(token, script);
}

async function round(number: number): Promise<void> {
	const token = randomUUID();
	const parent = spawn(process.execPath, [parentFile, token], { stdio: ['ignore', 'pipe', 'inherit'] });
	// A different number of children each time, and a different moment.
	const wanted = 1 + (number % 5);
	for (let seen = 0; seen < wanted; ) {
		const [chunk] = await once(parent.stdout, 'data');
		seen += String(chunk).split('started').length - 1;
	}
	await sleep(number); // a deliberate pause: another moment each round
	expect(livingWith('ROUND_TOKEN', token).length).toBeGreaterThan(0);
	parent.kill('SIGKILL');
	await once(parent, 'exit');
	await nothingLeft(token, `round ${number}`);
}
