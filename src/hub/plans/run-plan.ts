/*
 * `run_plan`: compile a program, look which tools it can reach, get it approved, record it, run it. Loaded
 * with the first plan.
 */
import { randomBytes } from 'node:crypto';
import { RUN_PLAN } from '../../config/trust/plan-files.ts';
import { attempt, messageOf, OrchestraError } from '../../errors.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { type Answer, failure, type Tool } from '../../protocol/mcp-types.ts';
import { timerMs, within } from '../../rpc/clock.ts';
import { Semaphore } from '../../rpc/semaphore.ts';
import type { CallGate, PlanApproval } from '../../trust/call-gate.ts';
import type { HubCall } from '../calls/hub-call.ts';
import { clientName } from '../calls/hub-call.ts';
import type { MergedList } from '../catalogue/merged-list.ts';
import { ownIdentity } from '../shared/process-identity.ts';
import { principalIn } from '../tasks/task-record.ts';
import { Interpreter, PlanThreads } from './interpreter.ts';
import { HubCalls } from './live-calls.ts';
import { PLAN_MS, PLAN_NAME_WAIT_MS, PLANS_AT_ONCE, PLANS_WAITING } from './plan-limits.ts';
import { endOf, type PlanHead, type StoredPlan } from './plan-record.ts';
import { endResult, refusalOf, stoppedResult, storedResult } from './plan-result.ts';
import { PlanRun } from './plan-run.ts';
import { isRunning, type PlanLog, PlanStore, planWithId } from './plan-store.ts';
import { PlanTools } from './plan-tools.ts';

/** The deps of plans that come from their hub. */
export interface PlanHub {
	/** The tools that a client may call, whatever its list shows. */
	readonly tools: (context: CallContext) => Promise<MergedList<Tool>>;
	/** A sentence about the servers that failed to start; empty when none did. */
	readonly failedServers: () => string;
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
	readonly #threads = new PlanThreads();
	readonly #owner = ownIdentity();
	readonly #closing = new AbortController();
	/** Those of the last call. */
	#known: PlanTools | undefined;
	readonly #running = new Set<Promise<unknown>>();

	constructor(hub: PlanHub) {
		this.#hub = hub;
		this.store = new PlanStore(hub.environment);
	}

	/** Answer `run_plan`. */
	async call(input: Readonly<Record<string, unknown>>, context: CallContext): Promise<Answer> {
		const { code, resume, input: given } = input;
		if (typeof resume === 'string' && code === undefined) return this.resume(resume, context);
		if (typeof code !== 'string' || resume !== undefined)
			return failure('run_plan needs "code", a program, or "resume", the id of a plan');
		return this.run({ code, input: given }, context);
	}

	/** Run a program. Mistakes in it are failed results, which the agent reads and corrects. */
	async run({ code, input, name }: NewPlan, context: CallContext): Promise<Answer> {
		return this.#once({ code, context }, async (interpreter, signal) => {
			const { names, sha256 } = interpreter;
			const known = await this.#tools(context, (tools) => tools.mistakesIn(names.named).length === 0);
			const unapproved: PlanHead = {
				id: randomBytes(16).toString('hex'),
				principal: principalIn(this.#hub.root(), context),
				root: this.#hub.root(),
				client: clientName(context),
				name,
				code,
				sha256,
				startedAt: Date.now(),
				seed: randomBytes(4).readUInt32LE(),
				tools: known.reachedBy(names, this.#hub.failedServers),
				owner: this.#owner,
			};
			const head = await this.#approved(unapproved, { input, isComputed: names.isComputed, context });
			if ('outcome' in head) return failure(refusalOf(head));
			const text = JSON.stringify(input ?? null);
			const log = this.store.create(head, text);
			context.durable?.runsElsewhere(head.id);
			return this.#go({ plan: { head, input: text, lines: [] }, log, interpreter, context, signal });
		});
	}

	/** Go on with a plan that its process left. */
	async resume(id: string, context: CallContext): Promise<Answer> {
		// A task that was left belongs to its principal already.
		const isOwn = context.durable?.sentAs === id;
		const principal = principalIn(this.#hub.root(), context);
		const found = attempt(() => planWithId(this.store.list(isOwn ? undefined : principal), id));
		if (found === undefined)
			return failure(`No plan, or more than one, begins with "${id}". mctl plan ls shows them.`);
		const stored = this.store.read(found);
		const end = endOf(stored);
		if (end) return storedResult(stored, end);
		return this.#once({ code: found.code, context }, async (interpreter, signal) => {
			const input: unknown = JSON.parse(stored.input);
			const head = await this.#approved(found, { input, isComputed: false, context });
			if ('outcome' in head) return failure(refusalOf(head));
			const taken = await this.store.take(head, this.#owner);
			if (taken === undefined)
				return failure(`The plan ${head.id} ${isRunning(head) ? 'still runs' : 'has ended'}.`);
			return this.#go({ ...taken, interpreter, context, signal });
		});
	}

