/*
 * Client requests and log messages of an MCP server, sent to the client whose call is in flight.
 *
 * A process that several clients share cannot say which client its request is for, except over HTTP,
 * where a request comes on the stream of a call. When all calls in flight are of one
 * client the answer is certain too; otherwise the server gets an error.
 */
import { attempt, OrchestraError } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';
import type { LogChange } from '../../../mcp/server/provider.ts';
import type { InputRequired } from '../../../protocol/mcp-types.ts';
import { INPUT_KEY, mcpCodes, metaOf, oldCodes } from '../../../protocol/meta.ts';
import { RELATED_TASK } from '../../../protocol/tasks.ts';
import { BoundedMap } from '../../../rpc/bounded-map.ts';
import { rpcErrorOf } from '../../../rpc/rpc-error.ts';
import { isObject } from '../../../wire/json.ts';
import {
	CLIENT_REQUESTS_PER_CALL,
	CLIENT_REQUESTS_PER_MINUTE,
	OPENED_PAGES_LIMIT,
} from '../source-limits.ts';
import type { ScopeChoice } from './process/scope-choice.ts';
import type { ServerProcess } from './process/server-process.ts';
import type { ServerRequest } from './server-deps.ts';

const MINUTE_MS = 60_000;

export class ServerClientRequests {
	readonly #server: string;
	readonly #log: Log;
	readonly #scope: Pick<ScopeChoice, 'requestReceived'>;
	/** The requests of each call. */
	readonly #byCall = new WeakMap<CallContext, number>();
	#minuteAt = Number.NEGATIVE_INFINITY;
	#inMinute = 0;
	/**
	 * The clients that the server asked to open pages (elicitation of mode `url`), by elicitation id: its notification
	 * that a user is done with one must reach the client that got it. Only legacy revisions have this notification.
	 */
	readonly #pages = new BoundedMap<string, CallContext['clientNotifier']>(OPENED_PAGES_LIMIT);
	/** Calls of modern clients that did not declare the capability that the server needs. */
	readonly #missing = new WeakMap<CallContext, unknown>();
	#hasWarned = false;

	constructor(server: string, scope: Pick<ScopeChoice, 'requestReceived'>, log: Log) {
		this.#server = server;
		this.#scope = scope;
		this.#log = log;
	}

	/** Ask the client of a call. Rejects with the error for the server. */
	async ask(context: CallContext, { method, params, signal }: ServerRequest): Promise<unknown> {
		this.#count(context, [method]);
		if (method === 'elicitation/create') this.#opened(context, [params]);
		try {
			const key = keyOf(params);
			const inputRequests = { [key]: { method, params: withoutToken(params) } };
			return (await context.askAll(inputRequests, signal))[key];
		} catch (error) {
			if (rpcErrorOf(error)?.code === mcpCodes.missingClientCapability) this.#missing.set(context, error);
			// The server gets the client's own error, not a message of the hub about it.
			const cause = OrchestraError.is(error) ? error.cause : undefined;
			throw rpcErrorOf(cause) ? cause : error;
		}
	}

