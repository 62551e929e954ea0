/* Runs a query in a thread that is ended at its deadline; few at a time. */
import { OrchestraError } from '../../../errors.ts';
import { BoundedThread } from '../../../process/bounded-thread.ts';
import { Semaphore } from '../../../rpc/semaphore.ts';
import { LOOK_MEMORY_MB, LOOK_MS, LOOKS_AT_ONCE, LOOKS_WAITING } from '../result-limits.ts';
import type { LookAnswer, LookRequest } from './look-request.ts';

/** The message to the thread. */
export interface LookJob {
	/** A text, or a file and where the text begins in it. */
	readonly source: { readonly text: string } | { readonly path: string; readonly from: number };
	readonly request: LookRequest;
	/** Most characters of the answer. */
	readonly limit: number;
}

export class LookThreads {
	readonly #places = new Semaphore({ limit: LOOKS_AT_ONCE, queueLimit: LOOKS_WAITING });
	readonly #deadlineMs: number;

	constructor(deadlineMs: number = LOOK_MS) {
		this.#deadlineMs = deadlineMs;
	}

	/** Rejects with `bad_input` for a query without an answer, `timeout` at the deadline, and the reason of the signal. */
	async run(job: LookJob, signal?: AbortSignal): Promise<LookAnswer> {
		signal?.throwIfAborted();
		return this.#places.run(undefined, { signal }, () => this.#answer(job, signal));
	}

	async #answer(job: LookJob, signal: AbortSignal | undefined): Promise<LookAnswer> {
		const thread = new BoundedThread({
			file: 'hub/results/look/look-thread.js',
			data: job,
			memoryMb: LOOK_MEMORY_MB,
			endedEarly: tooLarge,
		});
		try {
			// What `look-thread.ts` answers.
			return (await thread.next({ ms: this.#deadlineMs, late: tooSlow, signal })) as LookAnswer;
		} finally {
			await thread.close();
		}
	}
}

function tooSlow(ms: number): OrchestraError {
	return new OrchestraError('timeout', `the query took longer than ${ms} ms`, {
		hint: 'Ask for less: a literal pattern, a smaller range, a simpler expression.',
	});
}

/** The thread ended by itself: its memory is bounded. */
function tooLarge(cause?: unknown): OrchestraError {
	return new OrchestraError('bad_input', `the query needs more than ${LOOK_MEMORY_MB} MiB of memory`, {
		hint: 'Ask for less, or read the resource in parts.',
		cause,
	});
}
