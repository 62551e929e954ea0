/*
 * A task that a server made of a call: followed until it ends, so that for the hub it is a call like
 * any other. Its elicitations go to the client of the call, its result is that of the call.
 *
 * A modern server has the result in its answer to `tasks/get`, which is requested when the server
 * reports a change, or at its interval when it reports none. A legacy one blocks `tasks/result`
 * until then, and sends its elicitations as requests meanwhile.
 *
 * A server elsewhere goes on with its task when its connection is lost: it is connected again, and queried again.
 */
import { firstLine, messageOf, OrchestraError } from '../../../errors.ts';
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import type { ServerRequestOptions } from '../../../mcp/client/server-link.ts';
import type { TaskSubscription } from '../../../mcp/client/task-pushes.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';
import type { InputRequests } from '../../../mcp/server/input-requests.ts';
import { type Answer, answerValue, type InputRequest, type Result } from '../../../protocol/mcp-types.ts';
import { CLIENT_CAPABILITIES } from '../../../protocol/meta.ts';
import { RELATED_TASK } from '../../../protocol/tasks.ts';
import { redactJson } from '../../../redact.ts';
import { Backoff } from '../../../rpc/backoff.ts';
import { pause } from '../../../rpc/clock.ts';
import { rpcError, rpcErrorOf } from '../../../rpc/rpc-error.ts';
import type { Supervisor } from '../../../rpc/supervisor.ts';
import { isObject } from '../../../wire/json.ts';
import { rpcCodes } from '../../../wire/json-rpc.ts';
import { JsonText, textAt, withoutMembers } from '../../../wire/json-text.ts';
import {
	TASK_INPUTS_LIMIT,
	UPSTREAM_ABSENT_MS,
	UPSTREAM_POLL_MS,
	UPSTREAM_RETRY_MS,
	UPSTREAM_TASK_ID_CHARACTERS,
} from '../../tasks/task-limits.ts';

export interface UpstreamTaskOptions {
	readonly connection: ServerConnection;
	/** Connects again to a server elsewhere; undefined when its tasks end with its connection. */
	readonly elsewhere?: Pick<Supervisor<ServerConnection>, 'up' | 'isClosed'> | undefined;
	/** The context of the call. */
	readonly context: CallContext;
	/** The client information and capabilities for a modern server. */
	readonly capabilities: Readonly<Record<string, unknown>>;
	/** Longest time of one request. */
	readonly timeoutMs: number;
	/** Longest time of the task. */
	readonly maxMs: number;
	/** Secrets in its elicitations are replaced, as in its results. */
	readonly redacts: boolean;
	/** The server sends these elicitations. Throws when there are too many. */
	readonly onInputRequests: (inputRequests: InputRequests) => void;
}

/** The id of the task that an answer to `tools/call` is about; undefined when it is no task. */
export function upstreamTaskOf(result: Result, { era }: ServerConnection): string | undefined {
	const { resultType, task } = result;
	const created = era === 'modern' ? resultType === 'task' && result : task;
	const id = isObject(created) ? created['taskId'] : undefined;
	if (isObject(created) && (typeof id !== 'string' || id === ''))
		throw badTask('the server made a task without an id');
	if (typeof id === 'string' && id.length > UPSTREAM_TASK_ID_CHARACTERS)
		throw badTask(`the id of the task is longer than ${UPSTREAM_TASK_ID_CHARACTERS} characters`);
	return typeof id === 'string' ? id : undefined;
}

/** Follow a task to its end. Rejects with its error; with `canceled` when the client of the call cancels it. */
export async function followTask(taskId: string, options: UpstreamTaskOptions): Promise<Answer> {
	const { connection, context } = options;
	context.upstreamTask = taskId;
	context.durable?.begunUpstream(taskId);
	const server = new TaskServer(taskId, options);
	context.onCancel(() => server.cancel());
	return connection.era === 'modern' ? new ModernTask(server, options).end() : legacyEnd(server, options);
}

