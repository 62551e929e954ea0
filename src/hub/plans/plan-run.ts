/*
 * One run of a program: first by the answers of its record, then live.
 *
 * A program sees nothing but its input and the answers to its calls, in an order that the record has. So a run that was
 * interrupted is repeated up to the last answer without a call, and goes on from there. A call that was
 * sent and has no answer is not made again: the user is asked whether it may be.
 */
import { OrchestraError } from '../../errors.ts';
import { sha256 } from '../../files/sha256.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { type Deferred, deferred } from '../../rpc/deferred.ts';
import { Semaphore } from '../../rpc/semaphore.ts';
import type { Interpreter, ThreadCall, ThreadEnd, ThreadTurn } from './interpreter.ts';
import { PLAN_CALLS_AT_ONCE } from './plan-limits.ts';
import {
	type AnswerLine,
	answersOf,
	type PlanLine,
	type SentLine,
	type StoredPlan,
	unknownCalls,
} from './plan-record.ts';

/** The outcome of a call. */
export interface CallOutcome {
	readonly isOk: boolean;
	/** JSON: of the value, or of the members of the error. */
	readonly text: string;
	/** The name that clients use for the tool; undefined when there is none. */
	readonly name?: string | undefined;
}

/** The live side of a run, used when its record has no more answers. */
export interface LiveCalls {
	/** Make a call. `onSend` is called before it is sent to its source. Rejects only when the plan is canceled. */
	make(call: ThreadCall, onSend: (name: string) => void): Promise<CallOutcome>;
	/** The decision about a call whose outcome is unknown. Rejects when no decision arrives. */
	decide(call: SentLine): Promise<'again' | 'fail'>;
}

export interface PlanRunOptions {
	/** It has not begun. */
	readonly interpreter: Interpreter;
	readonly plan: StoredPlan;
	/** Undefined: the run ends where its record ends. */
	readonly live?: LiveCalls | undefined;
	/** Record a line. Default: nothing is recorded. */
	readonly write?: ((line: PlanLine) => void) | undefined;
	readonly signal?: AbortSignal | undefined;
}

/** The steps of a program. */
export interface PlanDone {
	readonly log: readonly string[];
	/** Characters of the log that were left out. */
	readonly leftOut: number;
	/** The record, also of the run before. */
	readonly lines: readonly PlanLine[];
}

/** How a program ended. */
export interface PlanEnd extends PlanDone {
	readonly isOk: boolean;
	/** JSON of the result, or the error with its place. */
	readonly text: string;
}

export class PlanRun {
	readonly #options: PlanRunOptions;
	readonly #lines: PlanLine[];
	/** The answers of the run before that the program has not got yet. */
	readonly #recorded: AnswerLine[];
	/** The calls that the program has made and that have no answer. */
	readonly #open = new Map<number, ThreadCall>();
	readonly #places = new Semaphore({ limit: PLAN_CALLS_AT_ONCE });
	readonly #running = new Set<Promise<void>>();
	readonly #answers: AnswerLine[] = [];
	readonly #log: string[] = [];
	readonly #failed: Deferred<never> = deferred();
	#waiting: Deferred<void> | undefined;
	#isLive = false;
	#leftOut = 0;

	constructor(options: PlanRunOptions) {
		this.#options = options;
		this.#lines = [...options.plan.lines];
		this.#recorded = answersOf(options.plan);
	}

