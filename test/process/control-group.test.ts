/* Control groups: with the files that the kernel would have, and for real where this machine allows it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Child } from '../../src/process/child.ts';
import { explainExit } from '../../src/process/diagnosis.ts';
import {
	ControlGroup,
	controlGroupPlace,
	openControlGroup,
	removeOrphanGroups,
} from '../../src/process/sandbox/control-group.ts';
import { node, shell } from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import { temporaryFolder } from '../support/workspace.ts';

const limits = { memoryBytes: 64 * 1024 * 1024, processes: 20 };

describe.skipIf(process.platform !== 'linux')('a control group', () => {
	it('is made below the nearest group that passes the controllers on', () => {
		const root = fakeRoot({ '': 'memory pids', 'user.slice': 'memory pids', 'user.slice/mine': '' });
		const group = openControlGroup(limits, { root, own: '/user.slice/mine' });
		expect(group?.folder).toMatch(new RegExp(`^${root}/user.slice/orchestra-\\d+-${process.pid}-\\d+-\\d+$`));
		expect(readFileSync(join(group?.folder ?? '', 'memory.max'), 'utf8')).toBe(String(limits.memoryBytes));
		expect(readFileSync(join(group?.folder ?? '', 'pids.max'), 'utf8')).toBe('20');
	});

	it.each([
		['no group passes the controllers on', { '': 'cpu', mine: '' }],
		['a controller is missing', { '': 'memory', mine: '' }],
	])('is not made when %s', (_why, tree) => {
		expect(openControlGroup(limits, { root: fakeRoot(tree), own: '/mine' })).toBeUndefined();
	});

	it('is not made for open files alone', () => {
		expect(openControlGroup({}, { root: fakeRoot({ '': 'memory pids' }), own: '/' })).toBeUndefined();
	});

	it('is joined by the program before it runs, and a program that cannot join does not run', async () => {
		const folder = temporaryFolder();
		const group = new ControlGroup(folder, {});
		const program = { file: '/bin/sh', args: ['-c', 'echo "$$ $1"', 'sh', 'a b'], cwd: '/', env: {} };
		const { file, args } = group.entered(program);
		const printed = execFileSync(file, args, { encoding: 'utf8' });
		expect(printed.trim()).toBe(`${readFileSync(join(folder, 'cgroup.procs'), 'utf8').trim()} a b`);
		const gone = new ControlGroup(join(folder, 'none'), {}).entered(program);
		expect(() => execFileSync(gone.file, gone.args, { stdio: 'pipe' })).toThrow(/status.*126|Command failed/);
	});

	it('says which limit the kernel counted', () => {
		const folder = temporaryFolder();
		const group = new ControlGroup(folder, limits);
		expect(group.reachedLimit()).toBeUndefined();
		writeFileSync(join(folder, 'pids.events'), 'max 3\n');
		expect(group.reachedLimit()).toBe('it reached its limit processes = 20');
		writeFileSync(join(folder, 'memory.events'), 'low 0\noom 1\noom_kill 1\n');
		expect(group.reachedLimit()).toBe(`it reached its limit memoryBytes = ${limits.memoryBytes}`);
	});

	it('of a dead owner is removed, that of a living one and any other folder stays', () => {
		const root = fakeRoot({ '': 'memory pids' });
		const mine = openControlGroup(limits, { root, own: '/' });
		const [name = ''] = readdirSync(root).filter((each) => each.startsWith('orchestra-'));
		const dead = name.replace(`-${process.pid}-`, '-4194304-');
		const recycled = name.replace(/-\d+-\d+$/, '-1-1');
		for (const each of [dead, recycled, 'other']) mkdirSync(join(root, each));
		removeOrphanGroups(root);
		expect(existsSync(mine?.folder ?? '')).toBe(true);
		expect(readdirSync(root).sort()).toEqual(expect.arrayContaining([name, 'other']));
		expect([dead, recycled].filter((each) => existsSync(join(root, each)))).toEqual([]);
	});
});

const unified = unifiedMount();
if (unified === undefined)
	console.log('real control groups: skipped, no cgroup v2 mount can be written here');

describe.skipIf(unified === undefined)('a control group of the kernel', () => {
	it('has every descendant of the program, and is removed with the last of them', async () => {
		const group = realGroup();
		const { file, args } = group.entered({
			...shell('sleep 60 & setsid sleep 60 & echo ready; wait'),
			file: '/bin/sh',
			args: ['-c', 'sleep 60 & setsid sleep 60 & echo ready; wait'],
			cwd: '/',
			env: {},
		});
		const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
		await once(child.stdout, 'data');
		const members = readFileSync(join(group.folder, 'cgroup.procs'), 'utf8').trim().split('\n');
		expect(members).toContain(String(child.pid));
		await until('all three have joined', () => membersOf(group.folder) >= 3);
		await group.close();
		expect(existsSync(group.folder)).toBe(false);
		await until('none is left', () => members.every((pid) => !existsSync(`/proc/${pid}`) || isZombie(pid)));
	});

	it('of a dead owner is removed with its processes', async () => {
		const group = realGroup('4194304');
		const { file, args } = group.entered({ file: '/bin/sleep', args: ['60'], cwd: '/', env: {} });
		const child = spawn(file, args, { stdio: 'ignore' });
		const exited = once(child, 'exit');
		await until('it has joined', () => membersOf(group.folder) > 0);
		removeOrphanGroups(unified ?? '');
		await exited;
		removeOrphanGroups(unified ?? '');
		await until('the group is gone', () => !existsSync(group.folder));
	});
});

const canLimit = openControlGroup(limits);
void canLimit?.close();
if (canLimit === undefined)
	console.log('limits by control groups: skipped, memory and pids are not delegated to us here');

describe.skipIf(canLimit === undefined)('the limits of a control group', () => {
	it('stop a tree that takes too much memory together, and say so', async () => {
		const hungry = node('const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1));');
		const child = await Child.start({ ...hungry, limits: { memoryBytes: 100 * 1024 * 1024 } });
		await child.gone;
		expect(explainExit(child.diagnose())).toContain('it reached its limit memoryBytes = 104857600');
		expect(ownGroups()).toEqual([]);
	});

	it('stop a tree with too many processes', async () => {
		const child = await Child.start({
			...shell('for i in 1 2 3 4 5 6 7 8 9; do sleep 9 & done; wait'),
			limits: { processes: 4 },
		});
		await child.gone;
		expect(explainExit(child.diagnose())).toContain('it reached its limit processes = 4');
	});
});

function ownGroups(): string[] {
	const place = controlGroupPlace();
	const parent = place && join(place.root, place.own, '..');
	return parent === undefined
		? []
		: readdirSync(parent).filter(
				(name) => name.startsWith('orchestra-') && name.includes(`-${process.pid}-`),
			);
}

/** Folders with the files of groups: the controllers that each passes on. */
function fakeRoot(tree: Readonly<Record<string, string>>): string {
	const root = temporaryFolder();
	for (const [path, controllers] of Object.entries(tree)) {
		mkdirSync(join(root, path), { recursive: true });
		writeFileSync(join(root, path, 'cgroup.subtree_control'), `${controllers}\n`);
		writeFileSync(join(root, path, 'cgroup.procs'), '');
	}
	return root;
}

/** A mount of cgroup v2 in which groups can be made, with or without controllers. */
function unifiedMount(): string | undefined {
	for (const mount of ['/sys/fs/cgroup', '/sys/fs/cgroup/unified']) {
		if (!existsSync(join(mount, 'cgroup.controllers'))) continue;
		const folder = join(mount, `orchestra-trial-${process.pid}`);
		try {
			mkdirSync(folder);
			rmdirSync(folder);
			return mount;
		} catch {
			// not ours
		}
	}
	return undefined;
}

/** A group of the kernel without limits, of this process or another owner. */
function realGroup(pid = String(process.pid)): ControlGroup {
	const root = fakeRoot({ '': 'memory pids' });
	const named = openControlGroup(limits, { root, own: '/' })?.folder.split('/').at(-1) ?? '';
	const folder = join(unified ?? '', named.replace(`-${process.pid}-`, `-${pid}-`));
	mkdirSync(folder);
	const group = new ControlGroup(folder, {});
	onTestFinished(() => group.close());
	return group;
}

function membersOf(folder: string): number {
	return readFileSync(join(folder, 'cgroup.procs'), 'utf8').trim().split('\n').filter(Boolean).length;
}

function isZombie(pid: string): boolean {
	return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}
