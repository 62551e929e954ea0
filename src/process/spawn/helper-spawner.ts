/*
 * Start processes through a small helper process.
 *
 * `fork` copies the page tables of the parent: 35 ms for a parent of 1 GB, with the
 * event loop blocked. So a long-lived parent starts one small Node process early,
 * which forks for it. The pipes of the new process are passed back as descriptors, so
 * no data goes through the helper. If the helper dies, its processes are killed, since
 * their exit status is lost, and the next ones are started directly until a new helper
 * runs. A start that was announced may have happened: it is never repeated, its
 * outcome is unknown.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { OrchestraError } from '../../errors.ts';
import { deferred } from '../../rpc/deferred.ts';
import { signalGroup, signalProcess } from '../group.ts';
import { type Guard, sharedGuard } from '../guard/guard.ts';
import { guardCommand } from '../guard/guard-command.ts';
import { findMarked } from '../guard/process-marks.ts';
import { HELPER_RESTART_LIMIT } from '../process-limits.ts';
import { directSpawner } from './direct-spawner.ts';
import { type HelperReply, type HelperRequest, helperSource } from './helper-program.ts';
import type { ExitStatus, SpawnedProcess, Spawner, SpawnRequest } from './spawner.ts';

const PIPE_COUNT = 3;

interface PendingSpawn {
	readonly mark: string | undefined;
	readonly pipes: Socket[];
	readonly resolve: (process: SpawnedProcess | undefined) => void;
	readonly fail: (error: Error) => void;
	readonly exited: Promise<ExitStatus>;
	readonly exit: (status: ExitStatus) => void;
	pid: number;
	/** The helper announced the fork: the program may have run. */
	isForking: boolean;
}

/** Starts processes through a helper process. */
export class HelperSpawner implements Spawner {
	readonly #guard: Guard;
	readonly #pending = new Map<number, PendingSpawn>();
	#helper: ChildProcess | undefined;
	#guardPid: number | undefined;
	#starts = 0;
	#nextId = 1;
	#isClosed = false;

	/** Start the helper now, while this process is small. The caller closes it. */
	constructor(guard: Guard = sharedGuard()) {
		this.#guard = guard;
		this.#start();
	}

	/** Pid of the helper while it runs. */
	get pid(): number | undefined {
		return this.#helper?.pid;
	}

