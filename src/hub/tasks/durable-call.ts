/*
 * A call that may become a task.
 *
 * It runs with a context of its own, which belongs to no connection. Until it becomes a task the
 * client of the call is attached: progress, input requests and the cancellation pass as in any other call.
 * From then on input requests wait in the task, and the end of the client means nothing to the call.
 *
 * It becomes a task only after it was sent to its source, and not while its client has an input request:
 * approvals are requested before, and a client answers its first input requests before it gets the task.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import { CallContext, type ClientConnection } from '../../mcp/server/call-context.ts';
import type { Durability } from '../../mcp/server/call-observers.ts';
import {
	type Asking,
	type InputRequests,
	type InputResponses,
	requireCapabilities,
} from '../../mcp/server/input-requests.ts';
import type { Ended } from '../../mcp/server/methods.ts';
import { type Answer, answerValue, type InputRequired, isInputRequired } from '../../protocol/mcp-types.ts';
import { metaOf } from '../../protocol/meta.ts';
import { RELATED_TASK } from '../../protocol/tasks.ts';
import { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import { timerMs } from '../../rpc/clock.ts';
import { type Deferred, deferred } from '../../rpc/deferred.ts';
import { isObject } from '../../wire/json.ts';
import { HubCall } from '../calls/hub-call.ts';
import type { Handler } from '../calls/middleware.ts';
import type { HubTasks } from './hub-tasks.ts';
import type { LiveTask } from './live-task.ts';
import { TASK_FIRST_POLL_MS, TASK_ROUNDS_LIMIT } from './task-limits.ts';
import type { TaskForm } from './task-record.ts';
import { createdTask } from './task-report.ts';

/** When and how a call becomes a task. */
export interface TaskPlan {
	readonly form: TaskForm;
	/** How long the call may take before. */
	readonly afterMs: number;
	/** Whether it becomes one however short it is. */
	readonly isAlways: boolean;
	/** Longest time of the call. */
	readonly maxMs: number;
	readonly ttlMs: number;
	/** How long a client without tasks waits itself; a cancellation after that is its timeout. */
	readonly clientMs?: number | undefined;
}

export class DurableCall implements Durability {
	readonly #call: HubCall;
	readonly #plan: TaskPlan;
	readonly #tasks: HubTasks;
	readonly #incoming: IncomingCall;
	readonly #outcome: Deferred<Answer> = deferred();
	#work: Promise<Answer> = this.#outcome.promise;
	#task: LiveTask | undefined;
	#becoming: Promise<void> | undefined;
	#timer: NodeJS.Timeout | undefined;
	readonly #beganAt: number = performance.now();
	#openRequests = 0;
	#isSent = false;
	#isDue = false;
	#hasAnswer = false;
	#upstream: string | undefined;
	/** The last status message of the server. */
	#said: string | undefined;

	constructor(call: HubCall, plan: TaskPlan, tasks: HubTasks) {
		this.#call = call;
		this.#plan = plan;
		this.#tasks = tasks;
		const { id, params, text } = call.context;
		this.#incoming = new IncomingCall(id, call.method, params, text);
	}

	/** Make the call. The answer is its result, or the task. */
	run(inner: Handler): Promise<Answer> {
		const { context: outer } = this.#call;
		outer.onCancel((reason) => void this.#clientGone(reason));
		const { inputResponses, requestState, isContinued } = outer;
		this.#work = this.#rounds(inner, { inputResponses, requestState, isContinued });
		this.#work.then(
			(result) => this.#ended({ result }),
			(thrown: unknown) => this.#ended({ thrown }),
		);
		return this.#outcome.promise;
	}

	get isTask(): boolean {
		return this.#plan.form !== 'kept';
	}

	get maxMs(): number {
		return this.#plan.maxMs;
	}

	get isOpen(): boolean {
		return this.#task !== undefined || this.#call.context.isOpen;
	}

	/** The source made a task of its own: the client gets ours. */
	begunUpstream(id: string): void {
		this.runsElsewhere(id);
		if (this.isTask) this.#due();
	}

	runsElsewhere(at: string): void {
		this.#upstream = at;
		this.#task?.begunUpstream(at);
	}

	get isLeft(): boolean {
		return this.#task?.isLeft === true;
	}

	says(message: string): void {
		this.#said = message;
		this.#task?.says(message);
	}

