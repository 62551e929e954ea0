/* Both ways in which the guard gets to know a child whose parent says nothing more about it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { canFindMarks, enlist } from '../../src/process/enlist.ts';
import { Guard } from '../../src/process/guard.ts';
import { isAlive } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const stubborn = `trap '' TERM; echo up; while :; do sleep 1; done`;

describe.skipIf(process.platform === 'win32')('the guard', () => {
	it.skipIf(!canFindMarks)('ends a child that it finds by its mark', () => endsChild(true));

	it('ends a child that joined by itself', () => endsChild(false));

	it('is told marks that no other guard of the process has', () => {
		const guards = [new Guard(), new Guard()];
		const marks = guards.map((guard) => guard.announce());
		for (const guard of guards) guard.close();
		expect(new Set(marks).size).toBe(2);
	});
});

async function endsChild(byMark: boolean): Promise<void> {
	const guard = new Guard();
	const env = { PATH: process.env['PATH'] ?? '' };
	const request = { file: '/bin/sh', args: ['-c', stubborn], cwd: '/', env, guard };
	const enlisted = enlist(request, byMark);
	const child = spawn(enlisted.file, enlisted.args, {
		env: enlisted.env,
		detached: true,
		stdio: ['ignore', 'pipe', 'inherit', enlisted.needsPipe ? guard.pipe : 'ignore'],
	});
	const exited = once(child, 'exit');
	await once(child.stdout ?? child, 'data');
	guard.close();
	expect((await exited)[1]).toBe('SIGKILL');
	await until('the child is gone', () => !isAlive(child.pid ?? 0));
}
