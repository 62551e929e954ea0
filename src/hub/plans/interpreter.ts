/*
 * A program in its thread, seen from the hub: start it, give it answers one by one, end it by force.
 *
 * The thread gets no environment. It is watched while it computes: one that does not answer in time is terminated.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { isCode, messageOf, OrchestraError } from '../../errors.ts';
import { packageRoot } from '../../files/package-root.ts';
import { PLAN_COMPUTE_MS, PLAN_MEMORY_BYTES, PLAN_START_MS, PLAN_THREAD_MB } from './plan-limits.ts';
import { missingPackage, type Program } from './program.ts';

/** What the thread starts with. */
export interface ThreadJob {
	/** The compiled interpreter. */
	readonly wasm: object;
	readonly script: string;
	/** JSON. */
	readonly input: string;
	/** Milliseconds since 1970: the clock of the program until the first answer. */
	readonly startedAt: number;
	readonly seed: number;
}

/** The answer to a call. */
export interface ThreadMessage {
	readonly number: number;
	readonly isOk: boolean;
	/** JSON: of the value, or of the members of the error. */
	readonly text: string;
	/** When it came: the clock of the program from then on. */
	readonly at: number;
}

/** A call that the program makes. */
export interface ThreadCall {
	/** They count from 1, in the order in which the program makes them. */
	readonly number: number;
	/** Empty for `find` and `look`. */
	readonly server: string;
	readonly tool: string;
	/** The arguments. */
	readonly json: string;
	readonly stack: string;
}

/** How a program ended. */
export interface ThreadEnd {
	readonly isOk: boolean;
	/** JSON of the result, or the message of the error. */
	readonly text: string;
	readonly stack: string;
	/** The bound that ended it. */
	readonly bound?: 'steps' | undefined;
}

/** What a program did before it waited again. */
export interface ThreadTurn {
	readonly calls: readonly ThreadCall[];
	readonly log: readonly string[];
	/** Characters of the log so far that are not in it. */
	readonly leftOut: number;
	readonly end: ThreadEnd | undefined;
	/** All steps so far. */
	readonly steps: number;
}

export interface InterpreterOptions extends Pick<ThreadJob, 'input' | 'startedAt' | 'seed'> {
	readonly program: Program;
	/** Default `PLAN_COMPUTE_MS`. */
	readonly computeMs?: number | undefined;
}

export class Interpreter {
	readonly #worker: Worker;
	readonly #computeMs: number;
	/** Settles the turn that is awaited. */
	#waiting: { resolve: (turn: ThreadTurn) => void; reject: (error: OrchestraError) => void } | undefined;
	#failure: OrchestraError | undefined;

	/** Start a program. The caller closes the interpreter. */
	static async start(options: InterpreterOptions): Promise<{ interpreter: Interpreter; turn: ThreadTurn }> {
		const { program, input, startedAt, seed, computeMs = PLAN_COMPUTE_MS } = options;
		const job: ThreadJob = { wasm: await wasmModule(), script: program.script, input, startedAt, seed };
		const interpreter = new Interpreter(job, computeMs);
		try {
			return { interpreter, turn: await interpreter.#turn(PLAN_START_MS + computeMs) };
		} catch (error) {
			await interpreter.close();
			throw error;
		}
	}

	private constructor(job: ThreadJob, computeMs: number) {
		this.#computeMs = computeMs;
		this.#worker = new Worker(join(packageRoot(), 'dist/hub/plans/plan-thread.js'), {
			workerData: job,
			resourceLimits: { maxOldGenerationSizeMb: PLAN_THREAD_MB },
			// Nothing of the environment of the hub is needed there.
			env: {},
		});
		this.#worker.on('message', (turn: ThreadTurn) => this.#waiting?.resolve(turn));
		this.#worker.on('error', (error: unknown) => this.#fail(endedEarly(error)));
		this.#worker.on('exit', () => this.#fail(endedEarly()));
	}

	/** Give the program an answer. Resolves when it waits again. */
	answer(message: ThreadMessage): Promise<ThreadTurn> {
		const turn = this.#turn(this.#computeMs);
		// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
		this.#worker.postMessage(message);
		return turn;
	}

	/** End the thread, whatever it does. Idempotent. */
	async close(): Promise<void> {
		this.#fail(new OrchestraError('closed', 'the interpreter of the plan was closed'));
		await this.#worker.terminate();
	}

	async #turn(limitMs: number): Promise<ThreadTurn> {
		if (this.#failure) throw this.#failure;
		const late = setTimeout(() => {
			this.#fail(tooSlow(limitMs));
			void this.#worker.terminate();
		}, limitMs);
		try {
			return await new Promise((resolve, reject) => {
				this.#waiting = { resolve, reject };
			});
		} finally {
			clearTimeout(late);
			this.#waiting = undefined;
		}
	}

	#fail(error: OrchestraError): void {
		this.#failure ??= error;
		this.#waiting?.reject(this.#failure);
	}
}

interface Wasm {
	compile(bytes: Uint8Array): Promise<object>;
}

let compiled: Promise<object> | undefined;

/** Compiled once for all plans of this process. */
function wasmModule(): Promise<object> {
	compiled ??= compileWasm().catch((error: unknown) => {
		compiled = undefined;
		throw error;
	});
	return compiled;
}

async function compileWasm(): Promise<object> {
	let file: string;
	try {
		file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
	} catch (cause) {
		throw missingPackage(cause);
	}
	// The types of Node do not have it.
	const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: Wasm };
	return wasm.compile(await readFile(file));
}

function tooSlow(ms: number): OrchestraError {
	return new OrchestraError(
		'timeout',
		`the program computed for more than ${ms} ms without a call that it awaits`,
		{
			hint: 'Let tools do the heavy part, or split the plan.',
		},
	);
}

/** The thread ended by itself. */
function endedEarly(cause?: unknown): OrchestraError {
	if (cause !== undefined && !isCode(cause, 'ERR_WORKER_OUT_OF_MEMORY') && !(cause instanceof RangeError))
		return new OrchestraError('internal', `the interpreter of the plan failed: ${messageOf(cause)}`, {
			cause,
		});
	const text = `the interpreter ended; a program may use ${PLAN_MEMORY_BYTES / (1024 * 1024)} MiB of memory`;
	return new OrchestraError('bad_input', text, { hint: 'Work on less at a time.', cause });
}
