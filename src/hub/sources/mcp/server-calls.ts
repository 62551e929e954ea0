/*
 * Forwards one request of a client to a server and the answer back.
 *
 * At most once: a request that may have reached the server and got no answer is not
 * repeated, unless it has no effect or repeating it has none. Progress and log messages
 * pass in order, before the answer. The result is passed on untouched, unless the entry has
 * `redact`.
 */

import type { ServerEntry, ServerSettings } from '../../../config/configuration.ts';
import { OrchestraError, requestOutcomeOf } from '../../../errors.ts';
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import type { ServerRequestOptions } from '../../../mcp/client/server-link.ts';
import { CLIENT_ANSWER_MS } from '../../../mcp/mcp-limits.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';
import { calls } from '../../../mcp/server/methods.ts';
import { EraPatch } from '../../../mcp/server/plain-messages.ts';
import type { CallMethod } from '../../../mcp/server/provider.ts';
import { undeclaredTasks } from '../../../mcp/server/task-methods.ts';
import {
	type Answer,
	answerValue,
	exactAnswer,
	type Implementation,
	isInputRequired,
	type Result,
} from '../../../protocol/mcp-types.ts';
import {
	CLIENT_CAPABILITIES,
	CLIENT_INFO,
	LOG_LEVEL,
	metaOf,
	PROTOCOL_VERSION,
} from '../../../protocol/meta.ts';
import { declaresTasks, TASKS, takesTaskCalls } from '../../../protocol/tasks.ts';
import { redactJson } from '../../../redact.ts';
import { abortable } from '../../../rpc/abortable.ts';
import { rpcErrorOf } from '../../../rpc/rpc-error.ts';
import { Semaphore } from '../../../rpc/semaphore.ts';
import { isObject } from '../../../wire/json.ts';
import { JsonText, withMember } from '../../../wire/json-text.ts';
import type { UriLabels } from '../../catalogue/uri-labels.ts';
import type { ExtensionRules } from '../../extensions.ts';
import type { LogLevels } from './log-levels.ts';
import { type PlainTarget, ReceivedAnswer } from './plain-call.ts';
import { answeredError } from './process/server-failure.ts';
import type { ServerPool } from './process/server-pool.ts';
import type { ServerProcess } from './process/server-process.ts';
import { forwardLog, type ServerClientRequests, withoutToken } from './server-client-requests.ts';
import type { AddedValues } from './tools/overridden-tools.ts';
import { followTask, upstreamTaskOf } from './upstream-task.ts';

/** A request of a client, for a server. */
export interface ForwardedCall {
	readonly method: CallMethod;
	readonly context: CallContext;
	/** Fields that replace those of the client, such as the server's own name of a tool. */
	readonly changes: Readonly<Record<string, unknown>>;
	/** Arguments of the configuration, in place of those of the client. */
	readonly values?: AddedValues | undefined;
	/** The `taskSupport` of the tool. */
	readonly taskSupport?: 'optional' | 'required' | undefined;
	/** Whether the request may be made again after the server ended during it. */
	readonly mayRepeat: () => boolean;
	/** Whether the result must not be changed: it has a digest. */
	readonly isExact?: boolean;
}

export interface ServerCallsOptions {
	readonly entry: ServerEntry;
	readonly pool: ServerPool;
	readonly queue: Semaphore;
	readonly clientRequests: ServerClientRequests;
	readonly levels: LogLevels;
	readonly extensions: ExtensionRules;
	/** The `ui://` URIs in results. */
	readonly pages: UriLabels;
	/** Called before a call of a tool. Its result is that of the call; undefined makes the call. */
	readonly check?: ((connection: ServerConnection, tool: string) => Promise<Result | undefined>) | undefined;
}

/** Bounds the calls of one server: so many in flight, so many waiting, an error above that. */
export function callSemaphore(
	server: string,
	{ concurrency, queue }: { readonly concurrency: number; readonly queue: number },
): Semaphore {
	return new Semaphore({
		limit: concurrency,
		queueLimit: queue,
		refuse: () =>
			new OrchestraError(
				'closed',
				`the MCP server ${server} has ${concurrency} calls in flight and ${queue} waiting; this call was refused`,
				{
					hint: 'Call it again later, or raise `concurrency` or `queue` of the server.',
					data: { server, concurrency, queue, outcome: 'not_run' },
				},
			),
	});
}

/** Where a call was sent, and when. */
interface SentCall {
	readonly process: ServerProcess;
	readonly connection: ServerConnection;
	/** The id of the request; undefined when it was not sent here. */
	readonly id?: number | undefined;
	readonly begin: number;
	/** Makes the call once more. */
	readonly repeat: () => Promise<Answer>;
}

export class ServerCalls {
	readonly #options: ServerCallsOptions;
	readonly #settings: ServerSettings;
	#lastCall = 0;

