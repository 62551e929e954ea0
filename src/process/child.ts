/*
 * The whole life of one child process.
 *
 * A child leads a process group of its own and is known to the guard before
 * its program starts. Its stderr is always read, so that it can never block on it,
 * and its last lines are kept. When the leader ends, for whatever reason, what is
 * left of its group is ended too, and the descendants that left the group. Nothing is
 * ever restarted here.
 */

import type { Readable, Writable } from 'node:stream';
import { messageOf, OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { within } from '../rpc/clock.ts';
import { LineSplitter } from '../wire/lines.ts';
import { STRAY_LINE_CHARACTERS } from '../wire/wire-limits.ts';
import { type Diagnosis, explainExit } from './diagnosis.ts';
import { directSpawner } from './direct-spawner.ts';
import { childEnvironment } from './environment.ts';
import { findCommand, spawnError } from './find-command.ts';
import { type Guard, sharedGuard } from './guard.ts';
import { LineRing } from './line-ring.ts';
import { Family } from './process-family.ts';
import { commandLine, type SpawnRecord } from './spawn-record.ts';
import type { ExitStatus, SpawnedProcess, Spawner } from './spawner.ts';
import { endFamily, STOP_EOF_MS, STOP_KILL_MS } from './stop.ts';

/** What becomes of a child's stderr, beside the ring that is always kept. */
export type StderrPolicy = 'inherit' | 'log' | 'discard' | ((chunk: Buffer) => void);

export interface ChildOptions {
	/** Default `discard`: only the last lines are kept. */
	stderr?: StderrPolicy | undefined;
	/** The environment the minimal base is taken from. Default: ours. */
	parentEnvironment?: Readonly<NodeJS.ProcessEnv> | undefined;
	/** Ends the child when we die. Default: the shared guard of this process. */
	guard?: Guard | undefined;
	/** Who starts the process. Default: we ourselves; a large process has a `HelperSpawner`. */
	spawner?: Spawner | undefined;
	log?: Log | undefined;
}

export type { ExitStatus } from './spawner.ts';

const isWindows = process.platform === 'win32';

/** How long the pipe of an ended child may stay silent before it is taken to be held open by a stranger. */
const PIPE_LINGER_MS = 500;

/** More than a pipe can hold: what comes beyond it was written after the child had ended. */
const PIPE_HOLDS_BYTES = 4 * 1024 * 1024;

/** How often such a pipe may be found empty, although something came since the last look. */
const EMPTY_LOOKS = 6;

/** How long an ended child's stderr may take to be read to its end. */
const STDERR_LINGER_MS = 200;

/** Longest line of stderr that reaches the log whole. */
const STDERR_LINE_BYTES = 64 * 1024;

export class Child {
	readonly record: SpawnRecord;
	readonly pid: number;
	/** Resolves when the leader has been reaped. Never rejects. */
	readonly exited: Promise<ExitStatus>;
	/** Resolves when the leader and the rest of its group are gone. Never rejects. */
	readonly gone: Promise<ExitStatus>;
	readonly #process: SpawnedProcess;
	readonly #startedAt: number;
	readonly #family: Family;
	readonly #stderrRing = new LineRing();
	readonly #strayRing = new LineRing();
	readonly #log: Log;
	#strayCount = 0;
	#exit: ExitStatus | undefined;
	#endedAt: number | undefined;
	#stopping: Promise<ExitStatus> | undefined;
	#ending: Promise<void> | undefined;

	/** Start a program. Throws `spawn` when it cannot be started. */
	static async start(record: SpawnRecord, options: ChildOptions = {}): Promise<Child> {
		const cwd = record.cwd ?? process.cwd();
		const environment = childEnvironment(options.parentEnvironment ?? process.env, record.env);
		const file = findCommand(record.command, cwd, environment);
		const guard = options.guard ?? sharedGuard();
		const startedAt = performance.now();
		try {
			const spawner = options.spawner ?? directSpawner;
			const child = await spawner.spawn({ file, args: record.args ?? [], cwd, env: environment, guard });
			return new Child({ record, child, guard, startedAt }, options);
		} catch (error) {
			if (OrchestraError.is(error)) throw error;
			const hint = 'Run the command by hand to see what is wrong with it.';
			throw spawnError(`${commandLine(record)}: ${messageOf(error)}`, hint, { command: record.command });
		}
	}

	private constructor({ record, child, guard, startedAt }: Start, options: ChildOptions) {
		this.record = record;
		this.#startedAt = startedAt;
		this.#family = new Family({ pid: child.pid, startedAt }, child.mark);
		this.#process = child;
		this.#log = options.log ?? Log.silent;
		this.pid = child.pid;
		this.#readStderr(options.stderr ?? 'discard');
		// A child that closes its stdin early breaks our pipe; writers are told by their own callbacks.
		child.stdin.on('error', () => {});
		this.exited = child.exited.then((status) => this.#noteExit(status));
		this.gone = this.exited.then((status) => this.#endRest(status, guard));
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

	/** A line on stdout was no message: keep it for the diagnosis. */
	noteStray(line: string): void {
		this.#strayCount++;
		this.#strayRing.add(line);
		this.#log.debug(`stray line from ${this.record.command}: ${line.slice(0, STRAY_LINE_CHARACTERS)}`);
	}

	/**
	 * Close stdin, wait, SIGTERM to the group, wait, SIGKILL to the group, reap. Idempotent.
	 * `eofMs` is the first wait: 0 for a child whose stdin was closed long ago.
	 */
	stop(eofMs: number = STOP_EOF_MS): Promise<ExitStatus> {
		this.#stopping ??= this.#climbDown(eofMs);
		return this.#stopping;
	}

	/** Skip the ladder: SIGKILL to the whole group now. */
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
		};
	}

	/** The last lines of stderr, once it was read to its end or a stranger seems to hold it open. */
	async lastWords(): Promise<readonly string[]> {
		const { stderr } = this.#process;
		if (!stderr.closed) {
			const closed = new Promise((resolve) => stderr.once('close', resolve));
			await within(closed, STDERR_LINGER_MS);
		}
		return this.#stderrRing.lines;
	}

	/** The error that whoever waits for this child gets: how it ended, and its last words. */
	exitError(): OrchestraError {
		const diagnosis = this.diagnose();
		return new OrchestraError('closed', 'process exited unexpectedly', {
			hint: explainExit(diagnosis),
			data: { ...diagnosis },
		});
	}

	#noteExit(status: ExitStatus): ExitStatus {
		this.#exit = status;
		this.#endedAt = performance.now();
		return status;
	}

	async #endRest(status: ExitStatus, guard: Guard): Promise<ExitStatus> {
		if (!isWindows) {
			await this.#endFamily();
			guard.remove(this.pid);
		}
		this.#releaseOutput();
		return status;
	}

	/** A stranger may hold our pipes open for ever; they are closed when it is silent, or says too much. */
	#releaseOutput(): void {
		for (const stream of [this.#process.stdout, this.#process.stderr]) releaseWhenSilent(stream);
	}

	async #climbDown(eofMs: number): Promise<ExitStatus> {
		this.#process.stdin.end();
		if (eofMs > 0 && (await this.#exitsWithin(eofMs))) return this.gone;
		if (isWindows) this.#process.kill();
		else await this.#endFamily();
		// Only a process stuck in the kernel outlives SIGKILL; we do not wait for it.
		return (await this.#exitsWithin(STOP_KILL_MS)) ? this.gone : { code: null, signal: 'SIGKILL' };
	}

	/** The exit of the leader and `stop` share one ladder, so that the others get each signal once. */
	#endFamily(): Promise<void> {
		this.#ending ??= endFamily(this.#family);
		return this.#ending;
	}

	async #exitsWithin(ms: number): Promise<boolean> {
		return (
			(await within(
				this.exited.then(() => true),
				ms,
			)) === true
		);
	}

	#signal(signal: NodeJS.Signals): void {
		if (isWindows) this.#process.kill(signal);
		else this.#family.signal(signal);
	}

	#readStderr(policy: StderrPolicy): void {
		const { stderr } = this.#process;
		const log = this.#log.named(this.record.command);
		const lines = new LineSplitter(STDERR_LINE_BYTES);
		stderr.on('error', () => {}); // the end of the child is told by `exited`
		stderr.on('data', (chunk: Buffer) => {
			this.#stderrRing.push(chunk);
			if (typeof policy === 'function') policy(chunk);
			else if (policy === 'inherit') this.#forward(chunk);
			else if (policy === 'log')
				for (const line of lines.push(chunk)) log.info(typeof line === 'string' ? line : line.head);
		});
	}

	#forward(chunk: Buffer): void {
		if (process.stderr.write(chunk)) return;
		this.#process.stderr.pause();
		process.stderr.once('drain', () => this.#process.stderr.resume());
	}
}

interface Start {
	readonly record: SpawnRecord;
	readonly child: SpawnedProcess;
	readonly guard: Guard;
	readonly startedAt: number;
}

/** Close the pipe of a family that is gone, once all that it wrote was read. */
function releaseWhenSilent(pipe: Readable): void {
	// A child's pipe is a socket; only the declared type hides it.
	const stream = pipe as Readable & { bytesRead: number };
	const bytesAtEnd = stream.bytesRead;
	let bytesSeen = -1;
	let emptyLooks = 0;
	const timer = setInterval(() => {
		const { bytesRead } = stream;
		const isEmpty = stream.readableLength === 0;
		if (isEmpty) emptyLooks++;
		const isSilent = isEmpty && bytesRead === bytesSeen;
		const isTooMuch = bytesRead - bytesAtEnd > PIPE_HOLDS_BYTES || emptyLooks > EMPTY_LOOKS;
		if (isSilent || isTooMuch) stream.destroy();
		bytesSeen = bytesRead;
	}, PIPE_LINGER_MS).unref();
	stream.once('close', () => clearInterval(timer));
	if (stream.closed) clearInterval(timer);
}