	async spawn(request: SpawnRequest): Promise<SpawnedProcess> {
		const helper = this.#usableHelper(request.guard);
		const spawned = helper && (await this.#request(helper, request));
		return spawned ?? directSpawner.spawn(request);
	}

	/** Stop the helper. This kills the processes it started, so stop those first. */
	close(): void {
		this.#isClosed = true;
		this.#helper?.disconnect();
	}

	/** A helper that has the pipe of the current guard; undefined when this process must fork itself. */
	#usableHelper(guard: Guard): ChildProcess | undefined {
		if (this.#isClosed || guard !== this.#guard) return undefined;
		const isCurrent = guard.pid !== undefined && guard.pid === this.#guardPid;
		if (this.#helper?.connected && isCurrent) return this.#helper;
		// This start is direct: the new helper needs a moment.
		if (this.#pending.size === 0) this.#helper?.disconnect();
		if (!this.#helper?.connected && this.#starts <= HELPER_RESTART_LIMIT) this.#start();
		return undefined;
	}

	#start(): void {
		if (process.platform === 'win32') return;
		this.#starts++;
		const guardPipe = this.#guard.pipe;
		this.#guardPid = this.#guard.pid;
		const helper = spawn(process.execPath, ['--eval', helperSource()], {
			cwd: '/',
			detached: true,
			env: {},
			stdio: ['pipe', 'ignore', 'ignore', 'ipc', guardPipe],
		});
		this.#helper = helper;
		helper.on('message', (reply: HelperReply, handle: unknown) => this.#onReply(reply, handle));
		helper.once('error', () => this.#onEnd(helper));
		helper.once('disconnect', () => this.#onEnd(helper));
		// A child process with a piped stdin always has a socket there.
		const stdin = helper.stdin as Socket;
		stdin.on('error', () => {}); // the channel reports the end of the helper
		stdin.unref();
		helper.unref();
		helper.channel?.unref();
	}

	#request(helper: ChildProcess, request: SpawnRequest): Promise<SpawnedProcess | undefined> {
		const id = this.#nextId++;
		const { mark, ...start } = guardCommand(request);
		const message: HelperRequest = { id, cwd: request.cwd, ...start };
		return new Promise((resolve, fail) => {
			const { promise: exited, resolve: exit } = deferred<ExitStatus>();
			this.#pending.set(id, { mark, pipes: [], resolve, fail, exited, exit, pid: 0, isForking: false });
			helper.channel?.ref();
			helper.send(message, (error) => {
				if (error) this.#settle(id, (pending) => pending.resolve(undefined));
			});
		});
	}

	#onReply(reply: HelperReply, handle: unknown): void {
		const { id } = reply;
		const pending = this.#pending.get(id);
		if (reply.kind === 'forking') {
			if (pending) pending.isForking = true;
		} else if (reply.kind === 'error') this.#settle(id, (pending) => this.#failSpawn(pending, reply.message));
		else if (reply.kind === 'pipe') this.#addPipe(reply, handle);
		else this.#settle(id, ({ exit }) => exit({ code: reply.code, signal: reply.signal }));
	}

	#addPipe({ id, index, pid }: HelperReply & { kind: 'pipe' }, handle: unknown): void {
		const pending = this.#pending.get(id);
		if (pending === undefined) return;
		// Node creates the pipes of its own children in this way; its types lack `handle`.
		const options = { handle, readable: index > 0, writable: index === 0 } as object;
		pending.pipes.push(new Socket(options));
		pending.pid = pid;
		if (pending.pipes.length < PIPE_COUNT) return;
		this.#guard.add(pid, pending.mark);
		pending.resolve(spawnedProcess(pending));
	}

	#failSpawn({ mark, fail }: PendingSpawn, message: string): void {
		if (mark !== undefined) this.#guard.remove(mark);
		fail(new Error(message));
	}

	/** Remove `id` and settle it. */
	#settle(id: number, settle: (pending: PendingSpawn) => void): void {
		const pending = this.#pending.get(id);
		if (pending === undefined) return;
		this.#pending.delete(id);
		settle(pending);
		if (this.#pending.size === 0) this.#helper?.channel?.unref();
	}

	#onEnd(helper: ChildProcess): void {
		if (this.#helper !== helper) return;
		this.#helper = undefined;
		for (const id of this.#pending.keys()) this.#settle(id, failPending);
	}
}

function spawnedProcess({ pipes, pid, mark, exited }: PendingSpawn): SpawnedProcess {
	// The helper sends exactly these three, in this order.
	const [stdin, stdout, stderr] = pipes as [Socket, Socket, Socket];
	return { pid, mark, stdin, stdout, stderr, exited, kill: (signal) => void process.kill(pid, signal) };
}

/**
 * The helper died: kill what it started; starts that it had not announced are done directly. The guard keeps the
 * mark of a start that may have happened.
 */
function failPending({ pid, mark, pipes, isForking, resolve, fail, exit }: PendingSpawn): void {
	if (pid !== 0) signalGroup(pid, 'SIGKILL');
	exit({ code: null, signal: 'SIGKILL' });
	if (pipes.length === PIPE_COUNT) return;
	for (const pipe of pipes) pipe.destroy();
	if (!isForking) return resolve(undefined);
	if (mark !== undefined) for (const stray of findMarked(mark)) signalProcess(stray, 'SIGKILL');
	fail(outcomeUnknown());
}

function outcomeUnknown(): OrchestraError {
	const death = 'the spawn helper died while it started the program';
	return new OrchestraError('closed', `outcome unknown: ${death}`, {
		hint: 'The program may have run for a moment. Check its effects before you call it again.',
		data: { reasonText: death },
	});
}
