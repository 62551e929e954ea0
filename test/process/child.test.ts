import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { Log } from '../../src/log.ts';
import { Child, type ChildOptions } from '../../src/process/child.ts';
import { Guard } from '../../src/process/guard/guard.ts';
import { canFindMarks } from '../../src/process/guard/guard-command.ts';
import { MARK_VARIABLE } from '../../src/process/guard/mark.ts';
import type { SpawnRecord } from '../../src/process/spawn-record.ts';
import { isAlive, node, shell, thrownBy } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const started: Child[] = [];
afterEach(async () => {
	await Promise.all(started.splice(0).map((child) => child.stop()));
});

describe('starting', () => {
	it('runs the program with its arguments, environment and folder, without a shell', async () => {
		const folder = temporaryFolder();
		const script =
			'console.log(JSON.stringify([process.cwd(), process.env.TEST_VAR, process.argv.slice(1)]))';
		const child = await start({
			...node(script, 'a b', '$HOME', ';'),
			env: { TEST_VAR: 'hello' },
			cwd: folder,
		});
		expect(JSON.parse(await text(child.stdout))).toEqual([folder, 'hello', ['a b', '$HOME', ';']]);
	});

	it('keeps the environment minimal', async () => {
		const child = await start(node('console.log(Object.keys(process.env).join())'), {
			parentEnvironment: { PATH: process.env['PATH'], SECRET_TOKEN: 'x' },
		});
		const names = (await text(child.stdout)).trim().split(',');
		expect(names).not.toContain('SECRET_TOKEN');
		// Without marks a shell stands in front of the program, and exports variables of its own.
		expect(names.toSorted()).toEqual(
			canFindMarks ? [MARK_VARIABLE, 'PATH'] : expect.arrayContaining(['PATH']),
		);
	});

	it.skipIf(process.platform === 'win32')(
		'registers nothing with the guard when it cannot be started',
		async () => {
			const guard = new Guard();
			const env = { BIG: 'x'.repeat(3_000_000) };
			await thrownBy(() => Child.start({ command: 'cat', env }, { guard }));
			const { pid = 0 } = guard;
			process.kill(pid, 'SIGKILL');
			await until('its end was noticed', () => guard.pid !== pid);
			// A guard that has something to do is started again.
			expect(guard.pid).toBeUndefined();
		},
	);

	it('leaks no descriptor of ours into the program', async () => {
		const child = await start(shell('[ -e /dev/fd/3 ] && echo leaked || echo clean'));
		expect(await text(child.stdout)).toBe('clean\n');
	});

	it.each<[string, SpawnRecord, RegExp]>([
		[
			'a missing command',
			{ command: 'nonexistent_command_12345' },
			/^failed to spawn process: command "nonexistent_command_12345" was not found on PATH$/,
		],
		[
			'a missing path',
			{ command: './nothing/here' },
			/^failed to spawn process: .*nothing\/here does not exist$/,
		],
		['a folder', { command: '/tmp/' }, /^failed to spawn process: \/tmp is not a file$/],
		[
			'a missing working directory',
			{ command: 'cat', cwd: '/nonexistent_folder' },
			/^failed to spawn process: the working directory \/nonexistent_folder does not exist$/,
		],
	])('refuses %s, saying what was looked for', async (_, record, message) => {
		expect(await thrownBy(() => Child.start(record))).toMatchObject({
			code: 'spawn',
			message: expect.stringMatching(message),
		});
	});

	it('refuses a file that is not executable', async () => {
		const file = join(temporaryFolder(), 'script');
		writeFileSync(file, '#!/bin/sh\n', { mode: 0o600 });
		await expect(Child.start({ command: file })).rejects.toThrow(`${file} is not executable`);
	});

	it('fails with the error of the system', async () => {
		const tooLong = 'x'.repeat(4_000_000);
		await expect(Child.start({ command: 'cat', args: [tooLong] })).rejects.toMatchObject({ code: 'spawn' });
	});
});

describe('stderr', () => {
	it('is retained up to its last lines, and never mixed into stdout', async () => {
		const child = await start(shell('echo out; echo "first" >&2; echo "last line" >&2; exit 3'));
		expect(await text(child.stdout)).toBe('out\n');
		await child.gone;
		expect(child.diagnose()).toMatchObject({ exitCode: 3, stderr: ['first', 'last line'] });
	});

	it('goes to the log under the name of the command, or to a function', async () => {
		const lines: string[] = [];
		const log = new Log('x', {
			level: 'info',
			format: 'text',
			now: () => new Date(0),
			write: (line) => lines.push(line),
		});
		const logged = await start(shell('echo one >&2; echo two >&2'), { stderr: 'log', log });
		await logged.gone;
		await until('both lines are logged', () => lines.length === 2);
		expect(lines[0]).toContain('[sh] one');
		const chunks: Buffer[] = [];
		const taken = await start(shell('printf abc >&2'), { stderr: (chunk) => chunks.push(chunk) });
		await taken.gone;
		await until('the chunk came', () => Buffer.concat(chunks).toString() === 'abc');
	});

	it('may be flooded without blocking the child', async () => {
		const child = await start(
			node(`
			for (let i = 0; i < 2000; i++) process.stderr.write('x'.repeat(1000) + '\\n');
			process.stdout.write('done');
		`),
		);
		expect(await text(child.stdout)).toBe('done');
	});
});

