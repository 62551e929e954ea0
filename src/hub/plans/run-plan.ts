/*
 * `run_plan`: compile a program, look which tools it can reach, get it approved, record it, run it. Loaded
 * with the first plan.
 */
import { randomBytes } from 'node:crypto';
import { messageOf, OrchestraError } from '../../errors.ts';
import { failure } from '../../mcp/define/defined-results.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import type { Answer, CallToolResult, Tool } from '../../protocol/mcp-types.ts';
import { within } from '../../rpc/clock.ts';
import { Semaphore } from '../../rpc/semaphore.ts';
import type { CallGate, PlanApproval } from '../../trust/call-gate.ts';
import type { HubCall } from '../calls/hub-call.ts';
import { clientName } from '../calls/hub-call.ts';
import type { MergedList } from '../catalogue/merged-list.ts';
import { identityOf } from '../shared/process-identity.ts';
import { principalIn } from '../tasks/task-record.ts';
import { HubCalls } from './live-calls.ts';
import { type Reachable, reachableTools } from './look-ahead.ts';
import { PLAN_MS, PLAN_NAME_WAIT_MS, PLANS_AT_ONCE, PLANS_WAITING } from './plan-limits.ts';
import { endOf, type PlanHead, type StoredPlan } from './plan-record.ts';
import { type PlanEnd, PlanRun } from './plan-run.ts';
import { isRunning, type PlanLog, PlanStore } from './plan-store.ts';
import { PlanTools } from './plan-tools.ts';
import { compileProgram, type Program } from './program.ts';

/** What plans need of their hub. */
export interface PlanHub {
	/** The tools that a client may call, whatever its list shows. */
	readonly tools: (context: CallContext) => Promise<MergedList<Tool>>;
	/** Resolves when a source that is late has answered; undefined when none is. */
	readonly nextAnswer: () => Promise<unknown> | undefined;
	/** Makes a call of a client. */
	readonly send: (call: HubCall) => Answer | PromiseLike<Answer>;
	readonly gate: CallGate;
	/** The folder of the configuration. */
	readonly root: () => string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
}

/** A program of a client. */
export interface NewPlan {
	readonly code: string;
	readonly input: unknown;
	/** The name of a saved plan. */
	readonly name?: string | undefined;
}