/** The requests about a task to its server, over one connection after the other. */
class TaskServer {
	readonly taskId: string;
	readonly #options: UpstreamTaskOptions;
	readonly #endsAt: number;
	#connection: ServerConnection;

	constructor(taskId: string, options: UpstreamTaskOptions) {
		this.taskId = taskId;
		this.#options = options;
		this.#connection = options.connection;
		this.#endsAt = performance.now() + options.maxMs;
	}

	get connection(): ServerConnection {
		return this.#connection;
	}

	/** How long the task may still take, in milliseconds. */
	get leftMs(): number {
		return this.#endsAt - performance.now();
	}

	/** Make a request; again while the server cannot be reached. Rejects with the error of the server. */
	async ask(
		method: 'tasks/get' | 'tasks/update' | 'tasks/result' | 'tasks/cancel',
		{ params = {}, ...wait }: ServerRequestOptions & { readonly params?: Result } = {},
	): Promise<Answer> {
		const backoff = new Backoff(UPSTREAM_POLL_MS.least, UPSTREAM_RETRY_MS);
		// The cancellation itself is not canceled.
		const signal = method === 'tasks/cancel' ? undefined : this.#options.context.signal;
		let lostAt: number | undefined;
		for (;;) {
			try {
				if (lostAt !== undefined) await this.#reconnect();
				const answer = await this.#connection.ask(method, this.#paramsWith(params), {
					timeoutMs: Math.max(1, method === 'tasks/result' ? this.leftMs : this.#options.timeoutMs),
					...wait,
				});
				if (lostAt !== undefined) this.#options.context.durable?.says('the server can be reached again');
				return answer;
			} catch (error) {
				lostAt ??= performance.now();
				if (this.#isFinal(error, signal) || performance.now() - lostAt > UPSTREAM_ABSENT_MS) throw error;
				this.#options.context.durable?.says(
					`the server cannot be reached now: ${firstLine(messageOf(error))}`,
				);
				await pause(backoff.nextMs(), signal);
			}
		}
	}

	/** Cancel it at the server. It may have ended, or not be able to stop: neither matters. */
	cancel(): void {
		this.ask('tasks/cancel').catch(() => {});
	}

	async #reconnect(): Promise<void> {
		const { elsewhere } = this.#options;
		if (this.#connection.endReason && elsewhere) this.#connection = await elsewhere.up();
	}

	/** Whether another request would be in vain. */
	#isFinal(error: unknown, signal: AbortSignal | undefined): boolean {
		const { elsewhere } = this.#options;
		if (rpcErrorOf(error) || signal?.aborted || this.leftMs <= 0) return true;
		return elsewhere ? elsewhere.isClosed : this.#connection.endReason !== undefined;
	}

	#paramsWith(more: Result = {}): Result {
		const params = { taskId: this.taskId, ...more };
		return this.#connection.era === 'modern'
			? { ...params, _meta: { [CLIENT_CAPABILITIES]: this.#options.capabilities } }
			: params;
	}
}

class ModernTask {
	readonly #server: TaskServer;
	readonly #options: UpstreamTaskOptions;
	/** The keys of all elicitations so far: each is sent once. */
	readonly #seen = new Set<string>();
	readonly #failed = new AbortController();
	#polls = 0;
	#polledAt = Number.NEGATIVE_INFINITY;
	/** The server has reported a change. */
	#isPushed = false;
	#wake: (() => void) | undefined;

	constructor(server: TaskServer, options: UpstreamTaskOptions) {
		this.#server = server;
		this.#options = options;
	}

