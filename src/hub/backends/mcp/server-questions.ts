/*
 * Questions and log messages of an MCP server, sent to the client whose call is in flight.
 *
 * A process that several clients share cannot say which client it asks. With calls of
 * one client in flight the answer is certain; with several the server gets an error.
 */
import { OrchestraError } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';
import type { LogChange } from '../../../mcp/server/provider.ts';
import { mcpCodes, metaOf, oldCodes } from '../../../protocol/meta.ts';
import { rpcErrorOf } from '../../../rpc/rpc-error.ts';
import { isObject } from '../../../wire/json.ts';
import { OpenedPages } from './opened-pages.ts';
import type { ServerProcess } from './server-process.ts';

export class ServerQuestions {
	readonly #server: string;
	readonly #log: Log;
	readonly #pages = new OpenedPages();
	/** Calls of modern clients that did not declare what the server asked for. */
	readonly #missing = new WeakMap<CallContext, unknown>();
	#hasWarned = false;

	constructor(server: string, log: Log) {
		this.#server = server;
		this.#log = log;
	}

	/** Ask the client of the call in flight. Rejects with the error for the server. */
	async ask(
		calls: readonly CallContext[],
		method: string,
		params: unknown,
		signal: AbortSignal,
	): Promise<unknown> {
		const context = this.#contextFor(calls, method);
		if (method === 'elicitation/create') this.#pages.asked(context, [params]);
		try {
			const { answer } = await context.askAll({ answer: { method, params: withoutToken(params) } }, signal);
			return answer;
		} catch (error) {
			if (rpcErrorOf(error)?.code === mcpCodes.missingClientCapability) this.#missing.set(context, error);
			// The server gets the client's own error, not our words about it.
			const cause = OrchestraError.is(error) ? error.cause : undefined;
			throw rpcErrorOf(cause) ? cause : error;
		}
	}

	/** The server answered a call with an error: that the client must open pages first, maybe. */
	failed(context: CallContext, thrown: unknown): void {
		const { code, data } = rpcErrorOf(thrown) ?? {};
		if (code !== oldCodes.urlElicitationRequired || !isObject(data)) return;
		this.#pages.asked(context, Array.isArray(data['elicitations']) ? data['elicitations'] : []);
	}

	/** The server sent a notification that belongs to no call. Returns a log message for clients without a call in flight. */
	notified(process: ServerProcess, method: string, params: unknown): LogChange | undefined {
		if (method === 'notifications/elicitation/complete') this.#pages.done(params);
		const own = method === 'notifications/message' ? withoutToken(params) : undefined;
		if (own === undefined) return undefined;
		const { calls, sessionId } = process;
		return {
			kind: 'log',
			params: own,
			sessionId,
			source: this.#server,
			heardBy: sendLog([...calls.values()], own),
		};
	}

	/** For a call that failed: throw the error for a capability that its client lacks, when that may be the cause. */
	throwMissing(context: CallContext): void {
		const error = this.#missing.get(context);
		if (error !== undefined && context.revision.era === 'modern') throw error;
	}

	#contextFor(calls: readonly CallContext[], method: string): CallContext {
		const [first, ...others] = calls;
		if (first === undefined) {
			throw new OrchestraError('closed', `no client has a call in flight that could answer ${method}`);
		}
		const isOneClient = others.every(({ sessionId }) => sessionId === first.sessionId);
		const certain = others.length === 0 ? first : isOneClient ? certainCall(calls) : undefined;
		if (certain) return certain;
		const message = `${calls.length} calls are in flight, so it is not certain which client must answer ${method}`;
		if (!this.#hasWarned) {
			this.#log.warn(
				`the MCP server ${this.#server} asks its client: ${message}. Set its scope to "session".`,
			);
			this.#hasWarned = true;
		}
		throw new OrchestraError('bad_input', message, { hint: 'Set the scope of the server to "session".' });
	}
}

/**
 * Of several calls of one client, the call that can carry the question. A legacy client gets a request, so any call will
 * do. A modern one answers in the retry of the call that asks: not one whose questions it has and maybe abandoned.
 */
function certainCall(calls: readonly CallContext[]): CallContext | undefined {
	if (calls.every(({ revision }) => revision.era === 'legacy')) return calls[0];
	const [open, ...others] = calls.filter(({ isOpen }) => isOpen);
	return others.length === 0 ? open : undefined;
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

/** A progress token is valid on one connection only. */
function withoutToken(params: unknown): Record<string, unknown> | undefined {
	if (!isObject(params)) return undefined;
	const { progressToken, ...meta } = metaOf(params);
	return progressToken === undefined ? params : { ...params, _meta: meta };
}