export class PlanRunner {
	readonly store: PlanStore;
	readonly #hub: PlanHub;
	readonly #places = new Semaphore({
		limit: PLANS_AT_ONCE,
		queueLimit: PLANS_WAITING,
		refuse: () => new OrchestraError('closed', `${PLANS_WAITING} plans wait already`),
	});
	readonly #owner = identityOf(process.pid) ?? { pid: process.pid, startTime: '' };
	readonly #closing = new AbortController();
	readonly #running = new Set<Promise<unknown>>();

	constructor(hub: PlanHub) {
		this.#hub = hub;
		this.store = new PlanStore(hub.environment);
	}

	/** Run a program. Mistakes in it are failed results, which the agent reads and corrects. */
	async run(plan: NewPlan, context: CallContext): Promise<Answer> {
		return this.#once(context, async (signal) => {
			const program = await compileProgram(plan.code);
			const reachable = await this.#reachable(program, context);
			const approval = await this.#approval(plan, { program, reachable, context });
			if (approval.outcome !== 'allowed') return failure(refusalOf(approval));
			const head = this.#head(plan, { program, reachable, approval, context });
			const log = this.store.create(head);
			context.durable?.runsElsewhere(head.id);
			return this.#go({ plan: { head, lines: [] }, log, program, context, signal });
		});
	}

	/** Go on with a plan that its process left. */
	async resume(id: string, context: CallContext): Promise<Answer> {
		return this.#once(context, async (signal) => {
			const principal = principalIn(this.#hub.root(), context);
			// A task that was left belongs to its principal already.
			const [found, other] = this.store.find(id, context.durable?.sentAs === id ? undefined : principal);
			if (found === undefined || other !== undefined)
				return failure(
					`${found ? 'More than one plan begins' : 'No plan begins'} with "${id}". mctl plan ls shows them.`,
				);
			const end = endOf(found);
			if (end) return storedResult(found.head, end);
			const program = await compileProgram(found.head.code);
			const taken = await this.store.take(found.head, this.#owner);
			if (taken === undefined)
				return failure(`The plan ${found.head.id} ${isRunning(found.head) ? 'still runs' : 'has ended'}.`);
			return this.#go({ ...taken, program, context, signal });
		});
	}

	/** End all that run; they can go on in the next hub. */
	async close(): Promise<void> {
		this.#closing.abort(new OrchestraError('closed', 'the hub is closing'));
		await Promise.allSettled(this.#running);
	}

	async #go(run: {
		plan: StoredPlan;
		log: PlanLog;
		program: Program;
		context: CallContext;
		signal: AbortSignal;
	}): Promise<Answer> {
		const { plan, log, program, context, signal } = run;
		const { head } = plan;
		const approval = head.approval && { tools: head.tools, ...head.approval };
		const tools = async (): Promise<PlanTools> => new PlanTools(await this.#hub.tools(context));
		const over = new AbortController();
		const live = new HubCalls({
			context,
			plan: { id: head.id, approval },
			tools,
			allowed: new Set(head.tools),
			send: this.#hub.send,
			signal: AbortSignal.any([signal, over.signal]),
		});
		const running = new PlanRun({ program, plan, live, signal, write: (line) => log.write(line) });
		try {
			const end = await running.run();
			log.write({ end: end.isOk ? 'completed' : 'failed', at: Date.now(), text: end.text });
			return resultOf(head, end);
		} catch (error) {
			if (signal.aborted || OrchestraError.is(error, 'closed')) {
				this.store.leave(head);
				if (signal.aborted) throw OrchestraError.from(signal.reason, 'canceled');
			} else log.write({ end: 'failed', at: Date.now(), text: messageOf(error) });
			return stoppedResult(head, error, running);
		} finally {
			// A program that was ended waits for none of its calls.
			over.abort(new OrchestraError('canceled', 'the plan has ended'));
			log.close();
		}
	}

	/** Within the number of plans and the time that a plan has. */
	async #once(context: CallContext, work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
		const limitMs = context.durable?.maxMs ?? PLAN_MS;
		const late = new AbortController();
		const timer = setTimeout(
			() => late.abort(new OrchestraError('timeout', `the plan took longer than ${limitMs} ms`)),
			limitMs,
		);
		const signal = AbortSignal.any([context.signal, this.#closing.signal, late.signal]);
		const run = (async () => {
			await this.#places.enter(undefined, () => ({ signal }));
			try {
				return await work(signal);
			} catch (error) {
				if (!OrchestraError.is(error, 'bad_input') && !OrchestraError.is(error, 'not_found')) throw error;
				const { message, hint } = error;
				return failure(`The plan was not run: ${message}${hint === undefined ? '' : `\n${hint}`}`);
			} finally {
				this.#places.leave();
			}
		})();
		this.#running.add(run);
		try {
			return await run;
		} finally {
			this.#running.delete(run);
			clearTimeout(timer);
		}
	}

	/** A name that nobody has may be that of a server that starts. */
	async #reachable(program: Program, context: CallContext): Promise<Reachable> {
		const giveUpAt = performance.now() + PLAN_NAME_WAIT_MS;
		for (;;) {
			const tools = new PlanTools(await this.#hub.tools(context));
			try {
				return await reachableTools(program, tools);
			} catch (error) {
				const next = this.#hub.nextAnswer();
				const leftMs = giveUpAt - performance.now();
				if (next === undefined || leftMs <= 0) throw error;
				await within(next, leftMs, false);
			}
		}
	}

	async #approval(
		{ input }: NewPlan,
		about: { program: Program; reachable: Reachable; context: CallContext },
	): Promise<PlanApproval> {
		const { program, reachable, context } = about;
		const { routes } = await this.#hub.tools(context);
		const tools = reachable.tools.map((name) => {
			const route = routes.get(name);
			return { name, toolName: route?.toolName, tool: route?.item };
		});
		const { destructive, isComputed } = reachable;
		const { code, sha256 } = program;
		const client = clientName(context);
		return this.#hub.gate.planApproval({
			client,
			tools,
			destructive,
			isComputed,
			code,
			sha256,
			input,
			context,
		});
	}

	#head(
		{ name, input }: NewPlan,
		about: { program: Program; reachable: Reachable; approval: PlanApproval; context: CallContext },
	): PlanHead {
		const { program, reachable, approval, context } = about;
		const { policyVersion } = approval;
		return {
			id: randomBytes(16).toString('hex'),
			principal: principalIn(this.#hub.root(), context),
			root: this.#hub.root(),
			client: clientName(context),
			name,
			code: program.code,
			sha256: program.sha256,
			input: JSON.stringify(input ?? null),
			startedAt: Date.now(),
			seed: randomBytes(4).readUInt32LE(),
			tools: reachable.tools,
			...(policyVersion !== undefined && { approval: { policyVersion } }),
			owner: this.#owner,
		};
	}
}