	/** Its steps so far. */
	get soFar(): PlanDone {
		return { log: this.#log, leftOut: this.#leftOut, lines: this.#lines };
	}

	/** Rejects when the run cannot go on: it was canceled, a bound ended it, no decision about a call arrives. */
	async run(): Promise<PlanEnd> {
		const { signal } = this.#options;
		signal?.throwIfAborted();
		const stop = onAbort(signal, () => this.#failed.reject(OrchestraError.from(signal?.reason, 'canceled')));
		try {
			return await Promise.race([this.#turns(), this.#failed.promise]);
		} finally {
			stop();
		}
	}

	async #turns(): Promise<PlanEnd> {
		const { interpreter, plan } = this.#options;
		const { input, head } = plan;
		const { startedAt, seed } = head;
		for (let turn = await interpreter.next({ input, startedAt, seed }); ; ) {
			this.#take(turn);
			if (turn.end) return await this.#ended(turn.end);
			turn = await interpreter.next(await this.#next());
		}
	}

	/** Take the steps of the program in one turn. Nothing is called for one that a bound ended. */
	#take({ calls, log, leftOut, end }: ThreadTurn): void {
		this.#log.push(...log);
		this.#leftOut = leftOut;
		if (end?.isBound)
			throw new OrchestraError('bad_input', end.text, {
				hint: 'Let tools do more at once, or split the plan.',
			});
		for (const call of calls) {
			this.#open.set(call.number, call);
			if (this.#isLive) this.#start(call);
		}
	}

	async #next(): Promise<AnswerLine> {
		const recorded = this.#recorded.shift();
		if (recorded) return this.#checked(recorded);
		if (!this.#isLive) await this.#goLive();
		if (this.#open.size === 0)
			throw new OrchestraError('bad_input', 'the program waits for something that never comes', {
				hint: 'It can wait for calls of tools alone; there are no timers.',
			});
		while (this.#answers.length === 0) {
			this.#waiting = deferred();
			await this.#waiting.promise;
		}
		const [answer] = this.#answers.splice(0, 1);
		if (answer === undefined) throw new TypeError('there is an answer');
		this.#open.delete(answer.number);
		return answer;
	}

	/** The program must have made the same call. */
	#checked(line: AnswerLine): AnswerLine {
		const call = this.#open.get(line.number);
		this.#open.delete(line.number);
		const isSame =
			call?.server === line.server && call.tool === line.tool && sha256(call.json) === line.sha256;
		if (isSame) return line;
		const made = call ? writtenOf(call) : 'no call';
		throw diverged(
			`call ${line.number} is ${made}`,
			`is ${nameOf(line)} with arguments ${line.sha256.slice(0, 8)}`,
		);
	}

	/** The record has no more answers. */
	async #goLive(): Promise<void> {
		this.#isLive = true;
		const unknown = unknownCalls(this.#options.plan);
		for (const { sent } of unknown)
			if (!this.#open.has(sent)) throw diverged(`there is no call ${sent}`, 'was sent');
		// Nothing is sent before all of them are decided: the plan may stop here.
		const settled: (() => void)[] = [];
		for (const call of [...this.#open.values()]) {
			const line = unknown.find(({ sent }) => sent === call.number);
			settled.push(line ? await this.#settled(line, call) : () => this.#start(call));
		}
		for (const go of settled) go();
	}

	/** It is unknown whether this call was made. Returns what is done about it. */
	async #settled(unknown: SentLine, call: ThreadCall): Promise<() => void> {
		const { live } = this.#options;
		if (live === undefined)
			throw new OrchestraError(
				'bad_input',
				`the record ends while call ${unknown.sent}, ${unknown.name}, runs`,
			);
		const decision = await live.decide(unknown);
		if (decision === 'again')
			return () => {
				this.#write({ again: unknown.sent });
				this.#start(call);
			};
		const message = `${writtenOf(call)}: its outcome is unknown: the hub ended while it ran`;
		const text = JSON.stringify({ message, outcome: 'unknown' });
		return () => this.#answer(call, { isOk: false, text, name: unknown.name });
	}

	#start(call: ThreadCall): void {
		const work = this.#make(call).catch((error: unknown) => this.#failed.reject(error));
		this.#running.add(work);
		void work.finally(() => this.#running.delete(work));
	}

	async #make(call: ThreadCall): Promise<void> {
		const { live, signal } = this.#options;
		if (live === undefined)
			throw new OrchestraError('bad_input', `the record ends before call ${call.number}, ${nameOf(call)}`);
		const { number: sent, place } = call;
		const onSend = (name: string): void => this.#write({ sent, name, at: Date.now(), place });
		await this.#places.run(undefined, { signal }, async () => {
			const outcome = await live.make(call, onSend);
			signal?.throwIfAborted();
			this.#answer(call, outcome);
		});
	}

	#answer({ number, server, tool, json, place }: ThreadCall, { isOk, text, name }: CallOutcome): void {
		const said = { number, isOk, text, at: Date.now() };
		const line: AnswerLine = { ...said, server, tool, sha256: sha256(json), name, place };
		this.#write(line);
		this.#answers.push(line);
		this.#waiting?.resolve();
	}

	/** Add a line, which is written to the disk before it counts. */
	#write(line: PlanLine): void {
		this.#options.write?.(line);
		this.#lines.push(line);
	}

	/** Calls that the program did not wait for have an outcome too. */
	async #ended({ isOk, text }: ThreadEnd): Promise<PlanEnd> {
		for (const line of this.#recorded.splice(0)) this.#checked(line);
		if (!this.#isLive && this.#options.live) await this.#goLive();
		while (this.#running.size > 0) await Promise.all(this.#running);
		return { isOk, text, ...this.soFar };
	}
}

/** `tools.files.readTextFile`, `find`. */
function nameOf({ server, tool }: Pick<ThreadCall, 'server' | 'tool'>): string {
	if (server === '') return tool === 'find_tools' ? 'find' : tool;
	return `tools.${server}.${tool}`;
}

/** The call with its place in the program, for messages. */
export function writtenOf(call: Pick<ThreadCall, 'server' | 'tool' | 'place'>): string {
	return call.place === undefined ? nameOf(call) : `${nameOf(call)} (${call.place})`;
}

function diverged(now: string, then: string): OrchestraError {
	return new OrchestraError(
		'bad_input',
		`the program does not follow its record: ${now}; in the record it ${then}`,
		{
			hint: 'The program, its input or the version of the interpreter is another one. Start the plan anew.',
		},
	);
}
