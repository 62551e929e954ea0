/*
 * The guard: one small process that outlives us by a moment and ends every
 * process group we started, however we died, `kill -9` included.
 *
 * It is a shell script that reads lines from a pipe: `+ name`, `- name`. When we
 * die, the pipe ends, and it takes what is left through the stop ladder. A name is
 * a process group, or the mark of a child that is just being started: the mark is
 * announced first, the child carries it in its environment, and /proc shows it to
 * the guard. A forked child holds all our descriptors, this pipe among them, until
 * its program begins, so there is no moment in which a child exists that the guard
 * cannot find. Where there is no /proc, a child begins as a shell that writes its
 * own pid into the pipe and then becomes the program, which takes a millisecond
 * more. A shell and not Node, because it costs one megabyte and one millisecond
 * instead of forty of each.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** The variable in a child's environment by which the guard finds it. */
export const MARK_VARIABLE = 'ORCHESTRA_SPAWN';

const guardScript = `
trap '' INT TERM HUP QUIT PIPE
names=' '
while read -r action name; do
	case $names in
		*" $name "*) [ "$action" = - ] && names="\${names%% $name *} \${names#* $name }" ;;
		*) [ "$action" = + ] && names="$names$name " ;;
	esac
done
groups= marks=
for name in $names; do
	case $name in *.*) marks="$marks $name" ;; *) groups="$groups $name" ;; esac
done
find_marked() {
	for mark in $marks; do
		for file in $(grep -lsF "${MARK_VARIABLE}=$mark" /proc/[0-9]*/environ); do
			read -r stat 2>/dev/null <"\${file%environ}stat" || continue
			set -- \${stat##*) }
			groups="$groups $3"
		done
	done
}
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
# A leader may fork and end while we look; what it left behind is there when we look again.
find_marked
[ -n "$marks" ] && sleep 0.1
find_marked
wait_tenths 5
find_marked
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
wait_tenths 10
find_marked
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

/** How often a guard that was killed is started again before we give up on it. */
const RESTARTS = 10;

/** Tells our marks from those of an earlier process with our pid. */
const startedAt = Date.now();
/** Marks of this process so far, whichever guard they were announced to. */
let marks = 0;

export class Guard {
	#shell: ChildProcess | undefined;
	/** Groups that live and marks of children that are being started. */
	readonly #names = new Set<string>();
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
		const mark = `${process.pid}.${startedAt}.${++marks}.`;
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
		const shell = spawn('/bin/sh', ['-c', guardScript], {
			cwd: '/',
			detached: true,
			env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
			stdio: ['pipe', 'ignore', 'ignore'],
		});
		const onDeath = (): void => {
			if (this.#shell !== shell) return;
			this.#shell = undefined;
			if (this.#names.size > 0 && !this.#isClosed && this.#restarts++ < RESTARTS) this.#start();
		};
		shell.on('exit', onDeath);
		// Without a guard children still run and are still stopped by us; only a crash of ours is uncovered.
		shell.on('error', onDeath);
		shell.stdin.on('error', () => {}); // the exit tells it
		shell.unref();
		(shell.stdin as Socket).unref();
		for (const name of this.#names) shell.stdin.write(`+ ${name}\n`);
		this.#shell = shell;
		this.#startedAt = new Date();
		return shell;
	}
}

let shared: Guard | undefined;

/** The one guard of this process, started with the first child. */
export function sharedGuard(): Guard {
	shared ??= new Guard();
	return shared;
}