describe('stopping', () => {
	it('closes stdin first, and a child that reacts exits at once', async () => {
		const child = await start({ command: 'cat' });
		expect(child.isRunning).toBe(true);
		expect(await child.stop()).toEqual({ code: 0, signal: null });
		expect([child.isRunning, child.isShutdown]).toEqual([false, true]);
	});

	it('is idempotent', async () => {
		const child = await start({ command: 'cat' });
		expect(child.stop()).toBe(child.stop());
		await child.stop();
		expect(await child.stop()).toEqual({ code: 0, signal: null });
	});

	it('kills a child that ignores end of file and SIGTERM within 3 s, grandchildren included', async () => {
		const child = await start(
			shell('trap "" TERM; (trap "" TERM; exec sleep 300) & echo $!; while :; do sleep 1; done'),
		);
		const grandchild = Number(await firstLine(child));
		expect(await child.stop()).toEqual({ code: null, signal: 'SIGKILL' });
		await until('the grandchild is gone', () => !isAlive(grandchild));
	});

	it.skipIf(!canFindMarks)(
		'sends SIGTERM once, because a second one may mean to stop without finishing',
		async () => {
			const counts = `let seen = 0;
			process.on('SIGTERM', () => { if (++seen === 1) setTimeout(() => { console.log('seen ' + seen); process.exit(); }, 300); });
			setInterval(() => {}, 1000); console.log('up');`;
			const child = await start(shell(`"${process.execPath}" -e "${counts}" & wait`));
			await firstLine(child);
			const output = text(child.stdout);
			await child.stop(0);
			expect(await output).toBe('seen 1\n');
		},
	);

	it('stops the descendants of a child that exited by itself', async () => {
		const child = await start(shell('sleep 300 & echo $!'));
		const grandchild = Number(await firstLine(child));
		expect(await child.gone).toEqual({ code: 0, signal: null });
		expect(isAlive(grandchild)).toBe(false);
	});

	it('kills on request without a SIGTERM before', async () => {
		const child = await start(shell('trap "exit 3" TERM; echo up; while :; do sleep 1; done'));
		await firstLine(child);
		expect(await child.kill()).toEqual({ code: null, signal: 'SIGKILL' });
	});

	it('does not wait for another process that holds stdout open', async () => {
		const setsid =
			'require("node:child_process").spawn("sleep",["60"],{detached:true,stdio:["ignore","inherit","ignore"]}).unref(); console.log("left")';
		const child = await start(node(setsid));
		expect(await text(child.stdout).catch(() => 'cut')).toMatch(/left|cut/);
	});
});

describe('the diagnosis', () => {
	it('contains the command, how it exited and the last stderr lines', async () => {
		const child = await start(shell('echo "no such file" >&2; exit 7'));
		await child.gone;
		const { message, hint, code } = child.exitError();
		expect([code, message]).toEqual(['closed', 'process exited unexpectedly']);
		expect(hint).toMatch(/^`sh -c .*` exited with code 7 after \d+ ms\. Last stderr lines: no such file$/);
	});

	it('names the signal, and stray lines when stderr is empty', async () => {
		const child = await start(shell('kill -KILL $$'));
		child.logStray('Listening on port 80');
		await child.gone;
		expect(child.exitError().hint).toMatch(
			/was ended by SIGKILL .* Last stdout lines: Listening on port 80$/,
		);
		expect(child.diagnose()).toMatchObject({ signal: 'SIGKILL', strayCount: 1 });
	});

	it('states when a child still runs, and when it printed nothing', async () => {
		const child = await start({ command: 'cat' });
		expect(child.exitError().hint).toMatch(
			/closed its stdout but still runs after \d+ ms\. It printed nothing on stderr\.$/,
		);
	});
});

describe('the guard', () => {
	it('is one process for any number of children, restarted when it was killed', async () => {
		const guard = new Guard();
		const children = await Promise.all([1, 2, 3].map(() => start({ command: 'cat' }, { guard })));
		const first = guard.pid ?? 0;
		expect(isAlive(first)).toBe(true);
		process.kill(first, 'SIGKILL');
		await until('another took its place', () => guard.pid !== undefined && guard.pid !== first);
		guard.close();
		for (const child of children) expect(await child.gone).toMatchObject({ signal: 'SIGTERM' });
	});

	it('can be killed while a child starts without killing the child', async () => {
		const guard = new Guard();
		await start({ command: 'cat' }, { guard });
		for (let round = 0; round < 5; round++) {
			const starting = start({ command: 'cat' }, { guard });
			process.kill(guard.pid ?? 0, 'SIGKILL');
			const child = await starting;
			child.stdin.write('alive\n');
			expect(await firstLine(child)).toBe('alive');
			await until('another took its place', () => guard.pid !== undefined && isAlive(guard.pid));
		}
		guard.close();
	});
});

async function start(record: SpawnRecord, options: ChildOptions = {}): Promise<Child> {
	const child = await Child.start(record, options);
	started.push(child);
	return child;
}

function firstLine(child: Child): Promise<string> {
	return new Promise((resolve) =>
		child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim())),
	);
}
