/*
 * The guard: one small process that outlives us by a moment and ends every
 * process group we started, however we died, `kill -9` included.
 *
 * It is a shell script that reads lines from a pipe: `+ group`, `- group`. When we
 * die, the pipe ends, and it takes the groups that are left through the stop
 * ladder. A child joins the list before its program starts: it begins as a shell
 * that writes its own pid into the guard's pipe and then becomes the program.
 * Until then it holds the pipe open itself, so there is no moment in which a
 * child exists that the guard will not hear of. A shell and not Node, because it
 * costs one megabyte and one millisecond instead of forty of each.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

const guardScript = `
trap '' INT TERM HUP QUIT PIPE
groups=' '
while read -r action group; do
	case $action in
		+) groups="$groups$group " ;;
		-) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
	esac
done
any_left() {
	for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && return 0; done
	return 1
}
wait_tenths() {
	left=$1
	while [ "$left" -gt 0 ] && any_left; do
		sleep 0.1 2>/dev/null || { sleep 1; left=0; }
		left=$((left - 1))
	done
}
wait_tenths 5
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
wait_tenths 10
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

/**
 * Registers the shell that runs it with the guard on descriptor 3, then becomes the program in "$@". A guard that was
 * killed this very moment must not take the child with it; the next guard will be told of the child by us.
 */
export const JOIN_GUARD_SCRIPT = `trap '' PIPE; echo "+ $$" >&3 2>/dev/null; trap - PIPE; exec 3>&-; exec "$@"`;

/** How often a guard that was killed is started again before we give up on it. */
const RESTARTS = 10;

export class Guard {
	#shell: ChildProcess | undefined;
	readonly #groups = new Set<number>();
	#restarts = 0;
	#isClosed = false;

	/** The pipe that a new child registers itself on. Starts the guard, or starts it again when it was killed. */
	get pipe(): Socket {
		const shell = this.#shell ?? this.#start();
		// A child process with a piped stdin always has a socket there.
		return shell.stdin as Socket;
	}

	/** Pid of the guard process while it runs. */
	get pid(): number | undefined {
		return this.#shell?.pid;
	}

	/** The child told the guard itself; remember it in case the guard must be started again. */
	add(group: number): void {
		this.#groups.add(group);
	}

	/** The group is gone. */
	remove(group: number): void {
		if (this.#groups.delete(group)) this.#shell?.stdin?.write(`- ${group}\n`);
	}

	/** End the guard. Groups that are still there are ended by it. */
	close(): void {
		this.#isClosed = true;
		this.#shell?.stdin?.destroy();
		this.#shell = undefined;
	}

	#start(): ChildProcess {
		const shell = spawn('/bin/sh', ['-c', guardScript], {
			cwd: '/',
			detached: true,
			env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
			stdio: ['pipe', 'ignore', 'ignore'],
		});
		const onDeath = (): void => {
			if (this.#shell !== shell) return;
			this.#shell = undefined;
			if (this.#groups.size > 0 && !this.#isClosed && this.#restarts++ < RESTARTS) this.#start();
		};
		shell.on('exit', onDeath);
		// Without a guard children still run and are still stopped by us; only a crash of ours is uncovered.
		shell.on('error', onDeath);
		shell.stdin.on('error', () => {}); // the exit tells it
		shell.unref();
		(shell.stdin as Socket).unref();
		for (const group of this.#groups) shell.stdin.write(`+ ${group}\n`);
		this.#shell = shell;
		return shell;
	}
}

let shared: Guard | undefined;

/** The one guard of this process, started with the first child. */
export function sharedGuard(): Guard {
	shared ??= new Guard();
	return shared;
}
