/*
 * How many tools run at once, and how many calls wait.
 *
 * Each run is a process with three pipes, so a burst of calls without a bound ends in
 * hundreds of processes and no file descriptors left. Calls above the limit wait in
 * order; a canceled call leaves the queue; a call that waited as long as it may run
 * is given up. Above the queue's own limit a call is refused at once.
 */

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { OrchestraError } from '../errors.ts';
import { timerMs } from '../rpc/clock.ts';

/** How many calls wait for a free place before the next one is refused. */
export const WAITING_RUNS_LIMIT = 1000;

/** Most tools wait for a disk or a network most of the time. */
const RUNS_PER_CORE = 8;
const MOST_RUNS = 128;
/** Three pipes, the descriptors of a start, and some for what the hub does with them. */
const FILES_PER_RUN = 8;
/** What is left for everything but tools. */
const FILES_RESERVED = 128;
/** What we assume where the system does not say. */
const FILE_LIMIT = 1024;

/** How many tools run at once by default on this machine. */
export function defaultRunsAtOnce(
	cores: number = availableParallelism(),
	files: number = openFilesLimit(),
): number {
	const byFiles = Math.floor((files - FILES_RESERVED) / FILES_PER_RUN);
	return Math.max(1, Math.min(cores * RUNS_PER_CORE, byFiles, MOST_RUNS));
}

interface Waiting {
	readonly enter: () => void;
}

export class RunQueue {
	readonly #limit: number;
	readonly #waitingLimit: number;
	readonly #waiting = new Set<Waiting>();
	#running = 0;

	constructor(limit: number, waitingLimit: number = WAITING_RUNS_LIMIT) {
		this.#limit = limit;
		this.#waitingLimit = waitingLimit;
	}

	get waitingCount(): number {
		return this.#waiting.size;
	}

	/** Wait for a free place. Returns the function that frees it. Rejects with `canceled`, with `timeout` after `ms`, or with `tool_failed` when the queue is full. */
	async enter(signal: AbortSignal, ms: number): Promise<() => void> {
		signal.throwIfAborted();
		if (this.#running < this.#limit) this.#running++;
		else if (this.#waiting.size >= this.#waitingLimit) throw this.#full();
		else await this.#wait(signal, ms); // we take the released slot
		let isLeft = false;
		return () => {
			if (!isLeft) this.#leave();
			isLeft = true;
		};
	}

	#wait(signal: AbortSignal, ms: number): Promise<void> {
		return new Promise((resolve, reject) => {
			const stop = (): void => {
				clearTimeout(timer);
				signal.removeEventListener('abort', onAbort);
				this.#waiting.delete(waiting);
			};
			const give = (error: unknown): void => {
				stop();
				reject(error);
			};
			const waiting = {
				enter: () => {
					stop();
					resolve();
				},
			};
			const onAbort = (): void => give(signal.reason);
			const timer = setTimeout(() => give(this.#tooLate(ms)), timerMs(ms));
			signal.addEventListener('abort', onAbort, { once: true });
			this.#waiting.add(waiting);
		});
	}

	#leave(): void {
		const [next] = this.#waiting;
		if (next) next.enter();
		else this.#running--;
	}

	#full(): OrchestraError {
		const message = `not started: ${this.#limit} tools run and ${this.#waiting.size} calls wait`;
		return new OrchestraError('tool_failed', message, { hint: 'Call it again when some have ended.' });
	}

	#tooLate(ms: number): OrchestraError {
		const message = `not started: ${this.#limit} tools ran for all of the ${ms} ms that the call waited`;
		return new OrchestraError('timeout', message, {
			hint: 'Call fewer at once, or raise limits.toolsAtOnce.',
		});
	}
}

function openFilesLimit(): number {
	try {
		const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
		return Number(soft) || FILE_LIMIT;
	} catch {
		return FILE_LIMIT; // a system without /proc
	}
}
