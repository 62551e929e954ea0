/*
 * A task that a server made of a call: followed until it ends, so that for the hub it is a call like
 * any other. Its questions go to the client of the call, its result is that of the call.
 *
 * A modern server has the result in its answer to `tasks/get`. A legacy one blocks `tasks/result`
 * until then, and sends its questions as requests meanwhile.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { OrchestraError } from '../../../errors.ts';
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';
import type { Questions } from '../../../mcp/server/client-questions.ts';
import { type Answer, answerValue, type InputRequest, type Result } from '../../../protocol/mcp-types.ts';
import { CLIENT_CAPABILITIES } from '../../../protocol/meta.ts';
import { RELATED_TASK } from '../../../protocol/tasks.ts';
import { rpcError, rpcErrorOf } from '../../../rpc/rpc-error.ts';
import { isObject } from '../../../wire/json.ts';
import { rpcCodes } from '../../../wire/json-rpc.ts';
import { JsonText, textAt, withoutMembers } from '../../../wire/json-text.ts';
import { TASK_QUESTIONS_LIMIT, UPSTREAM_FAILURES_LIMIT, UPSTREAM_POLL_MS } from '../../tasks/task-limits.ts';

export interface UpstreamTaskOptions {
	readonly connection: ServerConnection;
	/** Of the call. */
	readonly context: CallContext;
	/** What a modern server is told of the client. */
	readonly capabilities: Readonly<Record<string, unknown>>;
	/** Longest time of one request. */
	readonly timeoutMs: number;
	/** Longest time of the task. */
	readonly maxMs: number;
	/** The server asks these. Throws when it asks too often. */
	readonly onQuestions: (questions: Questions) => void;
}

/** The id of the task that an answer to `tools/call` is about; undefined when it is no task. */
export function upstreamTaskOf(result: Result, { era }: ServerConnection): string | undefined {
	const { resultType, task } = result;
	const created = era === 'modern' ? resultType === 'task' && result : task;
	const id = isObject(created) ? created['taskId'] : undefined;
	if (isObject(created) && (typeof id !== 'string' || id === ''))
		throw badTask('the server made a task without an id');
	return typeof id === 'string' ? id : undefined;
}

/** Follow a task to its end. Rejects with its error; with `canceled` when the client of the call cancels it. */
export async function followTask(taskId: string, options: UpstreamTaskOptions): Promise<Answer> {
	const { connection, context } = options;
	context.upstreamTask = taskId;
	context.durable?.begunUpstream(taskId);
	context.onCancel(() => cancelTask(taskId, options));
	return connection.era === 'modern' ? new ModernTask(taskId, options).end() : legacyEnd(taskId, options);
}

class ModernTask {
	readonly #taskId: string;
	readonly #options: UpstreamTaskOptions;
	readonly #endsAt: number;
	/** The keys of all questions so far: each is asked once. */
	readonly #asked = new Set<string>();
	readonly #failed = new AbortController();
	#failures = 0;
	#polls = 0;

	constructor(taskId: string, options: UpstreamTaskOptions) {
		this.#taskId = taskId;
		this.#options = options;
		this.#endsAt = performance.now() + options.maxMs;
	}