	constructor(options: ServerCallsOptions) {
		this.#options = options;
		this.#settings = options.entry.settings;
	}

	/** A running process that takes calls of a tool as text; undefined when they must be parsed. */
	plainTarget(own: string, context: CallContext, serverInfo: Implementation): PlainTarget | undefined {
		const { pool, queue, levels, check, extensions } = this.#options;
		const { redact, timeoutMs, maxMs } = this.#settings;
		if (redact || check !== undefined) return undefined;
		const process = pool.runningFor(context);
		const connection = process?.connection;
		if (process === undefined || connection === undefined || !isPlainPair(context, connection))
			return undefined;
		if (mayMakeTask(context, connection)) return undefined;
		const { clientInfo, clientCapabilities, logLevel, revision } = context;
		const capabilities = extensions.forwarded(clientCapabilities);
		const isLegacy = revision.era === 'legacy';
		const modernLevel = isLegacy ? undefined : logLevel;
		const patch = new EraPatch({
			client: revision.era,
			server: connection.era,
			envelope: { version: connection.revision.version, capabilities, clientInfo, logLevel },
			isReduced: capabilities !== clientCapabilities,
			serverInfo,
		});
		return {
			process,
			connection,
			upstreamName: JSON.stringify(own),
			patch,
			timeoutMs,
			maxTotalMs: maxMs,
			enter: (client) => {
				if (process.connection !== connection || !queue.tryEnter(undefined)) return undefined;
				levels.need(connection, modernLevel ?? (isLegacy ? client.chosenLogLevel : undefined));
				return ++this.#lastCall;
			},
			leave: (place) => {
				process.calls.take(place);
				queue.leave();
			},
			log: forwardLog,
		};
	}

	/** Make the call. Rejects with the error of the server, or with the failure of the server. */
	forward(call: ForwardedCall): Promise<Answer> {
		const { received } = call.context;
		if (received instanceof ReceivedAnswer) return this.#settle(received, call);
		return this.#enter(call);
	}

	#enter(call: ForwardedCall): Promise<Answer> {
		// The signal is made only for a call that waits.
		const place = this.#options.queue.enter(undefined, () => ({ signal: call.context.signal }));
		if (!place) return this.#run(call);
		return place.finally(call.context.enter('queue')).then(() => this.#run(call));
	}