	/** End all that run; they can go on in the next hub. */
	async close(): Promise<void> {
		this.#closing.abort(new OrchestraError('closed', 'the hub is closing'));
		await Promise.allSettled(this.#running);
		await this.#threads.close();
	}

	async #go(run: {
		plan: StoredPlan;
		log: PlanLog;
		interpreter: Interpreter;
		context: CallContext;
		signal: AbortSignal;
	}): Promise<Answer> {
		const { plan, log, interpreter, context, signal } = run;
		const { head } = plan;
		const { id, tools } = head;
		const over = new AbortController();
		const live = new HubCalls({
			context,
			plan: { id, approval: head.approval && { tools, ...head.approval } },
			tools: (isEnough) => this.#tools(context, isEnough),
			allowed: new Set(tools),
			send: this.#hub.send,
			signal: AbortSignal.any([signal, over.signal]),
		});
		const running = new PlanRun({ interpreter, plan, live, signal, write: (line) => log.write(line) });
		try {
			const end = await running.run();
			// On a full disk the client has the result, and the record goes on.
			attempt(() => log.write({ end: end.isOk ? 'completed' : 'failed', at: Date.now(), text: end.text }));
			return endResult(id, end);
		} catch (error) {
			const canGoOn = signal.aborted || OrchestraError.is(error, 'closed') || OrchestraError.is(error, 'io');
			attempt(() => {
				if (canGoOn) this.store.leave(head);
				else log.write({ end: 'failed', at: Date.now(), text: messageOf(error) });
			});
			if (signal.aborted) throw OrchestraError.from(signal.reason, 'canceled');
			return stoppedResult(id, error, running.soFar);
		} finally {
			// A program that was ended waits for none of its calls.
			over.abort(new OrchestraError('canceled', 'the plan has ended'));
			log.close();
		}
	}

	/** Within the number of plans and the time that a plan has. */
	async #once(
		{ code, context }: { code: string; context: CallContext },
		work: (interpreter: Interpreter, signal: AbortSignal) => Promise<Answer>,
	): Promise<Answer> {
		const limitMs = context.durable?.maxMs ?? PLAN_MS;
		const late = new AbortController();
		const timer = setTimeout(
			() => late.abort(new OrchestraError('timeout', `the plan took longer than ${limitMs} ms`)),
			timerMs(limitMs),
		);
		const signal = AbortSignal.any([context.signal, this.#closing.signal, late.signal]);
		const run = this.#places.run(undefined, { signal }, () => this.#interpreted(code, signal, work));
		this.#running.add(run);
		try {
			return await run;
		} finally {
			this.#running.delete(run);
			clearTimeout(timer);
		}
	}

	async #interpreted(
		code: string,
		signal: AbortSignal,
		work: (interpreter: Interpreter, signal: AbortSignal) => Promise<Answer>,
	): Promise<Answer> {
		let interpreter: Interpreter | undefined;
		try {
			interpreter = await Interpreter.open(code, { signal, threads: this.#threads });
			return await work(interpreter, signal);
		} catch (error) {
			if (!OrchestraError.is(error, 'bad_input') && !OrchestraError.is(error, 'not_found')) throw error;
			const { message, hint } = error;
			return failure(`The plan was not run: ${message}${hint === undefined ? '' : `\n${hint}`}`);
		} finally {
			await interpreter?.close();
			// The caller that needs the thread gets its error.
			if (!signal.aborted) void this.#threads.prepare().catch(() => {});
		}
	}

	/** The tools of a client. While they are not enough, and servers start, the answers of those are waited for. */
	async #tools(context: CallContext, isEnough: (tools: PlanTools) => boolean): Promise<PlanTools> {
		const giveUpAt = performance.now() + PLAN_NAME_WAIT_MS;
		for (;;) {
			const tools = PlanTools.of(await this.#hub.tools(context), this.#known);
			this.#known = tools;
			const next = isEnough(tools) ? undefined : this.#hub.nextAnswer();
			const leftMs = giveUpAt - performance.now();
			if (next === undefined || leftMs <= 0) return tools;
			await within(next, leftMs, false);
		}
	}

	/**
	 * The head with the approval that a rule asks for, or the refusal. That of another client, or under another policy,
	 * does not count.
	 */
	async #approved(
		head: PlanHead,
		{ input, isComputed, context }: { input: unknown; isComputed: boolean; context: CallContext },
	): Promise<PlanHead | PlanApproval> {
		const { gate } = this.#hub;
		const { name = RUN_PLAN, code, sha256, approval, id } = head;
		context.plan = { id };
		const client = clientName(context);
		if (approval?.policyVersion === gate.policy.version && head.client === client) return head;
		const { routes } = await this.#hub.tools(context);
		const tools = head.tools.map((tool) => {
			const route = routes.get(tool);
			return { name: tool, toolName: route?.toolName, tool: route?.item };
		});
		const given = await gate.planApproval({ name, client, tools, isComputed, code, sha256, input, context });
		context.plan = { id, decision: given.decision };
		if (given.outcome !== 'allowed') return given;
		return { ...head, client, approval: given.approval };
	}
}
