/*
 * A control group (cgroup v2) for one child: its memory and the number of its processes
 * are limited for the whole process tree, which `prlimit` cannot do.
 *
 * The kernel allows limits only in a group beside ours whose parent passes the controllers
 * on, and only when this user may write there: a delegated group, as of a systemd user
 * session or a container. Elsewhere there is no group, and `prlimit` is used. A group is
 * named after its owner by pid and start time; groups of dead owners are removed when the
 * next process opens one.
 */
import {
	accessSync,
	constants,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmdirSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { attempt } from '../../errors.ts';
import { CONTROL_GROUP_REMOVE_ROUNDS, ORPHANS_AT_ONCE, REMOVE_WAIT_MS } from '../process-limits.ts';
import { isAlive, pidNamespace, uniqueProcessName } from '../process-stat.ts';
import type { ChildLimits } from './child-limits.ts';
import type { FoundProgram } from './sandbox.ts';

/** Where the control groups of this system are, and which one is ours. */
export interface ControlGroupPlace {
	/** The mount point of cgroup v2. */
	readonly root: string;
	/** The path of our own group below it. */
	readonly own: string;
}

/** The limits of a group. */
type GroupLimits = Pick<ChildLimits, 'memoryBytes' | 'processes'>;

const MOUNT = '/sys/fs/cgroup';
const PREFIX = 'orchestra-';

let groups = 0;

/** The place on this system; undefined without cgroup v2. */
export function controlGroupPlace(): ControlGroupPlace | undefined {
	// There may be no /proc.
	return attempt(() => {
		if (process.platform !== 'linux' || !existsSync(join(MOUNT, 'cgroup.controllers'))) return undefined;
		const own = /^0::(\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
		return own === undefined ? undefined : { root: MOUNT, own };
	});
}

/** A group with these limits; undefined where there can be none. */
export function openControlGroup(
	limits: GroupLimits,
	place: ControlGroupPlace | undefined = controlGroupPlace(),
): ControlGroup | undefined {
	const needed = controllersFor(limits);
	if (place === undefined || needed.length === 0) return undefined;
	const parent = parentFor(place, needed);
	if (parent === undefined) return undefined;
	removeOrphanGroups(parent);
	const folder = join(parent, `${PREFIX}${uniqueProcessName(process.pid)}-${++groups}`);
	try {
		mkdirSync(folder);
		if (limits.memoryBytes !== undefined) {
			writeFileSync(join(folder, 'memory.max'), String(limits.memoryBytes));
			// Without this the memory above the limit is swapped out; not every kernel has it.
			if (existsSync(join(folder, 'memory.swap.max'))) writeFileSync(join(folder, 'memory.swap.max'), '0');
		}
		if (limits.processes !== undefined) writeFileSync(join(folder, 'pids.max'), String(limits.processes));
		return new ControlGroup(folder, limits);
	} catch {
		removeFolder(folder); // not delegated to us after all
		return undefined;
	}
}

export class ControlGroup {
	readonly folder: string;
	readonly #limits: GroupLimits;

	constructor(folder: string, limits: GroupLimits) {
		this.folder = folder;
		this.#limits = limits;
	}

	/** The same program, started inside the group. It joins before it runs, and does not run when it cannot. */
	entered(program: FoundProgram): FoundProgram {
		const script = 'echo $$ >"$1" || exit 126; shift; exec "$@"';
		const args = ['-c', script, 'sh', join(this.folder, 'cgroup.procs'), program.file, ...program.args];
		return { ...program, file: '/bin/sh', args };
	}

	/** The limit that stopped the program, by what the kernel counted; undefined when none did. */
	reachedLimit(): string | undefined {
		const { memoryBytes, processes } = this.#limits;
		if (memoryBytes !== undefined && this.#count('memory.events', 'oom_kill') > 0)
			return `it reached its limit memoryBytes = ${memoryBytes}`;
		if (processes !== undefined && this.#count('pids.events', 'max') > 0)
			return `it reached its limit processes = ${processes}`;
		return undefined;
	}

	/** Kill what is left in the group, and remove it. Never rejects; what cannot be removed is an orphan later. */
	async close(): Promise<void> {
		for (let round = 0; round < CONTROL_GROUP_REMOVE_ROUNDS; round++) {
			if (removeFolder(this.folder)) return;
			killAll(this.folder);
			await wait(REMOVE_WAIT_MS);
		}
	}

	#count(file: string, name: string): number {
		// It may be removed, and a kernel may not have this file.
		return attempt(() => {
			const text = readFileSync(join(this.folder, file), 'utf8');
			return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
		}, 0);
	}
}

/** Remove the groups whose owners are dead, with the processes that are left in them. */
export function removeOrphanGroups(parent: string): void {
	const names = readdirSync(parent).filter((name) => name.startsWith(`${PREFIX}${pidNamespace()}-`));
	for (const name of names.filter((each) => !isOwned(each)).slice(0, ORPHANS_AT_ONCE)) {
		killAll(join(parent, name));
		removeFolder(join(parent, name));
	}
}

function controllersFor({ memoryBytes, processes }: GroupLimits): string[] {
	return [...(memoryBytes === undefined ? [] : ['memory']), ...(processes === undefined ? [] : ['pids'])];
}

/** The nearest group from ours upwards whose children can have these controllers, and that we may write. */
function parentFor({ root, own }: ControlGroupPlace, needed: readonly string[]): string | undefined {
	for (let folder = join(root, own); folder.startsWith(root); folder = dirname(folder)) {
		try {
			const passed = readFileSync(join(folder, 'cgroup.subtree_control'), 'utf8').trim().split(/\s+/);
			accessSync(folder, constants.W_OK);
			accessSync(join(folder, 'cgroup.procs'), constants.W_OK);
			if (needed.every((name) => passed.includes(name))) return folder;
		} catch {
			return undefined; // not ours, and so is nothing above it
		}
	}
	return undefined;
}

/** The name of a group is that of its owner and a number. */
function isOwned(name: string): boolean {
	return isAlive(name.slice(PREFIX.length, name.lastIndexOf('-')));
}

function killAll(folder: string): void {
	// Before Linux 5.14, or it is gone: the process tree is stopped by its marks too.
	attempt(() => writeFileSync(join(folder, 'cgroup.kill'), '1', { flag: 'r+' }));
}

/** True when the group is gone. A group with processes cannot be removed. */
function removeFolder(folder: string): boolean {
	try {
		rmdirSync(folder);
		return true;
	} catch {
		return !existsSync(folder);
	}
}
