/*
 * The thread in which a program is compiled and runs: QuickJS, compiled to WebAssembly. The program has no file, network,
 * process or clock; all it can do is send the names and arguments of calls, and lines of its log.
 *
 * It works in turns. The start and each answer are one message in; when the program waits again, all that it did is one
 * message out. So the order of its steps depends on the messages alone, and the same messages give the same steps. Its
 * clock is the time in the last message: the interpreter reads it from this realm, so it is set here.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type {
	QuickJSContext,
	QuickJSHandle,
	QuickJSRuntime,
	QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import { answerWith } from '../../process/bounded-thread.ts';
import type {
	ThreadBegin,
	ThreadCall,
	ThreadEnd,
	ThreadMessage,
	ThreadProgram,
	ThreadTurn,
} from './interpreter.ts';
import { namesIn } from './look-ahead.ts';
import {
	PLAN_CALLS_LIMIT,
	PLAN_LOG_CHARACTERS,
	PLAN_MEMORY_BYTES,
	PLAN_STACK_BYTES,
	PLAN_STEPS_LIMIT,
	PLAN_WAITING_CHARACTERS,
} from './plan-limits.ts';
import { prelude } from './prelude.ts';
import { type CompiledProgram, compileProgram, optional, PLAN_FILE, placeInStack } from './program.ts';

/** The size of a page of WebAssembly, and how many the interpreter starts with. */
const PAGE = 65_536;
const FIRST_PAGES = 256;
/** Jobs between two looks at the steps, and what they count. */
const JOBS_AT_ONCE = 1000;
const STEPS_OF_JOBS = 20;
/** The clock of the program. */
let now = 0;

class PlanThread {
	readonly #program: CompiledProgram;
	readonly #runtime: QuickJSRuntime;
	readonly #vm: QuickJSContext;
	#answer: QuickJSHandle | undefined;
	#calls: ThreadCall[] = [];
	#log: string[] = [];
	#end: ThreadEnd | undefined;
	#made = 0;
	/** Characters of the arguments of each call without an answer, and of all of them. */
	readonly #waiting = new Map<number, number>();
	#waitingCharacters = 0;
	#steps = 0;
	#logged = 0;
	#leftOut = 0;

	constructor(program: CompiledProgram, runtime: QuickJSRuntime) {
		this.#program = program;
		this.#runtime = runtime;
		runtime.setMaxStackSize(PLAN_STACK_BYTES);
		runtime.setInterruptHandler(() =>
			this.#isBeyond(++this.#steps > PLAN_STEPS_LIMIT && 'the program took too many steps'),
		);
		this.#vm = runtime.newContext();
	}

