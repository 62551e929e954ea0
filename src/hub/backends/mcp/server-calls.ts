/*
 * Forwards one request of a client to a server and the answer back.
 *
 * At most once: a request that may have reached the server and got no answer is not
 * repeated, unless it has no effect or repeating it has none. Progress and log messages
 * pass in order, before the answer. The result is passed on untouched.
 */
import { OrchestraError } from '../../../errors.ts';
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import type { ServerRequestOptions } from '../../../mcp/client/server-link.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';
import { logLevels, type McpLogLevel, type Result } from '../../../protocol/mcp-types.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, metaOf } from '../../../protocol/meta.ts';
import { rpcErrorOf } from '../../../rpc/rpc-error.ts';
import { isObject } from '../../../wire/json.ts';
import type { CallQueue } from './call-queue.ts';
import type { ServerPool } from './server-pool.ts';
import type { ServerProcess } from './server-process.ts';
import { forwardLog } from './server-questions.ts';

/** A request of a client, for a server. */
export interface ForwardedCall {
	readonly method: string;
	readonly context: CallContext;
	/** Fields that replace those of the client, such as the server's own name of a tool. */
	readonly changes: Readonly<Record<string, unknown>>;
	/** Whether the request may be made again after the server ended during it. */
	readonly mayRepeat: () => boolean;
}

export interface ServerCallsOptions {
	readonly server: string;
	readonly pool: ServerPool;
	readonly queue: CallQueue;
	readonly timeoutMs: number;
	readonly maxMs: number;
}

export class ServerCalls {
	readonly #options: ServerCallsOptions;
	/** The most verbose level that was set on a legacy connection. */
	readonly #levels = new WeakMap<ServerConnection, McpLogLevel>();

	constructor(options: ServerCallsOptions) {
		this.#options = options;
	}

	/** Make the call. Rejects with the error of the server, or with the failure of the server. */
	async forward(call: ForwardedCall): Promise<Result> {
		const { pool, queue } = this.#options;
		const place = queue.enter(call.context);
		if (place) await place;
		let process: ServerProcess | undefined;
		try {
			process = pool.take(call.context);
			process.calls.add(call.context);
			return await this.#attempt(process, call, call.mayRepeat);
		} finally {
			if (process) {
				process.calls.delete(call.context);
				pool.release(process);
			}
			queue.leave();
		}
	}

	async #attempt(process: ServerProcess, call: ForwardedCall, mayRepeat: () => boolean): Promise<Result> {
		const { context, method } = call;
		const connection = process.connection ?? (await this.#started(process, context));
		const begin = performance.now();
		try {
			if (context.isCanceled) throw new OrchestraError('canceled', 'the client canceled the call');
			this.#setLevel(connection, context);
			const params = forwardedParams(call, connection);
			const result = await connection.request(method, params, this.#optionsOf(context, connection));
			process.answered();
			return result;
		} catch (thrown) {
			if (rpcErrorOf(thrown)) process.answered();
			const isLost = OrchestraError.is(thrown) && thrown.data['outcome'] === 'unknown';
			if (isLost && !context.isCanceled && mayRepeat()) return this.#attempt(process, call, never);
			throw process.explain(thrown, 'call', connection, performance.now() - begin);
		}
	}

	/** Start the process. A canceled call does not wait for it. */
	#started(process: ServerProcess, context: CallContext): Promise<ServerConnection> {
		context.progress(0, undefined, `starting ${this.#options.server}`);
		const { signal } = context;
		return new Promise((resolve, reject) => {
			const onAbort = (): void => reject(OrchestraError.from(signal.reason, 'canceled'));
			if (signal.aborted) return onAbort();
			signal.addEventListener('abort', onAbort, { once: true });
			process
				.up()
				.then(resolve, reject)
				.finally(() => signal.removeEventListener('abort', onAbort));
		});
	}

	#optionsOf(context: CallContext, { capabilities }: ServerConnection): ServerRequestOptions {
		const { timeoutMs, maxMs } = this.#options;
		const wantsLogs = capabilities.logging !== undefined && context.logLevel !== undefined;
		return {
			timeoutMs,
			maxTotalMs: maxMs,
			bindCancel: (cancel) => context.onCancel(cancel),
			keepsText: true,
			onProgress: context.wantsProgress ? (params) => forwardProgress(context, params) : undefined,
			onLog: wantsLogs ? (params) => forwardLog(context, params) : undefined,
		};
	}

	/** A legacy server has one level for all clients: the most verbose that one of them wants. */
	#setLevel(connection: ServerConnection, { logLevel, revision }: CallContext): void {
		if (connection.era === 'modern' || logLevel === undefined || !connection.capabilities.logging) return;
		const current = this.#levels.get(connection) ?? revision.defaultLogLevel ?? 'warning';
		if (logLevels.indexOf(logLevel) >= logLevels.indexOf(current)) return;
		this.#levels.set(connection, logLevel);
		// A server that refuses it keeps its own level.
		connection.request('logging/setLevel', { level: logLevel }).catch(() => {});
	}
}

const never = (): boolean => false;

/** The params of the client, with fields that we do not know, for this server. */
function forwardedParams({ context, changes }: ForwardedCall, { era }: ServerConnection): Result {
	const { inputResponses: _answers, requestState: _sealed, ...params } = context.params;
	const forwarded: Result = { ...params, ...changes };
	const { inputResponses, requestState, logLevel } = context;
	if (inputResponses !== undefined) forwarded['inputResponses'] = inputResponses;
	if (requestState !== undefined) forwarded['requestState'] = requestState;
	if (era === 'modern' && context.revision.era === 'legacy') {
		// A modern request says what its client can do.
		forwarded['_meta'] = {
			...metaOf(params),
			[CLIENT_CAPABILITIES]: context.clientCapabilities,
			...(isObject(context.clientInfo) && { [CLIENT_INFO]: context.clientInfo }),
			...(logLevel !== undefined && { [LOG_LEVEL]: logLevel }),
		};
	}
	return forwarded;
}

function forwardProgress(context: CallContext, params: unknown): void {
	if (!isObject(params)) return;
	const { progress, total, message } = params;
	if (typeof progress !== 'number') return;
	context.progress(
		progress,
		typeof total === 'number' ? total : undefined,
		typeof message === 'string' ? message : undefined,
	);
}
