/*
 * The guard: one small process that outlives us by a moment and ends every
 * process we started, however we died, `kill -9` included.
 *
 * It is a shell script (`guard-script.ts`) that reads lines from a pipe: `+ name`, `- name`.
 * When we die, the pipe ends, and it takes what is left through the stop ladder. A name is
 * a process group, or the mark of a child that is just being started: the mark is
 * announced first, the child carries it in its environment, and /proc shows it to
 * the guard. A forked child holds all our descriptors, this pipe among them, until
 * its program begins, so there is no moment in which a child exists that the guard
 * cannot find. Where there is no /proc, a child begins as a shell that writes its
 * own pid into the pipe and then becomes the program, which takes a millisecond
 * more. A shell and not Node, because it costs one megabyte and one millisecond
 * instead of forty of each. A fork of the guard, its backup, does the work when both
 * we and the guard are killed; a record on disk is left for the case that all three are.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { guardScript } from './guard-script.ts';
import { MARK_VARIABLE, newOwnerMark } from './mark.ts';
import { keepOwnerRecord } from './owner-record.ts';

/** How often a guard that was killed is started again before we give up on it. */
const RESTARTS = 10;

export class Guard {
	#shell: ChildProcess | undefined;
	/** Groups that live and marks of children that are being started. */
	readonly #names = new Set<string>();
	readonly #owner = newOwnerMark();
	#marks = 0;
	#startedAt = new Date(0);
	#restarts = 0;
	#isClosed = false;

	/** The pipe that a new child registers itself on. Starts the guard, or starts it again when it was killed. */
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

	/** A child is about to be started: the mark that it must carry in its environment as `MARK_VARIABLE`. */
	announce(): string {
		// The dot at the end keeps one mark from being the beginning of another.
		const mark = `${this.#owner}${++this.#marks}.`;
		this.#change({ add: mark });
		return mark;
	}

	/** A child leads this group now, the one that carries `mark`. */
	add(group: number, mark?: string): void {
		this.#change({ add: `${group}`, remove: mark });
	}

	/** The group is gone, or what was announced was not started. */
	remove(name: number | string): void {
		this.#change({ remove: `${name}` });
	}

	/** End the guard. Groups that are still there are ended by it. */
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
		// Whatever starts the guard tells it all the names.
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
			if (this.#names.size > 0 && !this.#isClosed && this.#restarts++ < RESTARTS) this.#start();
			// Only now: until the next guard knows the names, the backup is all there is.
			backup?.end('stop\n');
		};
		shell.on('exit', onDeath);
		// Without a guard children still run and are still stopped by us; only a crash of ours is uncovered.
		shell.on('error', onDeath);
		for (const pipe of [shell.stdin as Socket, backup]) {
			pipe?.on('error', () => {}); // the exit tells it
			pipe?.unref();
		}
		shell.unref();
		for (const name of this.#names) shell.stdin?.write(`+ ${name}\n`);
		this.#shell = shell;
		this.#startedAt = new Date();
		return shell;
	}
}

/** Its end makes the backup act, unless a line came before. */
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