	/** Written with few promises: this is the path of every call. */
	#run(call: ForwardedCall): Promise<Answer> {
		const { pool, queue } = this.#options;
		const number = ++this.#lastCall;
		let process: ServerProcess | undefined;
		const leave = (): void => {
			process?.calls.take(number);
			if (process) pool.release(process);
			queue.leave();
		};
		try {
			process = pool.take(call.context);
			process.calls.set(number, call);
			const { connection } = process;
			return this.#leaving(
				connection ? this.#sendChecked(process, call, connection) : this.#startFor(process, call),
				leave,
			);
		} catch (error) {
			leave();
			throw error;
		}
	}

	#leaving(response: Promise<Answer>, leave: () => void): Promise<Answer> {
		return response.then(
			(result) => {
				leave();
				return result;
			},
			(error: unknown) => {
				leave();
				throw error;
			},
		);
	}

	async #startFor(process: ServerProcess, call: ForwardedCall): Promise<Answer> {
		const isStarted = call.context.enter('start');
		const connection = await this.#started(process, call.context).finally(isStarted);
		return this.#sendChecked(process, call, connection);
	}

	#sendChecked(process: ServerProcess, call: ForwardedCall, connection: ServerConnection): Promise<Answer> {
		const { check } = this.#options;
		const isCalled = call.method === 'tools/call' && call.context.durable?.sentAs === undefined;
		if (check === undefined || !isCalled) return this.#send(process, call, connection);
		const name = String(call.changes['name']);
		const checked = abortable(() => check(connection, name), call.context.signal);
		return checked.then((refused) => refused ?? this.#send(process, call, connection));
	}

	#send(process: ServerProcess, call: ForwardedCall, connection: ServerConnection): Promise<Answer> {
		const { context } = call;
		const begin = performance.now();
		this.#options.levels.need(connection, context.chosenLogLevel);
		const { sentAs } = context.durable ?? {};
		let id: number | undefined;
		const onId = (given: number): void => {
			id = given;
		};
		const response =
			sentAs === undefined
				? this.#ask(call, connection, onId)
				: this.#follow(sentAs, call, { process, connection });
		const repeat = (): Promise<Answer> => this.#startFor(process, { ...call, mayRepeat: never });
		return this.#settled(response, call, { process, connection, id, begin, repeat });
	}

	#ask(call: ForwardedCall, connection: ServerConnection, onId: (id: number) => void): Promise<Answer> {
		const task = this.#taskFor(call, connection);
		const params = forwardedParams(call, connection, this.#options.extensions);
		const options = this.#optionsOf(call);
		return task
			? connection.ask(call.method, { ...params, task }, { ...options, onId })
			: connection.ask(call.method, params, options);
	}

	/** A call that was sent as text. */
	#settle({ call: plain, response }: ReceivedAnswer, call: ForwardedCall): Promise<Answer> {
		const { process, connection } = plain.route.target;
		plain.entered(call.context);
		const repeat = (): Promise<Answer> => this.#enter({ ...call, mayRepeat: never });
		return this.#settled(response, call, { process, connection, begin: plain.beganAt, repeat });
	}

	#settled(response: Promise<Answer>, call: ForwardedCall, sent: SentCall): Promise<Answer> {
		const { context } = call;
		const { process, connection, begin, repeat } = sent;
		return this.#completed(response, call, sent).then(
			(answer) => {
				process.answered();
				const result = answerValue(answer);
				if (isInputRequired(result)) {
					this.#options.clientRequests.returned(context, result);
					process.keepFor(CLIENT_ANSWER_MS);
				}
				if (result['isError'] === true) this.#options.clientRequests.throwMissing(context);
				// Its client requests are passed on one by one. Redaction keeps the shape of a JSON value.
				const given = isInputRequired(result) ? exactAnswer(answer) : answer;
				const safe = this.#settings.redact && !call.isExact ? (redactJson(result) as Result) : given;
				return calls[call.method].mapped === 'links' ? this.#options.pages.result(safe) : safe;
			},
			(thrown: unknown) => {
				if (rpcErrorOf(thrown)) {
					process.answered();
					this.#options.clientRequests.failed(context, thrown);
					this.#options.clientRequests.throwMissing(context);
				}
				if (isLost(thrown) && !context.isCanceled && call.mayRepeat()) return repeat();
				const error = answeredError(thrown, context.revision.era);
				throw process.explain(error, 'call', connection, performance.now() - begin);
			},
		);
	}

	/** The result of a call; that of its task, when the server made one. */
	#completed(response: Promise<Answer>, call: ForwardedCall, sent: SentCall): Promise<Answer> {
		if (call.method !== 'tools/call' || call.context.durable?.sentAs !== undefined) return response;
		return response.then((answer) => {
			const taskId = upstreamTaskOf(answerValue(answer), sent.connection);
			return taskId === undefined ? answer : this.#follow(taskId, call, sent);
		});
	}

	#follow(
		taskId: string,
		{ context }: ForwardedCall,
		{ process, connection, id }: Pick<SentCall, 'process' | 'connection' | 'id'>,
	): Promise<Answer> {
		const { entry, extensions, clientRequests } = this.#options;
		const { timeoutMs, maxMs, redact: redacts } = this.#settings;
		// The token of the call is valid until the task ends.
		const stop = id === undefined ? undefined : connection.followProgress(id, progressTo(context));
		const end = followTask(taskId, {
			connection,
			// Tasks of a remote server outlive its connection.
			elsewhere: entry.kind === 'stdio' ? undefined : process.supervisor,
			context,
			capabilities: declaredTo(connection, context, extensions),
			timeoutMs,
			maxMs: context.durable?.maxMs ?? maxMs,
			redacts,
			onInputRequests: (inputRequests) =>
				clientRequests.returned(context, { resultType: 'input_required', inputRequests }),
		});
		return stop ? end.finally(stop) : end;
	}

	/**
	 * Asks a legacy server for a task when the tool allows it. A modern client without tasks gets the result of a plain
	 * call, or -32021 when the tool needs a task; for a legacy one the hub follows the task, since servers on the official
	 * SDK ask nothing during a plain call of such a tool.
	 */
	#taskFor(
		{ method, context, taskSupport }: ForwardedCall,
		connection: ServerConnection,
	): Result | undefined {
		const takesTasks = connection.era === 'legacy' && takesTaskCalls(connection.capabilities);
		if (method !== 'tools/call' || taskSupport === undefined || !takesTasks) return undefined;
		const ttl = context.durable?.maxMs ?? this.#settings.maxMs;
		if (context.durable?.isTask || context.revision.era === 'legacy') return { ttl };
		if (taskSupport === 'required') throw undeclaredTasks();
		return undefined;
	}

	/** Start the process. A canceled call does not wait for it, unless the server must be notified: it has the task. */
	#started(process: ServerProcess, context: CallContext): Promise<ServerConnection> {
		context.progress(0, undefined, `starting ${this.#options.entry.name}`);
		if (context.durable?.sentAs !== undefined) return process.supervisor.up();
		return abortable(() => process.supervisor.up(), context.signal);
	}

	#optionsOf(call: ForwardedCall): ServerRequestOptions {
		const { timeoutMs, maxMs } = this.#settings;
		const { context } = call;
		const isReported = reportsProgress(call);
		return {
			timeoutMs: context.durable?.maxMs ?? timeoutMs,
			maxTotalMs: context.durable?.maxMs ?? maxMs,
			work: context,
			keepsText: true,
			onProgress: isReported ? progressTo(context) : undefined,
			// The tag is `onLog`, without a copy of these options.
			tag: context.logLevel === undefined ? undefined : (params: unknown) => forwardLog(context, params),
		};
	}
}