	async end(): Promise<Answer> {
		const { context } = this.#options;
		const signal = AbortSignal.any([context.signal, this.#failed.signal]);
		let pollMs: number = UPSTREAM_POLL_MS.least;
		while (performance.now() < this.#endsAt) {
			await this.#pause(pollMs, signal);
			const answer = await this.#state();
			const state = answer && answerValue(answer);
			const result = answer && state && this.#resultIn(answer, state);
			if (result) return result;
			pollMs = pollTime(state?.['pollIntervalMs']);
		}
		cancelTask(this.#taskId, this.#options);
		throw new OrchestraError('timeout', `the task did not end within ${this.#options.maxMs} ms`, {
			data: { phase: 'call', outcome: 'unknown' },
		});
	}

	async #pause(ms: number, signal: AbortSignal): Promise<void> {
		try {
			await delay(ms, undefined, { signal });
		} catch {
			const { context } = this.#options;
			throw OrchestraError.from(this.#failed.signal.reason ?? context.signal.reason, 'canceled');
		}
	}

	/** Undefined when the server could not be asked, and may be asked again. */
	async #state(): Promise<Answer | undefined> {
		const { connection, timeoutMs } = this.#options;
		try {
			const params = requestParams(this.#taskId, this.#options);
			const answer = await connection.ask('tasks/get', params, { timeoutMs, keepsText: true });
			this.#failures = 0;
			return answer;
		} catch (error) {
			const refusal = rpcErrorOf(error);
			if (refusal?.code === rpcCodes.invalidParams) throw forgottenTask();
			const isFinal = refusal !== undefined || connection.endReason !== undefined;
			if (isFinal || ++this.#failures >= UPSTREAM_FAILURES_LIMIT) throw error;
			return undefined;
		}
	}

	/** The result of a task that has ended. */
	#resultIn(answer: Answer, state: Result): Answer | undefined {
		const { taskId = this.#taskId, status, statusMessage, result, error } = state;
		const { context } = this.#options;
		if (taskId !== this.#taskId) throw badTask('the server answered with the state of another task');
		if (typeof statusMessage === 'string') context.durable?.says(statusMessage);
		context.progress(++this.#polls, undefined, typeof statusMessage === 'string' ? statusMessage : undefined);
		switch (status) {
			case 'working':
				return undefined;
			case 'input_required':
				this.#ask(state['inputRequests']);
				return undefined;
			case 'completed':
				if (!isObject(result)) throw badTask('the task is completed and has no result');
				return new JsonText(textOf(answer, 'result') ?? JSON.stringify(result), result);
			case 'failed': {
				const { code, message, data } = isObject(error) ? error : {};
				if (typeof code !== 'number') throw badTask('the task has failed and has no error');
				throw rpcError(code, String(message), data);
			}
			case 'cancelled':
				throw new OrchestraError('canceled', 'the server canceled the task');
			default:
				throw badTask(`the status of the task is ${JSON.stringify(status)}`);
		}
	}

	/** Each answer is sent on as it comes. */
	#ask(inputRequests: unknown): void {
		const questions = Object.entries(isObject(inputRequests) ? inputRequests : {});
		const fresh = questions.filter(([key]) => !this.#asked.has(key));
		if (this.#asked.size + fresh.length > TASK_QUESTIONS_LIMIT)
			throw badTask(`the task has more than ${TASK_QUESTIONS_LIMIT} questions`);
		for (const [key, question] of fresh) {
			if (!isObject(question) || typeof question['method'] !== 'string')
				throw badTask(`the question "${key}" has no method`);
			this.#asked.add(key);
			// Its method is checked by who asks it.
			this.#options.onQuestions({ [key]: question as unknown as InputRequest });
			this.#answer(key, question as unknown as InputRequest).catch((error: unknown) => {
				cancelTask(this.#taskId, this.#options);
				this.#failed.abort(error);
			});
		}
	}

	async #answer(key: string, question: InputRequest): Promise<void> {
		const { context, connection, timeoutMs } = this.#options;
		const inputResponses = await context.askAll({ [key]: question }, context.signal);
		const params = { ...requestParams(this.#taskId, this.#options), inputResponses };
		await connection.ask('tasks/update', params, { timeoutMs });
	}
}

/** The result comes with the answer to one request. */
async function legacyEnd(taskId: string, options: UpstreamTaskOptions): Promise<Answer> {
	const { connection, context, maxMs } = options;
	const wait = { timeoutMs: maxMs, maxTotalMs: maxMs, work: context, keepsText: true };
	const answer = await connection.ask('tasks/result', { taskId }, wait);
	return withoutRelatedTask(answer);
}

/** The client knows the task by another id. */
function withoutRelatedTask(answer: Answer): Answer {
	const { _meta: meta } = answerValue(answer);
	if (!isObject(meta) || !(RELATED_TASK in meta)) return answer;
	const path = Object.keys(meta).length === 1 ? ['_meta'] : ['_meta', RELATED_TASK];
	const text = answer instanceof JsonText ? answer.text : JSON.stringify(answer);
	return new JsonText(withoutMembers(text, [path]));
}

/** It may have ended, or not be able to stop: neither matters. */
function cancelTask(taskId: string, options: UpstreamTaskOptions): void {
	const { connection, timeoutMs } = options;
	connection.ask('tasks/cancel', requestParams(taskId, options), { timeoutMs }).catch(() => {});
}

function requestParams(taskId: string, { connection, capabilities }: UpstreamTaskOptions): Result {
	return connection.era === 'modern'
		? { taskId, _meta: { [CLIENT_CAPABILITIES]: capabilities } }
		: { taskId };
}

function textOf(answer: Answer, member: string): string | undefined {
	return answer instanceof JsonText ? textAt(answer.text, member) : undefined;
}

function pollTime(given: unknown): number {
	const { least, most, default: usual } = UPSTREAM_POLL_MS;
	return typeof given === 'number' && given > 0 ? Math.min(most, Math.max(least, given)) : usual;
}

/** It may have been started anew, or the time of the task is over. */
function forgottenTask(): OrchestraError {
	return new OrchestraError(
		'bad_frame',
		'the server does not know its task any more; its outcome is unknown',
		{
			data: { phase: 'call', outcome: 'unknown' },
		},
	);
}

function badTask(message: string): OrchestraError {
	return new OrchestraError('bad_frame', message, {
		hint: 'The server does not follow MCP. Report this to its author.',
		data: { phase: 'call', outcome: 'unknown' },
	});
}
