/*
 * A program in its thread, seen from the hub: open it and see which tools it names, begin it, give it answers one by one,
 * end it by force. The thread is watched while it works: one that does not answer in time is ended.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isCode, messageOf, OrchestraError } from '../../errors.ts';
import { sha256 } from '../../files/sha256.ts';
import { BoundedThread } from '../../process/bounded-thread.ts';
import type { ProgramNames } from './look-ahead.ts';
import {
	PLAN_CODE_CHARACTERS,
	PLAN_COMPUTE_MS,
	PLAN_MEMORY_BYTES,
	PLAN_SPARE_MS,
	PLAN_START_MS,
	PLAN_THREAD_MB,
} from './plan-limits.ts';
import { missingPackage } from './program.ts';

/** Compile a program. The answer are its `ProgramNames`; those to the other messages are a `ThreadTurn`. */
export interface ThreadProgram {
	readonly code: string;
}

/** Begin the program. */
export interface ThreadBegin {
	/** JSON. */
	readonly input: string;
	/** Milliseconds since 1970: the clock of the program until the first answer. */
	readonly startedAt: number;
	/** The seed of its random numbers. */
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
	/** Where in the program, `line 2, column 7`. */
	readonly place: string | undefined;
}

/** How a program ended. */
export interface ThreadEnd {
	readonly isOk: boolean;
	/** JSON of the result, or the message of the error with its place. */
	readonly text: string;
	/** Whether a bound ended it. */
	readonly isBound?: boolean | undefined;
}

/** The steps of a program between two waits. */
export interface ThreadTurn {
	readonly calls: readonly ThreadCall[];
	readonly log: readonly string[];
	/** Characters of the log so far that are not in it. */
	readonly leftOut: number;
	readonly end: ThreadEnd | undefined;
}

export interface InterpreterOptions {
	/** Where the thread is taken from. Default: a new one. */
	readonly threads?: PlanThreads | undefined;
	/** How long the program may take to be read. Default `PLAN_START_MS`. */
	readonly startMs?: number | undefined;
	readonly signal?: AbortSignal | undefined;
}

export class Interpreter {
	/** The hash of the code. */
	readonly sha256: string;
	readonly names: ProgramNames;
	readonly #thread: BoundedThread;
	readonly #signal: AbortSignal | undefined;

	/** Compile a program in a thread. Throws `bad_input` for what is none. The caller closes the interpreter. */
	static async open(
		code: string,
		{ threads, startMs: ms = PLAN_START_MS, signal }: InterpreterOptions = {},
	): Promise<Interpreter> {
		if (code.length > PLAN_CODE_CHARACTERS)
			throw new OrchestraError(
				'bad_input',
				`the program has ${code.length} characters; a plan may have ${PLAN_CODE_CHARACTERS}`,
				{ hint: 'Give large data as input, or read it with a tool.' },
			);
		const thread = (await threads?.take()) ?? (await newThread());
		const program: ThreadProgram = { code };
		try {
			// What the thread answers to this message.
			const names = (await thread.ask(program, { ms, late: tooTangled, signal })) as ProgramNames;
			return new Interpreter(sha256(code), names, { thread, signal });
		} catch (error) {
			await thread.close();
			throw error;
		}
	}

	private constructor(
		hash: string,
		names: ProgramNames,
		{ thread, signal }: { thread: BoundedThread; signal: AbortSignal | undefined },
	) {
		this.sha256 = hash;
		this.names = names;
		this.#thread = thread;
		this.#signal = signal;
	}

	/** Begin the program, or give it an answer. Resolves when it waits. */
	async next(message: ThreadBegin | ThreadMessage): Promise<ThreadTurn> {
		const wait = { ms: PLAN_COMPUTE_MS, late: tooSlow, signal: this.#signal };
		// What the thread answers to these messages.
		return (await this.#thread.ask(message, wait)) as ThreadTurn;
	}

	/** End the thread, whatever it does. Idempotent. */
	close(): Promise<void> {
		return this.#thread.close();
	}
}

/**
 * Threads for programs: a thread needs longer to load than most programs to run, so one is loaded for the next
 * program, and waits for it for a while. Each runs one program.
 */
export class PlanThreads {
	#spare: BoundedThread | undefined;
	#idle: NodeJS.Timeout | undefined;
	#isClosed = false;

	/** The caller closes the thread. */
	async take(): Promise<BoundedThread> {
		const thread = this.#spare;
		this.#spare = undefined;
		clearTimeout(this.#idle);
		if (thread === undefined || thread.hasEnded) return newThread();
		thread.isNeeded = true;
		return thread;
	}

	/** Load one for the next program. */
	async prepare(): Promise<void> {
		if (this.#spare || this.#isClosed) return;
		const thread = await newThread();
		if (this.#spare || this.#isClosed) return thread.close();
		thread.isNeeded = false;
		this.#spare = thread;
		clearTimeout(this.#idle);
		this.#idle = setTimeout(() => void this.#end(), PLAN_SPARE_MS).unref();
	}

	/** Idempotent. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await this.#end();
	}

	async #end(): Promise<void> {
		clearTimeout(this.#idle);
		await this.#spare?.close();
		this.#spare = undefined;
	}
}

async function newThread(): Promise<BoundedThread> {
	return new BoundedThread({
		file: 'hub/plans/plan-thread.js',
		data: await wasmModule(),
		memoryMb: PLAN_THREAD_MB,
		endedEarly,
	});
}

// The types of Node do not have it.
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object> };

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
	return WebAssembly.compile(await readFile(file));
}

function tooTangled(ms: number): OrchestraError {
	return new OrchestraError('bad_input', `the program could not be read within ${ms} ms`, {
		hint: 'Write it with fewer functions in the parameters of functions.',
	});
}

function tooSlow(ms: number): OrchestraError {
	return new OrchestraError(
		'timeout',
		`the program computed for more than ${ms} ms without a call that it awaits`,
		{ hint: 'Let tools do the heavy part, or split the plan.' },
	);
}

/** The thread ended by itself. */
function endedEarly(cause?: unknown): OrchestraError {
	if (cause !== undefined && !isCode(cause, 'ERR_WORKER_OUT_OF_MEMORY'))
		return new OrchestraError('internal', `the interpreter of the plan failed: ${messageOf(cause)}`, {
			cause,
		});
	const text = `the interpreter ended; a program may use ${PLAN_MEMORY_BYTES / (1024 * 1024)} MiB of memory`;
	return new OrchestraError('bad_input', text, { hint: 'Work on less at a time.', cause });
}
