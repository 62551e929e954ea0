/*
 * The guard: a small watchdog process that stops our orphans however this process
 * died, `kill -9` included.
 *
 * It is a shell script (`guard-script.ts`) that reads lines from a pipe: `+ name`,
 * `- name`. When this process dies, the pipe ends and the guard runs the stop ladder
 * on what is left. A name is a process group, or the mark of a child that is being
 * started: the mark is announced first, the child has it in its environment, and /proc
 * shows it to the guard. A forked child inherits all our descriptors, this pipe too,
 * until exec, so the guard can find every child at any moment. Without /proc, a child
 * starts as a shell that writes its pid into the pipe and then execs the program, which
 * takes a millisecond more. A shell costs 1 MB and 1 ms; Node would cost forty times as
 * much. A fork of the guard, its backup, acts when this process and the guard are both
 * killed; a record on disk covers the case that all three are.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { GUARD_RESTART_LIMIT } from '../process-limits.ts';
import { guardScript } from './guard-script.ts';
import { MARK_VARIABLE, newOwnerMark } from './mark.ts';
import { keepOwnerRecord } from './owner-record.ts';

export class Guard {
	#shell: ChildProcess | undefined;
	/** Live groups, and marks of children that are being started. */
	readonly #names = new Set<string>();
	readonly #owner = newOwnerMark();
	#marks = 0;
	#startedAt = new Date(0);
	#restarts = 0;
	#isClosed = false;

	/** The pipe on which a new child registers itself. Starts or restarts the guard if needed. */
	get pipe(): Socket {
		const shell = this.#shell ?? this.#start();
		// A child process with a piped stdin always has a socket there.
		return shell.stdin as Socket;
	}

	/** When the guard process was started. */
	get startedAt(): Date {
		return this.#startedAt;
	}

	/** Pid of the guard process while it runs. */
	get pid(): number | undefined {
		return this.#shell?.pid;
	}

	/** Call before a child is started: returns the mark for its environment variable `MARK_VARIABLE`. */
	announce(): string {
		// The dot at the end keeps one mark from being a prefix of another.
		const mark = `${this.#owner}${++this.#marks}.`;
		this.#change({ add: mark });
		return mark;
	}

	/** The child with `mark` now leads this group. */
	add(group: number, mark?: string): void {
		this.#change({ add: `${group}`, remove: mark });
	}

	/** The group is gone, or the announced child was not started. */
	remove(name: number | string): void {
		this.#change({ remove: `${name}` });
	}

	/** Stop the guard; it first stops the groups that are left. */
	close(): void {
		this.#isClosed = true;
		this.#shell?.stdin?.destroy();
		backupPipe(this.#shell)?.destroy();
		this.#shell = undefined;
	}

	#change({ add, remove }: { add?: string; remove?: string | undefined }): void {
		let lines = '';
		if (add !== undefined) {
			this.#names.add(add);
			lines += `+ ${add}\n`;
		}
		if (remove !== undefined && this.#names.delete(remove)) lines += `- ${remove}\n`;
		// A guard that starts gets all the names.
		if (this.#shell === undefined && add !== undefined) this.#start();
		else if (lines !== '') this.#shell?.stdin?.write(lines);
	}

	#start(): ChildProcess {
		keepOwnerRecord(process.env);
		const shell = spawn('/bin/sh', ['-c', guardScript, 'sh', `${MARK_VARIABLE}=${this.#owner}`], {
			cwd: '/',
			detached: true,
			env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
			stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
		});
		const backup = backupPipe(shell);
		const onDeath = (): void => {
			if (this.#shell !== shell) return;
			this.#shell = undefined;
			if (this.#names.size > 0 && !this.#isClosed && this.#restarts++ < GUARD_RESTART_LIMIT) this.#start();
			// Only now: until the next guard has the names, only the backup can act.
			backup?.end('stop\n');
		};
		shell.on('exit', onDeath);
		// Without a guard, children run and are stopped normally; only a crash of this process leaves orphans.
		shell.on('error', onDeath);
		for (const pipe of [shell.stdin as Socket, backup]) {
			pipe?.on('error', () => {}); // `exit` reports it
			pipe?.unref();
		}
		shell.unref();
		for (const name of this.#names) shell.stdin?.write(`+ ${name}\n`);
		this.#shell = shell;
		this.#startedAt = new Date();
		return shell;
	}
}

/** The end of this pipe triggers the backup, unless a line was sent before. */
function backupPipe(shell: ChildProcess | undefined): Socket | undefined {
	// Descriptor 3 is started as a pipe, which is a socket.
	return shell?.stdio[3] as Socket | undefined;
}

let shared: Guard | undefined;

/** The one guard of this process, started with the first child. */
export function sharedGuard(): Guard {
	shared ??= new Guard();
	return shared;
}