const never = (): boolean => false;

function progressTo(context: CallContext): (params: unknown) => void {
	return (params) => {
		const own = withoutToken(params);
		if (own) context.forwardProgress(own);
	};
}

/**
 * Whether calls between a client and a server can be passed on as text. A server over HTTP sends client requests on the stream of a call,
 * which a modern client cannot answer there. A modern server must know its client.
 */
function isPlainPair({ revision, clientInfo }: CallContext, { era, transport }: ServerConnection): boolean {
	if (revision.era === era) return true;
	return era === 'modern' ? isObject(clientInfo) : !('streamId' in transport);
}

/** Whether a call may return a task that the hub has to follow. */
function mayMakeTask({ revision, clientCapabilities }: CallContext, server: ServerConnection): boolean {
	if (server.era === 'legacy' || !declaresTasks(server.capabilities)) return false;
	return revision.era === 'legacy' || declaresTasks(clientCapabilities);
}

/** The client information and capabilities of a call for a modern server. The hub follows a task for a legacy client. */
function declaredTo(
	{ capabilities: server }: ServerConnection,
	{ revision, clientCapabilities }: CallContext,
	extensions: ExtensionRules,
): Readonly<Record<string, unknown>> {
	const forwarded = extensions.forwarded(clientCapabilities);
	if (revision.era === 'modern' || !declaresTasks(server)) return forwarded;
	return { ...forwarded, extensions: { ...Object(forwarded['extensions']), [TASKS]: {} } };
}

/** A tool restarts its idle timeout with progress, whether the client wants to see it or not. */
function reportsProgress({ method, context }: ForwardedCall): boolean {
	return method === 'tools/call' || context.wantsProgress;
}

/** The connection ended during the request. A server that is only slow may still answer. */
function isLost(thrown: unknown): boolean {
	const isEnd = OrchestraError.is(thrown, 'closed') || OrchestraError.is(thrown, 'io');
	return isEnd && requestOutcomeOf(thrown) === 'unknown';
}

/** The params of the client, with fields that we do not know, for this server. */
function forwardedParams(
	call: ForwardedCall,
	connection: ServerConnection,
	extensions: ExtensionRules,
): Result {
	const { era, revision } = connection;
	const { context, changes } = call;
	const { inputResponses, requestState } = context;
	const forwarded: Result = { ...context.params, ...changes };
	// The hub requests a task itself, where the server has them.
	if ('task' in forwarded) delete forwarded['task'];
	if ('arguments' in forwarded) forwarded['arguments'] = context.exactArguments ?? forwarded['arguments'];
	if (call.values) forwarded['arguments'] = withValues(forwarded['arguments'], call.values);
	// The session has opened the sealed state of the client.
	if ('requestState' in forwarded || requestState !== undefined) forwarded['requestState'] = requestState;
	if ('inputResponses' in forwarded || inputResponses !== undefined)
		forwarded['inputResponses'] = inputResponses;
	const { progressToken: _ofTheClient, ...own } = metaOf(forwarded);
	const meta: Result = own;
	if (era === 'modern' && context.revision.era === 'legacy') meta[PROTOCOL_VERSION] = revision.version;
	if (era === 'modern') addClient(meta, context, declaredTo(connection, context, extensions));
	const traceparent = context.tracer?.sent();
	if (traceparent !== undefined) meta['traceparent'] = traceparent;
	if (reportsProgress(call)) meta['progressToken'] = undefined; // a place for ours
	if ('_meta' in forwarded || Object.keys(meta).length > 0) forwarded['_meta'] = meta;
	return forwarded;
}

/** A modern request says who its client is, and what it can do. */
function addClient(meta: Result, { clientInfo, logLevel }: CallContext, capabilities: object): void {
	meta[CLIENT_CAPABILITIES] = capabilities;
	if (isObject(clientInfo)) meta[CLIENT_INFO] = clientInfo;
	if (logLevel !== undefined) meta[LOG_LEVEL] = logLevel;
}

/** The arguments of the client with these; the others keep their digits. */
function withValues(given: unknown, values: AddedValues): unknown {
	if (!(given instanceof JsonText)) return { ...(isObject(given) ? given : {}), ...values };
	const text = Object.entries(values).reduce(
		(written, [name, value]) => withMember(written, [name], JSON.stringify(value)),
		given.text,
	);
	return new JsonText(text);
}
