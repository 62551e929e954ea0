/* Runs a question in a thread that is ended at its deadline; few at a time. */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ErrorCode, OrchestraError } from '../../../errors.ts';
import { packageRoot } from '../../../files/package-root.ts';
import { onAbort } from '../../../rpc/abortable.ts';
import { Semaphore } from '../../../rpc/semaphore.ts';
import { isObject } from '../../../wire/json.ts';
import { LOOK_MEMORY_MB, LOOK_MS, LOOKS_AT_ONCE, LOOKS_WAITING } from '../result-limits.ts';
import { isLookAnswer, type LookAnswer, type LookRequest } from './look-request.ts';

/** What the thread gets. */
export interface LookJob {
	/** A text, or a file and where the text begins in it. */
	readonly source: { readonly text: string } | { readonly path: string; readonly from: number };
	readonly request: LookRequest;
	/** Most characters of the answer. */
	readonly limit: number;
}

export class LookThreads {
	readonly #places: Semaphore;
	readonly #deadlineMs: number;

	constructor(deadlineMs: number = LOOK_MS) {
		this.#deadlineMs = deadlineMs;
		this.#places = new Semaphore({ limit: LOOKS_AT_ONCE, queueLimit: LOOKS_WAITING });
	}

	/** Rejects with `bad_input` for a question without an answer, `timeout` at the deadline, and the reason of the signal. */
	async run(job: LookJob, signal?: AbortSignal): Promise<LookAnswer> {
		signal?.throwIfAborted();
		await this.#places.enter(undefined, () => ({ signal }));
		try {
			return await this.#answer(job, signal);
		} finally {
			this.#places.leave();
		}
	}

	async #answer(job: LookJob, signal: AbortSignal | undefined): Promise<LookAnswer> {
		const worker = new Worker(join(packageRoot(), 'dist/hub/results/look/look-thread.js'), {
			workerData: job,
			resourceLimits: { maxOldGenerationSizeMb: LOOK_MEMORY_MB },
			// Nothing of the environment of the hub is needed there.
			env: {},
		});
		try {
			return await this.#message(worker, signal);
		} finally {
			await worker.terminate();
		}
	}

	#message(worker: Worker, signal: AbortSignal | undefined): Promise<LookAnswer> {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => reject(tooSlow(this.#deadlineMs)), this.#deadlineMs);
			const stop = onAbort(signal, () => reject(signal?.reason));
			const end = (settle: () => void): void => {
				clearTimeout(timer);
				stop();
				settle();
			};
			worker.once('message', (message) => {
				end(() => (isLookAnswer(message) ? resolve(message) : reject(errorOf(message))));
			});
			worker.once('error', (error) => end(() => reject(tooLarge(error))));
			worker.once('exit', () => end(() => reject(tooLarge())));
		});
	}
}

function tooSlow(ms: number): OrchestraError {
	return new OrchestraError('timeout', `the question took longer than ${ms} ms`, {
		hint: 'Ask for less: a literal pattern, a smaller range, a simpler expression.',
	});
}

/** The thread ended by itself: its memory is bounded. */
function tooLarge(cause?: Error): OrchestraError {
	return new OrchestraError('bad_input', `the question needs more than ${LOOK_MEMORY_MB} MiB of memory`, {
		hint: 'Ask for less, or read the resource in parts.',
		cause,
	});
}

function errorOf(message: unknown): OrchestraError {
	const { code, message: text, hint } = isObject(message) ? message : {};
	return new OrchestraError((code ?? 'internal') as ErrorCode, String(text), {
		hint: typeof hint === 'string' ? hint : undefined,
	});
}