	/** Ask the client of the call, or those who follow the task. */
	async ask(
		requests: InputRequests,
		{ clientCapabilities }: CallContext,
		signal?: AbortSignal,
	): Promise<InputResponses> {
		await this.#becoming;
		if (this.#task && this.isTask) {
			requireCapabilities(requests, clientCapabilities);
			return this.#task.ask(requests, signal);
		}
		this.#openRequests++;
		try {
			return await this.#call.context.askAll(requests, signal);
		} finally {
			this.#openRequests--;
			// The client has answered, so its request is open again.
			if (this.#isDue || (this.#plan.isAlways && this.#isSent)) this.#due();
		}
	}

	/** A server of the modern era may ask by its result, also when its call is a task already. */
	async #rounds(inner: Handler, first: Asking): Promise<Answer> {
		let asking = first;
		for (let round = 0; round < TASK_ROUNDS_LIMIT; round++) {
			const answer = await inner.request(this.#inner(asking));
			const result = answerValue(answer);
			await this.#becoming;
			if (!isInputRequired(result) || this.#task === undefined || !this.isTask) return answer;
			asking = await this.#answersTo(result, this.#task);
		}
		throw new OrchestraError(
			'bad_frame',
			`${this.#call.name} asked for input more than ${TASK_ROUNDS_LIMIT} times`,
		);
	}

	async #answersTo({ inputRequests = {}, requestState }: InputRequired, task: LiveTask): Promise<Asking> {
		requireCapabilities(inputRequests, this.#call.context.clientCapabilities);
		return { inputResponses: await task.ask(inputRequests), requestState, isContinued: true };
	}

	/** The same call, with the context of this one. */
	#inner(asking: Asking): HubCall {
		const { request, client, target, context: outer } = this.#call;
		const context = new CallContext(this.#client(), this.#incoming, outer.meta, { ...asking, asker: this });
		context.durable = this;
		const call = new HubCall({ ...request, context }, client);
		call.target = target;
		call.onSend = () => this.#sent();
		return call;
	}

	#client(): ClientConnection {
		const { context } = this.#call;
		const { revision, clientCapabilities: capabilities, clientInfo, sessionId, principal } = context;
		const { passesResultsOn, chosenLogLevel, logLevel } = context;
		return {
			revision,
			capabilities,
			clientInfo,
			sessionId,
			principal,
			passesResultsOn,
			chosenLogLevel,
			logLevel: () => logLevel,
			notify: (method, params) => this.#notify(method, params),
		};
	}

	/** A modern task has no notifications of its call; the progress token of a legacy one stays valid. */
	#notify(method: string, params: unknown): void {
		const { context } = this.#call;
		if (this.#task === undefined || !this.isTask) return context.relay(method, params);
		if (this.#plan.form !== 'legacy' || method !== 'notifications/progress' || !isObject(params)) return;
		const meta = { ...metaOf(params), [RELATED_TASK]: { taskId: this.#task.record.id } };
		context.clientNotifier(method, { ...params, _meta: meta });
	}

	#sent(): void {
		if (this.#isSent) return;
		this.#isSent = true;
		const { isAlways, form, afterMs } = this.#plan;
		if (form === 'legacy') return this.#due();
		const waitMs = isAlways ? Math.min(afterMs, TASK_FIRST_POLL_MS) : afterMs;
		this.#timer = setTimeout(() => this.#due(), timerMs(waitMs));
	}

	/** It becomes a task now, unless its client has an input request: then when that is answered. */
	#due(): void {
		this.#isDue = true;
		if (this.#openRequests > 0 || this.#hasAnswer) return;
		this.#becoming ??= this.#become();
	}

	async #become(): Promise<void> {
		clearTimeout(this.#timer);
		const { context } = this.#call;
		const run = { cancel: (reason: string) => this.#incoming.cancel(reason), upstream: this.#upstream };
		let task: LiveTask;
		try {
			task = await this.#tasks.start(this.#call, this.#plan, run);
		} catch (error) {
			return this.#staysCall(error);
		}
		this.#task = task;
		// The server may have made its own meanwhile.
		if (this.#upstream !== run.upstream) task.begunUpstream(String(this.#upstream));
		if (this.#said !== undefined) task.says(this.#said);
		if (!this.isTask) return;
		void task.run(this.#work);
		// The client will never know of it.
		if (context.isCanceled) task.cancel('the client canceled the call');
		this.#outcome.resolve(createdTask(task.record));
	}

	/** The task could not be recorded: the client gets the result of the call when it waits for it. */
	#staysCall(error: unknown): void {
		const { name, context } = this.#call;
		this.#tasks.log.warn(`a call of ${name} could not become a task: ${messageOf(error)}`);
		if (this.#plan.form !== 'legacy' && !context.isCanceled) return;
		this.#incoming.cancel('the task could not be recorded');
		this.#outcome.reject(error);
	}

	/** The call has an answer. One that must become a task still does, unless it sends client requests. */
	#ended(end: Ended<Answer>): void {
		clearTimeout(this.#timer);
		this.#hasAnswer = true;
		const isAsking = 'result' in end && isInputRequired(answerValue(end.result));
		if (this.#plan.isAlways && this.#isSent && !isAsking) this.#becoming ??= this.#become();
		void (this.#becoming ?? Promise.resolve()).then(() => {
			// That of a task is settled already.
			if ('result' in end) this.#outcome.resolve(end.result);
			else this.#outcome.reject(end.thrown);
			if (this.#task && !this.isTask && !this.#call.context.isCanceled) this.#tasks.discard(this.#task);
		});
	}

	async #clientGone(reason: OrchestraError): Promise<void> {
		if (this.#becoming && this.isTask) return;
		await this.#becoming;
		const isLate = performance.now() - this.#beganAt >= (this.#plan.clientMs ?? 0);
		if (this.#task && (isLate || reason.data['isByPeer'] === false)) {
			void this.#task.run(this.#work);
			return this.#outcome.reject(reason);
		}
		if (this.#task) this.#tasks.discard(this.#task);
		this.#incoming.cancel(reason.message);
	}
}