	/** The call whose client must answer. Throws when that is not certain. */
	callOf(calls: readonly CallContext[], { method, params, call }: ServerRequest): CallContext {
		const named = calls.find((each) => each === call) ?? ofTask(calls, params);
		if (named) return named;
		const candidates = withoutTask(calls);
		const [first, ...others] = candidates;
		if (first === undefined) {
			throw new OrchestraError('closed', `no client has a call in flight that could answer ${method}`);
		}
		const isOneClient = others.every(({ sessionId }) => sessionId === first.sessionId);
		const certain = others.length === 0 ? first : isOneClient ? certainCall(candidates) : undefined;
		if (certain) return certain;
		const message = `${candidates.length} calls are in flight, so it is not certain which client must answer ${method}`;
		// Calls of one client would share the process of its session, too.
		const remedy = isOneClient ? 'Make one call at a time.' : this.#scope.requestReceived();
		if (!this.#hasWarned)
			this.#log.warn(`the MCP server ${this.#server} asks its client: ${message}. ${remedy}`);
		this.#hasWarned = true;
		throw new OrchestraError('bad_input', `${message}. ${remedy}`);
	}

	/** A modern server sends client requests with the result of a call. Throws when there are too many. */
	returned(context: CallContext, { inputRequests = {} }: InputRequired): void {
		const methods = Object.values(inputRequests).map(({ method }) => method);
		this.#count(context, methods);
	}

	/** The server answered a call with an error: that the client must open pages first, maybe. */
	failed(context: CallContext, thrown: unknown): void {
		const { code, data } = rpcErrorOf(thrown) ?? {};
		if (code !== oldCodes.urlElicitationRequired || !isObject(data)) return;
		this.#opened(context, Array.isArray(data['elicitations']) ? data['elicitations'] : []);
	}

	/** The server sent a notification that belongs to no call. Returns a log message for clients without a call in flight. */
	notified(process: ServerProcess, method: string, params: unknown): LogChange | undefined {
		if (method === 'notifications/elicitation/complete') this.#completed(params);
		// The answer that made the task may be in the same chunk, and be handled later in this turn.
		if (method === 'notifications/tasks/status') setImmediate(() => forwardStatus(process.contexts, params));
		const own = method === 'notifications/message' ? withoutToken(params) : undefined;
		if (own === undefined) return undefined;
		const { contexts, sessionId } = process;
		return {
			kind: 'log',
			params: own,
			sessionId,
			source: this.#server,
			heardBy: sendLog(contexts, own),
		};
	}

	/** Throw the error for a capability that the client of a failed call lacks, when that may be the cause. */
	throwMissing(context: CallContext): void {
		const error = this.#missing.get(context);
		if (error !== undefined && context.revision.era === 'modern') throw error;
	}

	/**
	 * Count the elicitation and sampling requests among these methods: each takes the attention of a user or the tokens
	 * of a model. Roots are not counted: the program of the client answers. Throws `bad_input` when they are too many.
	 */
	#count(call: CallContext, methods: readonly string[]): void {
		const count = methods.filter((method) => method !== 'roots/list').length;
		if (count === 0) return;
		const now = performance.now();
		if (now - this.#minuteAt >= MINUTE_MS) {
			this.#minuteAt = now;
			this.#inMinute = 0;
		}
		const ofCall = (this.#byCall.get(call) ?? 0) + count;
		if (ofCall > CLIENT_REQUESTS_PER_CALL)
			throw tooMany(this.#server, `${CLIENT_REQUESTS_PER_CALL} times during one call`);
		if (this.#inMinute + count > CLIENT_REQUESTS_PER_MINUTE)
			throw tooMany(this.#server, `${CLIENT_REQUESTS_PER_MINUTE} times within a minute`);
		this.#byCall.set(call, ofCall);
		this.#inMinute += count;
	}

	/** The client of a call got these URLs. */
	#opened({ revision, clientNotifier }: CallContext, elicitations: readonly unknown[]): void {
		if (revision.era === 'modern') return;
		for (const elicitation of elicitations) {
			const id = elicitationIdOf(elicitation);
			if (id !== undefined) this.#pages.set(id, clientNotifier);
		}
	}

	/** @param params of `notifications/elicitation/complete` */
	#completed(params: unknown): void {
		const id = elicitationIdOf(params) ?? '';
		const notify = this.#pages.get(id);
		this.#pages.delete(id);
		// The client has disconnected.
		attempt(() => notify?.('notifications/elicitation/complete', params));
	}
}

function tooMany(server: string, bound: string): OrchestraError {
	return new OrchestraError('bad_input', `${server} may ask its clients at most ${bound}`, {
		hint: 'The server asks for input or for messages of a model again and again. Report this to its author.',
	});
}

function elicitationIdOf(params: unknown): string | undefined {
	const id = isObject(params) ? params['elicitationId'] : undefined;
	return typeof id === 'string' ? id : undefined;
}

/**
 * Of several calls of one client, the call that can carry the request. A legacy client gets a request, so any call will
 * do. A modern one answers in the retry of the call that asks: not one whose client requests it has and maybe abandoned.
 */
function certainCall(calls: readonly CallContext[]): CallContext | undefined {
	if (calls.every(({ revision }) => revision.era === 'legacy')) return calls[0];
	const [open, ...others] = calls.filter(({ isOpen }) => isOpen);
	return others.length === 0 ? open : undefined;
}

/** Forward the status of a task of a legacy server; its end is known by its result. */
function forwardStatus(calls: readonly CallContext[], params: unknown): void {
	const { taskId, statusMessage } = isObject(params) ? params : {};
	const call = calls.find(({ upstreamTask }) => upstreamTask !== undefined && upstreamTask === taskId);
	if (typeof statusMessage === 'string') call?.durable?.says(statusMessage);
}

/** Send a log message that belongs to no single call to every client with a call in flight. Returns their sessions. */
function sendLog(calls: readonly CallContext[], params: Readonly<Record<string, unknown>>): Set<string> {
	const sessions = new Set<string>();
	for (const context of calls) {
		if (sessions.has(context.sessionId)) continue;
		sessions.add(context.sessionId);
		context.forwardLog(params);
	}
	return sessions;
}

/** Send a log message of a server to the client of a call. */
export function forwardLog(context: CallContext, params: unknown): void {
	const own = withoutToken(params);
	if (own) context.forwardLog(own);
}

/** The id of the task that a legacy request belongs to. */
export function relatedTaskOf(params: unknown): unknown {
	const related = metaOf(params)[RELATED_TASK];
	return isObject(related) ? related['taskId'] : undefined;
}

/** The call that became the task which a request of the server belongs to. */
function ofTask(calls: readonly CallContext[], params: unknown): CallContext | undefined {
	const id = relatedTaskOf(params);
	return id === undefined ? undefined : calls.find(({ upstreamTask }) => upstreamTask === id);
}

/** A client request of a task says so: any other belongs to a call that is none, if there is one. */
function withoutTask(calls: readonly CallContext[]): readonly CallContext[] {
	const plain = calls.filter(({ upstreamTask }) => upstreamTask === undefined);
	return plain.length > 0 ? plain : calls;
}

/** The key of a request of the server for a modern client: a legacy server has no place for it but `_meta`. */
function keyOf(params: unknown): string {
	const key = metaOf(params)[INPUT_KEY];
	return typeof key === 'string' ? key : 'answer';
}

/** A progress token is valid on one connection only, and so is the id of a task. */
export function withoutToken(params: unknown): Record<string, unknown> | undefined {
	if (!isObject(params)) return undefined;
	const { progressToken: _token, [RELATED_TASK]: _task, [INPUT_KEY]: _key, ...meta } = metaOf(params);
	const { _meta, ...others } = params;
	const count = Object.keys(meta).length;
	if (!isObject(_meta) || count === Object.keys(_meta).length) return params;
	return count === 0 ? others : { ...others, _meta: meta };
}
