/*
 * A worker thread that answers one message after the other, within bounds: of memory, of time for each answer, and of what
 * it gets to see. It has no environment. One that is late is ended by force, whatever it does.
 */
import { join } from 'node:path';
import { parentPort, Worker } from 'node:worker_threads';
import { OrchestraError } from '../errors.ts';
import { packageRoot } from '../files/package-root.ts';
import { onAbort } from '../rpc/abortable.ts';
import { type Deferred, deferred } from '../rpc/deferred.ts';

export interface ThreadOptions {
	/** Below `dist/`. */
	readonly file: string;
	/** What it starts with, as `workerData`. */
	readonly data: unknown;
	/** Most memory of its own, in MiB. */
	readonly memoryMb: number;
	/** The error when it ended by itself: its memory is bounded. */
	readonly endedEarly: (cause?: unknown) => OrchestraError;
}

export interface ThreadWait {
	readonly ms: number;
	/** The error when it takes longer. */
	readonly late: (ms: number) => OrchestraError;
	readonly signal?: AbortSignal | undefined;
}

/** The message of a thread: an answer, or the members of an error. */
type Reply =
	| { readonly answer: unknown }
	| { readonly error: Pick<OrchestraError, 'code' | 'message' | 'hint' | 'data'> };

export class BoundedThread {
	readonly #worker: Worker;
	/** The answer that is waited for. */
	#waiting: Deferred<unknown> | undefined;
	#failure: unknown;

	constructor({ file, data, memoryMb, endedEarly }: ThreadOptions) {
		this.#worker = new Worker(join(packageRoot(), 'dist', file), {
			workerData: data,
			resourceLimits: { maxOldGenerationSizeMb: memoryMb },
			// Nothing of the environment of the hub is needed there.
			env: {},
		});
		this.#worker.on('message', (reply: Reply) => {
			if ('answer' in reply) this.#waiting?.resolve(reply.answer);
			else this.#waiting?.reject(new OrchestraError(reply.error.code, reply.error.message, reply.error));
		});
		this.#worker.on('error', (error: unknown) => this.#fail(endedEarly(error)));
		this.#worker.on('exit', () => this.#fail(endedEarly()));
	}

	/** Send a message, and wait for the answer. */
	ask(message: unknown, wait: ThreadWait): Promise<unknown> {
		const answer = this.next(wait);
		// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
		this.#worker.postMessage(message);
		return answer;
	}

	/** Its next answer. Rejects with the error that it sent, at the deadline, and with the reason of the signal. */
	async next({ ms, late, signal }: ThreadWait): Promise<unknown> {
		if (this.#failure !== undefined) throw this.#failure;
		const waiting = deferred<unknown>();
		this.#waiting = waiting;
		const timer = setTimeout(() => this.#end(late(ms)), ms);
		const stop = onAbort(signal, () => this.#end(signal?.reason));
		try {
			return await waiting.promise;
		} finally {
			stop();
			clearTimeout(timer);
			this.#waiting = undefined;
		}
	}

	get hasEnded(): boolean {
		return this.#failure !== undefined;
	}

	/** Whether this process waits for it at its end. Default true. */
	set isNeeded(isNeeded: boolean) {
		if (isNeeded) this.#worker.ref();
		else this.#worker.unref();
	}

	/** End it, whatever it does. Idempotent. */
	async close(): Promise<void> {
		this.#fail(new OrchestraError('closed', 'the thread was closed'));
		await this.#worker.terminate();
	}

	#end(reason: unknown): void {
		this.#fail(reason);
		void this.#worker.terminate();
	}

	#fail(reason: unknown): void {
		this.#failure ??= reason;
		this.#waiting?.reject(this.#failure);
	}
}

/** Called in the thread: answer with what `work` gives, or with its error. */
export async function answerWith(work: () => unknown): Promise<void> {
	// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
	parentPort?.postMessage(await replyOf(work));
}

async function replyOf(work: () => unknown): Promise<Reply> {
	try {
		return { answer: await work() };
	} catch (thrown) {
		// Nested too deeply, or written too long.
		const { code, message, hint, data } = OrchestraError.from(
			thrown,
			thrown instanceof RangeError ? 'bad_input' : 'internal',
		);
		return { error: { code, message, hint, data } };
	}
}
