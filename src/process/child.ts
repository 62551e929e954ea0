/*
 * The life cycle of one child process.
 *
 * A child leads its own process group and is registered with the guard before its
 * program starts. Its stderr is always read, so that it never blocks on it, and the
 * last lines are retained. When the leader exits, for any reason, the rest of its
 * process tree is stopped too, including descendants that left the group. Nothing is
 * restarted here.
 */
import type { Readable, Writable } from 'node:stream';
import { messageOf, OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { within } from '../rpc/clock.ts';
import { LineSplitter } from '../wire/lines.ts';
import { quoteLine } from '../wire/quote-line.ts';
import { closeWhenIdle } from './close-when-idle.ts';
import { type Diagnosis, explainExit } from './diagnosis.ts';
import { childEnvironment } from './environment.ts';
import { findCommand, spawnError } from './find-command.ts';
import { type Guard, sharedGuard } from './guard/guard.ts';
import { ProcessTree } from './guard/process-tree.ts';
import { LineRing } from './line-ring.ts';
import { STDERR_LINE_BYTES, STDERR_LINGER_MS, STOP_EOF_MS, STOP_KILL_MS } from './process-limits.ts';
import { limited, reachedLimit } from './sandbox/child-limits.ts';
import { type ControlGroup, openControlGroup } from './sandbox/control-group.ts';
import { type FoundProgram, sandboxed } from './sandbox/sandbox.ts';
import { directSpawner } from './spawn/direct-spawner.ts';
import type { ExitStatus, SpawnedProcess, Spawner } from './spawn/spawner.ts';
import { commandLine, type SpawnRecord } from './spawn-record.ts';

/** Where a child's stderr goes, in addition to the ring buffer of its last lines. */
export type StderrPolicy = 'inherit' | 'log' | 'discard' | Writable | ((chunk: Buffer) => void);

/** How a child process is started. */
export interface ChildOptions {
	/** Default `discard`: only the last lines are retained. `Client.open` and `connect` show it by default. */
	stderr?: StderrPolicy | undefined;
	/** Called after the last chunk of stderr. */
	onStderrEnd?: (() => void) | undefined;
	/** Receives lines of stdout that are no messages. */
	onStray?: ((line: string) => void) | undefined;
	/** The environment that the minimal environment is taken from. Default: ours. */
	parentEnvironment?: Readonly<NodeJS.ProcessEnv> | undefined;
	/** Stops the child when this process dies. Default: the shared guard of this process. */
	guard?: Guard | undefined;
	/** Starts the process. Default: this process forks; a large process uses a `HelperSpawner`. */
	spawner?: Spawner | undefined;
	log?: Log | undefined;
}

export type { ExitStatus } from './spawn/spawner.ts';

const isWindows = process.platform === 'win32';

/** A running child process and its process tree. */
export class Child {
	readonly record: SpawnRecord;
	readonly pid: number;
	/** Resolves when the leader has been reaped. Never rejects. */
	readonly exited: Promise<ExitStatus>;
	/** Resolves when the leader and its process tree are gone. Never rejects. */
	readonly gone: Promise<ExitStatus>;
	readonly #process: SpawnedProcess;
	readonly #startedAt: number;
	readonly #tree: ProcessTree;
	readonly #group: ControlGroup | undefined;
	readonly #stderrRing = new LineRing();
	readonly #strayRing = new LineRing();
	readonly #log: Log;
	readonly #onStray: ((line: string) => void) | undefined;
	#strayCount = 0;
	#exit: ExitStatus | undefined;
	/** The limit that the kernel counted. */
	#limit: string | undefined;
	#endedAt: number | undefined;
	#stopping: Promise<ExitStatus> | undefined;
	#treeStopped: Promise<void> | undefined;

	/** Start a program. Throws `spawn` when it cannot be started. */
	static async start(record: SpawnRecord, options: ChildOptions = {}): Promise<Child> {
		const cwd = record.cwd ?? process.cwd();
		const parentEnvironment = options.parentEnvironment ?? process.env;
		const environment = childEnvironment(parentEnvironment, record.env);
		const file = findCommand(record.command, cwd, environment);
		const found = { file, args: record.args ?? [], cwd, env: environment };
		const group = record.limits && openControlGroup(record.limits);
		const guard = options.guard ?? sharedGuard();
		const startedAt = performance.now();
		try {
			const program = confined(found, record, parentEnvironment, group);
			for (const warning of program.warnings ?? []) options.log?.warn(warning);
			const spawner = options.spawner ?? directSpawner;
			const child = await spawner.spawn({ ...program, guard });
			return new Child({ record, child, guard, startedAt, group }, options);
		} catch (error) {
			void group?.close();
			if (OrchestraError.is(error)) throw error;
			const hint = 'Run the command by hand to see what is wrong with it.';
			throw spawnError(`${commandLine(record)}: ${messageOf(error)}`, hint, { command: record.command });
		}
	}

	private constructor({ record, child, guard, startedAt, group }: Start, options: ChildOptions) {
		this.record = record;
		this.#group = group;
		this.#startedAt = startedAt;
		this.#tree = new ProcessTree({ pid: child.pid, startedAt }, child.mark);
		this.#process = child;
		this.#log = options.log ?? Log.silent;
		this.#onStray = options.onStray;
		this.pid = child.pid;
		this.#readStderr(options.stderr ?? 'discard', options.onStderrEnd);
		// A child that closes its stdin early breaks our pipe; writers get the error in their callbacks.
		child.stdin.on('error', () => {});
		this.exited = child.exited.then((status) => this.#recordExit(status));
		this.gone = this.exited.then((status) => this.#stopDescendants(status, guard));
	}

	get stdin(): Writable {
		return this.#process.stdin;
	}

	get stdout(): Readable {
		return this.#process.stdout;
	}

	get isRunning(): boolean {
		return this.#exit === undefined && !this.isShutdown;
	}

	/** True once `stop` was called. */
	get isShutdown(): boolean {
		return this.#stopping !== undefined;
	}

	/** Keep a stdout line that is not a message, for the diagnosis. */
	logStray(line: string): void {
		this.#strayCount++;
		this.#strayRing.add(line);
		this.#onStray?.(line);
		this.#log.debug(`stray line from ${this.record.command}: ${quoteLine(line)}`);
	}

	/**
	 * The stop ladder: close stdin, wait, SIGTERM to the tree, wait, SIGKILL to the tree, reap. Idempotent.
	 * `eofMs` is the first wait: 0 for a child whose stdin was closed before.
	 */
	stop(eofMs: number = STOP_EOF_MS): Promise<ExitStatus> {
		this.#stopping ??= this.#runStopLadder(eofMs);
		return this.#stopping;
	}

	/** Skip the ladder: SIGKILL to the process tree now. */
	kill(): Promise<ExitStatus> {
		this.#signal('SIGKILL');
		return this.stop();
	}

	diagnose(): Diagnosis {
		return {
			command: commandLine(this.record),
			pid: this.pid,
			exitCode: this.#exit?.code ?? null,
			signal: this.#exit?.signal ?? null,
			elapsedMs: Math.round((this.#endedAt ?? performance.now()) - this.#startedAt),
			stderr: this.#stderrRing.lines,
			strayLines: this.#strayRing.lines,
			strayCount: this.#strayCount,
			limit: this.#exit && (this.#limit ?? reachedLimit(this.record.limits, this.#stderrRing.lines)),
		};
	}

	/** The last lines of stderr, after its end or a short wait: another process may hold it open. */
	async lastStderrLines(): Promise<readonly string[]> {
		const { stderr } = this.#process;
		if (!stderr.closed) {
			const closed = new Promise((resolve) => stderr.once('close', resolve));
			await within(closed, STDERR_LINGER_MS);
		}
		return this.#stderrRing.lines;
	}

	/** The error for pending calls to this child: how it exited, and its last stderr lines. */
	exitError(): OrchestraError {
		const diagnosis = this.diagnose();
		// It may have closed its stdout and run on.
		const message = this.isRunning ? 'stdout not available' : 'process exited unexpectedly';
		return new OrchestraError('closed', message, {
			hint: explainExit(diagnosis),
			data: { ...diagnosis },
		});
	}

	#recordExit(status: ExitStatus): ExitStatus {
		this.#exit = status;
		this.#limit = this.#group?.reachedLimit();
		this.#endedAt = performance.now();
		return status;
	}

	async #stopDescendants(status: ExitStatus, guard: Guard): Promise<ExitStatus> {
		if (!isWindows) {
			// A ladder that runs already is awaited.
			if (this.#treeStopped || (await this.#tree.hasLeftovers())) await this.#stopTree();
			guard.remove(this.pid);
		}
		// Another process may hold our pipes open; close them when they are idle or carry too much data.
		for (const stream of [this.#process.stdout, this.#process.stderr]) closeWhenIdle(stream);
		await this.#group?.close();
		return status;
	}

	async #runStopLadder(eofMs: number): Promise<ExitStatus> {
		this.#process.stdin.end();
		if (eofMs > 0 && (await this.#exitsWithin(eofMs))) return this.gone;
		if (isWindows) this.#process.kill();
		else await this.#stopTree();
		// Only a process stuck in the kernel survives SIGKILL; do not wait for it.
		return (await this.#exitsWithin(STOP_KILL_MS)) ? this.gone : { code: null, signal: 'SIGKILL' };
	}

	/** Single-flight: the exit of the leader and `stop` share one ladder, so that each process gets a signal once. */
	#stopTree(): Promise<void> {
		this.#treeStopped ??= this.#tree.stop();
		return this.#treeStopped;
	}

	async #exitsWithin(ms: number): Promise<boolean> {
		const exited = this.exited.then(() => true);
		return (await within(exited, ms)) === true;
	}

	#signal(signal: NodeJS.Signals): void {
		if (isWindows) this.#process.kill(signal);
		// The group has got it. A search that fails, for want of a file descriptor, must not end this process.
		else this.#tree.signal(signal).catch((error: unknown) => this.#log.debug(messageOf(error)));
	}

	#readStderr(policy: StderrPolicy, onEnd?: () => void): void {
		const { stderr } = this.#process;
		const log = this.#log.named(this.record.command);
		const lines = new LineSplitter(STDERR_LINE_BYTES);
		stderr.on('error', () => {}); // `exited` reports the end of the child
		stderr.once('close', () => {
			for (const line of lines.end()) log.info(line);
			onEnd?.();
		});
		stderr.on('data', (chunk: Buffer) => {
			this.#stderrRing.push(chunk);
			if (typeof policy === 'function') policy(chunk);
			else if (policy === 'log')
				for (const line of lines.push(chunk)) log.info(typeof line === 'string' ? line : line.head);
			else if (policy !== 'discard') this.#forward(chunk, policy === 'inherit' ? process.stderr : policy);
		});
	}

	#forward(chunk: Buffer, target: Writable): void {
		if (target.write(chunk)) return;
		this.#process.stderr.pause();
		target.once('drain', () => this.#process.stderr.resume());
	}
}

/** The program inside its sandbox and limits; unchanged when the record has neither. */
function confined(
	program: FoundProgram,
	{ sandbox, limits }: SpawnRecord,
	environment: Readonly<NodeJS.ProcessEnv>,
	group: ControlGroup | undefined,
): FoundProgram {
	const inside = sandbox ? sandboxed(program, sandbox, { environment }) : program;
	if (limits === undefined) return inside;
	if (group === undefined) return limited(inside, limits, environment);
	// The group has the other two, for the whole process tree.
	return group.entered(limited(inside, { openFiles: limits.openFiles }, environment));
}

interface Start {
	readonly record: SpawnRecord;
	readonly child: SpawnedProcess;
	readonly guard: Guard;
	readonly startedAt: number;
	readonly group: ControlGroup | undefined;
}