	async end(): Promise<Answer> {
		let { connection } = this.#server;
		let pushes = this.#listen(connection);
		let pollMs: number = UPSTREAM_POLL_MS.least;
		try {
			while (this.#server.leftMs > 0) {
				await this.#pause(Math.min(pollMs, Math.max(0, this.#server.leftMs)));
				const answer = await this.#state();
				const state = answerValue(answer);
				const result = this.#resultIn(answer, state);
				if (result) return result;
				if (connection !== this.#server.connection) {
					({ connection } = this.#server);
					pushes = this.#listen(connection);
				}
				pollMs = pushes?.isPushed ? UPSTREAM_POLL_MS.most : pollTime(state['pollIntervalMs']);
			}
		} finally {
			pushes?.end();
		}
		this.#server.cancel();
		throw new OrchestraError('timeout', `the task did not end within ${this.#options.maxMs} ms`, {
			data: { phase: 'call', outcome: 'unknown' },
		});
	}

	#listen(connection: ServerConnection): TaskSubscription | undefined {
		return connection.followTask(this.#server.taskId, () => {
			this.#isPushed = true;
			this.#wake?.();
		});
	}

	/** Wait before the next request: for `ms`, or until the server reports a change. */
	async #pause(ms: number): Promise<void> {
		const signal = AbortSignal.any([this.#options.context.signal, this.#failed.signal]);
		const pushed = new AbortController();
		this.#wake = () => pushed.abort();
		// Which of the two ended it is looked at below.
		if (!this.#isPushed) await pause(ms, AbortSignal.any([signal, pushed.signal])).catch(() => {});
		this.#isPushed = false;
		// A server that reports without end is not queried without end.
		await pause(Math.max(0, this.#polledAt + UPSTREAM_POLL_MS.least - performance.now()), signal);
		this.#polledAt = performance.now();
	}

	async #state(): Promise<Answer> {
		try {
			return await this.#server.ask('tasks/get', { keepsText: true });
		} catch (error) {
			throw rpcErrorOf(error)?.code === rpcCodes.invalidParams ? forgottenTask() : error;
		}
	}

	/** The result of a task that has ended. */
	#resultIn(answer: Answer, state: Result): Answer | undefined {
		const { taskId, status, statusMessage, result, error } = state;
		const { context } = this.#options;
		if (taskId !== undefined && taskId !== this.#server.taskId)
			throw badTask('the server answered with the state of another task');
		if (typeof statusMessage === 'string') context.durable?.says(statusMessage);
		context.progress(++this.#polls, undefined, typeof statusMessage === 'string' ? statusMessage : undefined);
		switch (status) {
			case 'working':
				return undefined;
			case 'input_required':
				this.#ask(this.#options.redacts ? redactJson(state['inputRequests']) : state['inputRequests']);
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
		const requests = Object.entries(isObject(inputRequests) ? inputRequests : {});
		const fresh = requests.filter(([key]) => !this.#seen.has(key));
		if (this.#seen.size + fresh.length > TASK_INPUTS_LIMIT)
			throw badTask(`the task has more than ${TASK_INPUTS_LIMIT} client requests`);
		for (const [key, request] of fresh) {
			if (!isObject(request) || typeof request['method'] !== 'string')
				throw badTask(`the client request "${key}" has no method`);
			this.#seen.add(key);
			// Its method is checked by the sender.
			this.#options.onInputRequests({ [key]: request as unknown as InputRequest });
			this.#answer(key, request as unknown as InputRequest).catch((error: unknown) => {
				this.#server.cancel();
				this.#failed.abort(error);
			});
		}
	}

	async #answer(key: string, request: InputRequest): Promise<void> {
		const { context } = this.#options;
		// A task of the hub withdraws all its elicitations at its end; dozens would listen to one signal.
		const signal = context.durable?.isTask ? undefined : context.signal;
		const inputResponses = await context.askAll({ [key]: request }, signal);
		await this.#server.ask('tasks/update', { params: { inputResponses } });
		// An answer changes the state, whether the server reports that or not.
		this.#isPushed = true;
		this.#wake?.();
	}
}

/** The result comes with the answer to one request. */
async function legacyEnd(server: TaskServer, { context, maxMs }: UpstreamTaskOptions): Promise<Answer> {
	const answer = await server.ask('tasks/result', { maxTotalMs: maxMs, work: context, keepsText: true });
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
