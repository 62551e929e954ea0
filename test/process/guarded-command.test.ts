/* Both ways in which the guard gets to know a child whose parent says nothing more about it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Guard } from '../../src/process/guard/guard.ts';
import { canFindMarks, guardCommand } from '../../src/process/guard/guard-command.ts';
import { isAlive } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const stubborn = `trap '' TERM; echo up; while :; do sleep 1; done`;

describe.skipIf(process.platform === 'win32')('the guard', () => {
	it.skipIf(!canFindMarks)('stops a child that it finds by its mark', () => endsChild(true));

	it('stops a child that registered itself', () => endsChild(false));

	it('gets marks that no other guard of the process has', () => {
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
	const command = guardCommand(request, byMark);
	const child = spawn(command.file, command.args, {
		env: command.env,
		detached: true,
		stdio: ['ignore', 'pipe', 'inherit', command.needsPipe ? guard.pipe : 'ignore'],
	});
	const exited = once(child, 'exit');
	await once(child.stdout ?? child, 'data');
	guard.close();
	expect((await exited)[1]).toBe('SIGKILL');
	await until('the child is gone', () => !isAlive(child.pid ?? 0));
}
