/*
 * Questions and log messages of an MCP server, sent to the client whose call is in flight.
 *
 * A process that several clients share cannot say which client it asks. With calls of
 * one client in flight the answer is certain; with several the server gets an error.
 */
import { OrchestraError } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';
import { metaOf } from '../../../protocol/meta.ts';
import { rpcErrorOf } from '../../../rpc/rpc-error.ts';
import { isObject } from '../../../wire/json.ts';

export class ServerQuestions {
	readonly #server: string;
	readonly #log: Log;
	#hasWarned = false;

	constructor(server: string, log: Log) {
		this.#server = server;
		this.#log = log;
	}

	/** Ask the client of the call in flight. Rejects with the error for the server. */
	async ask(calls: ReadonlySet<CallContext>, method: string, params: unknown): Promise<unknown> {
		// A server that starts in the background has no client, so it has no folders either.
		if (calls.size === 0 && method === 'roots/list') return { roots: [] };
		const context = this.#contextFor(calls, method);
		try {
			const { answer } = await context.askAll({ answer: { method, params: withoutToken(params) } });
			return answer;
		} catch (error) {
			// The server gets the client's own error, not our words about it.
			const cause = OrchestraError.is(error) ? error.cause : undefined;
			throw rpcErrorOf(cause) ? cause : error;
		}
	}

	/** Send a log message that belongs to no single call to every client with a call in flight. */
	log(calls: ReadonlySet<CallContext>, params: unknown): void {
		const sessions = new Set<string>();
		for (const context of calls) {
			if (sessions.has(context.sessionId)) continue;
			sessions.add(context.sessionId);
			forwardLog(context, params);
		}
	}

	#contextFor(calls: ReadonlySet<CallContext>, method: string): CallContext {
		const [first, ...others] = calls;
		if (first === undefined) {
			throw new OrchestraError('closed', `no client has a call in flight that could answer ${method}`);
		}
		// A modern client answers in the retry of a certain call; a legacy one gets a request.
		const isOneClient = others.every(
			(other) => other.sessionId === first.sessionId && other.revision.era === 'legacy',
		);
		if (others.length === 0 || (isOneClient && first.revision.era === 'legacy')) return first;
		const message = `${calls.size} calls are in flight, so it is not certain which client must answer ${method}`;
		if (!this.#hasWarned) {
			this.#log.warn(
				`the MCP server ${this.#server} asks its client: ${message}. Set its scope to "session".`,
			);
			this.#hasWarned = true;
		}
		throw new OrchestraError('bad_input', message, { hint: 'Set the scope of the server to "session".' });
	}
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
