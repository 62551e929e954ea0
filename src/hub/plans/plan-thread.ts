/*
 * The thread in which a program runs: QuickJS, compiled to WebAssembly. It has no file, network, process or clock;
 * all it can do is send the names and arguments of calls, and lines of its log.
 *
 * It works in turns. The start and each answer are one message in; when the program waits again, all that it did is one
 * message out. So the order of its steps depends on the messages alone, and the same messages give the same steps. Its
 * clock is the time in the last message: the interpreter asks this realm, so it is set here.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type {
	QuickJSContext,
	QuickJSHandle,
	QuickJSRuntime,
	QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { ThreadEnd, ThreadJob, ThreadMessage, ThreadTurn } from './interpreter.ts';
import { PLAN_LOG_CHARACTERS, PLAN_MEMORY_BYTES, PLAN_STACK_BYTES, PLAN_STEPS_LIMIT } from './plan-limits.ts';
import { prelude } from './prelude.ts';
import { PLAN_FILE } from './program.ts';

const job = workerData as ThreadJob; // of `Interpreter`
/** The size of a page of WebAssembly, and how many the interpreter starts with. */
const PAGE = 65_536;
const FIRST_PAGES = 256;
/** Jobs between two looks at the steps, and what they count. */
const JOBS_AT_ONCE = 1000;
const STEPS_OF_JOBS = 20;
let now = job.startedAt;
Date.now = () => now;
// Programs are the same in every time zone. The interpreter asks this realm, which runs nothing else.
// oxlint-disable-next-line no-extend-native -- it is the clock of the program
Date.prototype.getTimezoneOffset = () => 0;

class PlanThread {
	readonly #runtime: QuickJSRuntime;
	readonly #vm: QuickJSContext;
	#answer: QuickJSHandle | undefined;
	#turn: { calls: ThreadTurn['calls'][number][]; log: string[]; end: ThreadEnd | undefined } = emptyTurn();
	#calls = 0;
	#steps = 0;
	#logged = 0;
	#leftOut = 0;

	constructor(runtime: QuickJSRuntime) {
		this.#runtime = runtime;
		runtime.setMaxStackSize(PLAN_STACK_BYTES);
		runtime.setInterruptHandler(() => ++this.#steps > PLAN_STEPS_LIMIT);
		this.#vm = runtime.newContext();
	}

	begin(): ThreadTurn {
		const vm = this.#vm;
		const made = vm.unwrapResult(vm.evalCode(prelude, 'prelude.js'));
		const parts = vm.unwrapResult(
			vm.callFunction(made, vm.undefined, [...this.#hostFunctions(), vm.newNumber(job.seed)]),
		);
		this.#answer = vm.getProp(parts, 1);
		const program = vm.evalCode(job.script, PLAN_FILE);
		if (program.error) this.#fail(program.error);
		else
			this.#did(
				vm.callFunction(vm.getProp(parts, 0), vm.undefined, [program.value, vm.newString(job.input)]),
			);
		return this.#drained();
	}

	/** One answer. */
	go({ number, isOk, text, at }: ThreadMessage): ThreadTurn {
		now = at;
		const vm = this.#vm;
		const given = [vm.newNumber(number), isOk ? vm.true : vm.false, vm.newString(text)];
		if (this.#answer) this.#did(vm.callFunction(this.#answer, vm.undefined, given));
		for (const handle of given) handle.dispose();
		return this.#drained();
	}

	#hostFunctions(): QuickJSHandle[] {
		const vm = this.#vm;
		const textOf = (handle: QuickJSHandle | undefined): string => (handle ? vm.getString(handle) : '');
		const send = vm.newFunction('send', (server, tool, json, stack) => {
			const number = ++this.#calls;
			const call = { number, server: textOf(server), tool: textOf(tool), json: textOf(json) };
			this.#turn.calls.push({ ...call, stack: textOf(stack) });
			return vm.newNumber(number);
		});
		const log = vm.newFunction('log', (line) => {
			const text = textOf(line);
			const isRoom = this.#logged + text.length <= PLAN_LOG_CHARACTERS;
			if (isRoom) this.#turn.log.push(text);
			if (isRoom) this.#logged += text.length;
			else this.#leftOut += text.length;
		});
		const finish = vm.newFunction('finish', (isOk, text, stack) => {
			this.#turn.end ??= { isOk: vm.dump(isOk) === true, text: textOf(text), stack: textOf(stack) };
		});
		return [send, log, finish];
	}

	/** Everything that the program can do before it waits. */
	#drained(): ThreadTurn {
		// Jobs are steps too: each may be too short to be seen by the interrupt handler.
		for (let isMore = true; isMore && this.#steps <= PLAN_STEPS_LIMIT; ) {
			const done = this.#runtime.executePendingJobs(JOBS_AT_ONCE);
			if (done.error) this.#fail(done.error);
			else this.#steps += Math.floor((done.value / JOBS_AT_ONCE) * STEPS_OF_JOBS);
			isMore = done.error !== undefined || done.value === JOBS_AT_ONCE;
			isMore &&= this.#turn.end === undefined;
		}
		if (this.#steps > PLAN_STEPS_LIMIT)
			this.#turn.end = { isOk: false, text: 'the program took too many steps', stack: '', bound: 'steps' };
		const turn = this.#turn;
		this.#turn = emptyTurn();
		return { ...turn, leftOut: this.#leftOut, steps: this.#steps };
	}

	#did(result: ReturnType<QuickJSContext['callFunction']>): void {
		if (result.error) this.#fail(result.error);
		else result.value.dispose();
	}

	#fail(error: QuickJSHandle): void {
		const thrown = Object(this.#vm.dump(error)) as Record<string, unknown>;
		const [name, message, stack] = ['name', 'message', 'stack'].map((key) => textIn(thrown[key]));
		this.#turn.end ??= { isOk: false, text: `${name}: ${message}`, stack: stack ?? '' };
	}
}

function textIn(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

function newMemory(): object {
	// The types of Node do not have it.
	const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: Wasm };
	return new wasm.Memory({ initial: FIRST_PAGES, maximum: PLAN_MEMORY_BYTES / PAGE });
}

interface Wasm {
	Memory: new (size: { initial: number; maximum: number }) => object;
}

function emptyTurn(): { calls: ThreadTurn['calls'][number][]; log: string[]; end: ThreadEnd | undefined } {
	return { calls: [], log: [], end: undefined };
}

const { newQuickJSWASMModuleFromVariant, newVariant } = await import('quickjs-emscripten-core');
const { default: release } = await import('@jitl/quickjs-wasmfile-release-sync');
// Its types are those of another module format. The module was compiled from the file of this variant.
const variant = newVariant(release as unknown as QuickJSSyncVariant, {
	wasmModule: job.wasm as never,
	// The limit of the interpreter itself counts no large blocks in WebAssembly. This one holds for all.
	wasmMemory: newMemory() as never,
});
const quickjs = await newQuickJSWASMModuleFromVariant(variant);
const thread = new PlanThread(quickjs.newRuntime());
post(thread.begin());
parentPort?.on('message', (message: ThreadMessage) => post(thread.go(message)));

function post(turn: ThreadTurn): void {
	// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
	parentPort?.postMessage(turn);
}