const PLAN_META = 'orchestra/plan';

/** The arguments of `run_plan`, checked. */
export function planArguments(
	input: Readonly<Record<string, unknown>>,
): NewPlan | { resume: string } | string {
	const { code, resume, input: given } = input;
	if (typeof resume === 'string' && code === undefined) return { resume };
	if (typeof code !== 'string' || resume !== undefined)
		return 'run_plan needs "code", a program, or "resume", the id of a plan';
	return { code, input: given };
}

function resultOf({ id }: PlanHead, end: PlanEnd): CallToolResult {
	const { isOk, text, log, leftOut, calls } = end;
	if (!isOk) return failedResult(id, `The plan failed: ${text}`, end);
	const value: unknown = JSON.parse(text);
	const texts = [typeof value === 'string' ? value : text, ...logText(log, leftOut)];
	return {
		content: texts.map((each) => ({ type: 'text', text: each })),
		_meta: { [PLAN_META]: { id, calls: calls.length } },
	};
}

/** What it did before counts: its calls are not undone. */
function failedResult(
	id: string,
	text: string,
	{ log, leftOut, calls }: Omit<PlanEnd, 'isOk' | 'text'>,
): CallToolResult {
	const made = calls.filter(({ name }) => name !== undefined);
	const names = made.slice(-10).map(({ name, isOk }) => `${name}${isOk ? '' : ' (failed)'}`);
	const before =
		made.length === 0
			? 'It made no calls.'
			: `It had made ${made.length} calls, which are not undone; the last: ${names.join(', ')}.`;
	const texts = [`${text}\n${before}`, ...logText(log, leftOut)];
	return {
		content: texts.map((each) => ({ type: 'text', text: each })),
		isError: true,
		_meta: { [PLAN_META]: { id, calls: calls.length } },
	};
}

function stoppedResult({ id }: PlanHead, error: unknown, { calls }: PlanRun): CallToolResult {
	const { code, message, hint } = OrchestraError.from(error);
	const what = code === 'closed' ? 'The plan stopped' : 'The plan failed';
	return failedResult(id, `${what}: ${message}${hint === undefined ? '' : `. ${hint}`}`, {
		log: [],
		leftOut: 0,
		calls,
	});
}

function storedResult(
	{ id }: PlanHead,
	{ end, text }: { end: 'completed' | 'failed'; text: string },
): CallToolResult {
	if (end === 'failed')
		return failedResult(id, `The plan failed: ${text}`, { log: [], leftOut: 0, calls: [] });
	return resultOf({ id } as PlanHead, { isOk: true, text, log: [], leftOut: 0, calls: [] });
}

function logText(log: readonly string[], leftOut: number): string[] {
	if (log.length === 0) return [];
	const more = leftOut === 0 ? '' : `\n(${leftOut} more characters)`;
	return [`Log:\n${log.join('\n')}${more}`];
}

function refusalOf({ outcome }: PlanApproval): string {
	const why = {
		allowed: '',
		denied: 'its user denied it',
		expired: 'nobody approved it in time; mctl approve lists what waits',
		full: 'too many calls wait for approval; mctl approve lists them',
	}[outcome];
	return `The plan was not run: ${why}.`;
}