	begin({ input, startedAt, seed }: ThreadBegin): ThreadTurn {
		now = startedAt;
		const vm = this.#vm;
		const made = vm.unwrapResult(vm.evalCode(prelude, 'prelude.js'));
		const parts = vm.unwrapResult(
			vm.callFunction(made, vm.undefined, [...this.#hostFunctions(), vm.newNumber(seed)]),
		);
		this.#answer = vm.getProp(parts, 1);
		const program = vm.evalCode(this.#program.script, PLAN_FILE);
		if (program.error) this.#fail(program.error);
		else this.#did(vm.callFunction(vm.getProp(parts, 0), vm.undefined, [program.value, vm.newString(input)]));
		return this.#turn();
	}

	/** One answer. */
	go({ number, isOk, text, at }: ThreadMessage): ThreadTurn {
		now = at;
		this.#waitingCharacters -= this.#waiting.get(number) ?? 0;
		this.#waiting.delete(number);
		const vm = this.#vm;
		const given = [vm.newNumber(number), isOk ? vm.true : vm.false, vm.newString(text)];
		if (this.#answer) this.#did(vm.callFunction(this.#answer, vm.undefined, given));
		for (const handle of given) handle.dispose();
		return this.#turn();
	}

	#hostFunctions(): QuickJSHandle[] {
		const vm = this.#vm;
		const textOf = (handle: QuickJSHandle | undefined): string => (handle ? vm.getString(handle) : '');
		const send = vm.newFunction('send', (server, tool, json, stack) => {
			const number = ++this.#made;
			const call = { number, server: textOf(server), tool: textOf(tool), json: textOf(json) };
			this.#waiting.set(number, call.json.length);
			this.#waitingCharacters += call.json.length;
			const isMuch = this.#waitingCharacters > PLAN_WAITING_CHARACTERS;
			const beyond =
				(number > PLAN_CALLS_LIMIT && `the plan made more than ${PLAN_CALLS_LIMIT} calls`) ||
				(isMuch && `the arguments of calls that wait have more than ${PLAN_WAITING_CHARACTERS} characters`);
			if (!this.#isBeyond(beyond))
				this.#calls.push({ ...call, place: placeInStack(textOf(stack), this.#program) });
			return vm.newNumber(number);
		});
		const log = vm.newFunction('log', (line) => {
			const text = textOf(line);
			// A line that is empty counts too.
			const isRoom = this.#logged + text.length < PLAN_LOG_CHARACTERS;
			if (isRoom) this.#log.push(text);
			if (isRoom) this.#logged += text.length + 1;
			else this.#leftOut += text.length + 1;
		});
		const finish = vm.newFunction('finish', (isOk, text, stack) => {
			if (vm.dump(isOk) === true) this.#end ??= { isOk: true, text: textOf(text) };
			else this.#failed(textOf(text), textOf(stack));
		});
		return [send, log, finish];
	}

	/** A bound ends the program at its next step. */
	#isBeyond(text: string | false): boolean {
		if (text !== false && this.#end?.isBound !== true) this.#end = { isOk: false, text, isBound: true };
		return this.#end?.isBound === true;
	}

	/** Everything that the program did before it waits again. */
	#turn(): ThreadTurn {
		// Jobs are steps too: each may be too short to be seen by the interrupt handler.
		for (let isMore = true; isMore && this.#end === undefined; ) {
			const done = this.#runtime.executePendingJobs(JOBS_AT_ONCE);
			if (done.error) this.#fail(done.error);
			else this.#steps += Math.floor((done.value / JOBS_AT_ONCE) * STEPS_OF_JOBS);
			isMore = done.error !== undefined || done.value === JOBS_AT_ONCE;
			this.#isBeyond(this.#steps > PLAN_STEPS_LIMIT && 'the program took too many steps');
		}
		const turn = { calls: this.#calls, log: this.#log, leftOut: this.#leftOut, end: this.#end };
		this.#calls = [];
		this.#log = [];
		return turn;
	}

	#did(result: ReturnType<QuickJSContext['callFunction']>): void {
		if (result.error) this.#fail(result.error);
		else result.value.dispose();
	}

	#fail(error: QuickJSHandle): void {
		const thrown = Object(this.#vm.dump(error)) as Record<string, unknown>;
		const [name, message, stack] = ['name', 'message', 'stack'].map((key) => textIn(thrown[key]));
		// There may be no memory for an error.
		this.#failed(
			name === '' ? 'it threw no error; its memory may be full' : `${name}: ${message}`,
			stack ?? '',
		);
	}

	/** The first end counts. */
	#failed(message: string, stack: string): void {
		const place = placeInStack(stack, this.#program);
		const where = place === undefined || message.includes(`(${place})`) ? '' : ` (${place})`;
		this.#end ??= { isOk: false, text: message + where };
	}
}

function textIn(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

// The types of Node do not have it.
declare const WebAssembly: { Memory: new (size: { initial: number; maximum: number }) => object };

async function newRuntime(): Promise<QuickJSRuntime> {
	const { newQuickJSWASMModuleFromVariant, newVariant } = await optional(import('quickjs-emscripten-core'));
	const { default: release } = await optional(import('@jitl/quickjs-wasmfile-release-sync'));
	// Its types are those of another module format. The module was compiled from the file of this variant.
	const variant = newVariant(release as unknown as QuickJSSyncVariant, {
		wasmModule: workerData as never,
		// The limit of the interpreter itself counts no large blocks in WebAssembly. This one holds for all.
		wasmMemory: new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: PLAN_MEMORY_BYTES / PAGE }) as never,
	});
	const quickjs = await newQuickJSWASMModuleFromVariant(variant);
	Date.now = () => now;
	// Programs are the same in every time zone. The interpreter uses this realm, which runs nothing else.
	// oxlint-disable-next-line no-extend-native -- it is the clock of the program
	Date.prototype.getTimezoneOffset = () => 0;
	return quickjs.newRuntime();
}

let thread: PlanThread | undefined;
let program: CompiledProgram | undefined;
const runtime = newRuntime();
// It is awaited when the program begins.
runtime.catch(() => {});
parentPort?.on('message', (message: ThreadProgram | ThreadBegin | ThreadMessage) =>
	answerWith(async () => {
		if ('number' in message) return thread?.go(message);
		if ('code' in message) {
			program = await compileProgram(message.code);
			return namesIn(program);
		}
		if (program === undefined) throw new TypeError('there is a program');
		thread = new PlanThread(program, await runtime);
		return thread.begin(message);
	}),
);
// Loaded before the program is there.
await compileProgram('')
	.then(namesIn)
	.catch(() => {});
