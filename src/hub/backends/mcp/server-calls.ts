/*
 * Forwards one request of a client to a server and the answer back.
 *
 * At most once: a request that may have reached the server and got no answer is not
 * repeated, unless it has no effect or repeating it has none. Progress and log messages
 * pass in order, before the answer. The result is passed on untouched, unless the entry has
 * `redact`.
 */
import { OrchestraError } from '../../../errors.ts';
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import type { ServerRequestOptions } from '../../../mcp/client/server-link.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';
import { REQUEST_STATE_TTL_MS } from '../../../mcp/server/request-state.ts';
import { isInputRequired, type Result } from '../../../protocol/mcp-types.ts';
import {
	CLIENT_CAPABILITIES,
	CLIENT_INFO,
	LOG_LEVEL,
	metaOf,
	PROTOCOL_VERSION,
} from '../../../protocol/meta.ts';
import { redactJson } from '../../../redact.ts';
import { rpcErrorOf } from '../../../rpc/rpc-error.ts';
import { isObject, memberText, rewritesNumbers } from '../../../wire/json.ts';
import { JsonText } from '../../../wire/json-rpc.ts';
import { keepNumbers } from '../../../wire/keep-numbers.ts';
import { sourceTextOf } from '../../../wire/source-text.ts';
import type { CallQueue } from './call-queue.ts';
import type { LogLevels } from './log-levels.ts';
import { answeredError } from './server-failure.ts';
import type { ServerPool } from './server-pool.ts';
import type { ServerProcess } from './server-process.ts';
import { forwardLog, type ServerQuestions } from './server-questions.ts';

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
	readonly questions: ServerQuestions;
	readonly levels: LogLevels;
	readonly timeoutMs: number;
	readonly maxMs: number;
	/** Whether secrets are replaced in results. */
	readonly redact: boolean;
	/** Called before a call of a tool. Its result is that of the call; undefined makes the call. */
	readonly check?: ((connection: ServerConnection, tool: string) => Promise<Result | undefined>) | undefined;
}

export class ServerCalls {
	readonly #options: ServerCallsOptions;
	#lastCall = 0;

	constructor(options: ServerCallsOptions) {
		this.#options = options;
	}

	/** Make the call. Rejects with the error of the server, or with the failure of the server. */
	forward(call: ForwardedCall): Promise<Result> {
		const place = this.#options.queue.enter(call.context);
		if (!place) return this.#run(call);
		return place.finally(call.context.enter('queue')).then(() => this.#run(call));
	}

	/** Written with few promises: this is the path of every call. */
	#run(call: ForwardedCall): Promise<Result> {
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
			process.calls.set(number, call.context);
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

	#leaving(response: Promise<Result>, leave: () => void): Promise<Result> {
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

	async #startFor(process: ServerProcess, call: ForwardedCall): Promise<Result> {
		const isStarted = call.context.enter('start');
		const connection = await this.#started(process, call.context).finally(isStarted);
		return this.#sendChecked(process, call, connection);
	}

	#sendChecked(process: ServerProcess, call: ForwardedCall, connection: ServerConnection): Promise<Result> {
		const { check } = this.#options;
		if (check === undefined || call.method !== 'tools/call') return this.#send(process, call, connection);
		const checked = unlessCanceled(call.context, () => check(connection, String(call.changes['name'])));
		return checked.then((refused) => refused ?? this.#send(process, call, connection));
	}

	#send(process: ServerProcess, call: ForwardedCall, connection: ServerConnection): Promise<Result> {
		const { context, method } = call;
		const begin = performance.now();
		this.#options.levels.need(connection, context.chosenLogLevel);
		const response = connection.request(method, forwardedParams(call, connection), this.#optionsOf(call));
		return response.then(
			(result) => {
				process.answered();
				if (isInputRequired(result)) {
					process.keepFor(REQUEST_STATE_TTL_MS);
					keepNumbers(result, sourceTextOf(result));
				}
				if (result['isError'] === true) this.#options.questions.throwMissing(context);
				// Redaction keeps the shape of a JSON value.
				return this.#options.redact ? (redactJson(result) as Result) : result;
			},
			(thrown: unknown) => {
				if (rpcErrorOf(thrown)) {
					process.answered();
					this.#options.questions.failed(context, thrown);
					this.#options.questions.throwMissing(context);
				}
				const isLost = OrchestraError.is(thrown) && thrown.data['outcome'] === 'unknown';
				if (isLost && !context.isCanceled && call.mayRepeat())
					return this.#startFor(process, { ...call, mayRepeat: never });
				const error = answeredError(thrown, context.revision.era);
				throw process.explain(error, 'call', connection, performance.now() - begin);
			},
		);
	}

	/** Start the process. A canceled call does not wait for it. */
	#started(process: ServerProcess, context: CallContext): Promise<ServerConnection> {
		context.progress(0, undefined, `starting ${this.#options.server}`);
		return unlessCanceled(context, () => process.up());
	}

	#optionsOf(call: ForwardedCall): ServerRequestOptions {
		const { timeoutMs, maxMs } = this.#options;
		const { context } = call;
		const isReported = reportsProgress(call);
		return {
			timeoutMs,
			maxTotalMs: maxMs,
			work: context,
			keepsText: true,
			onProgress: isReported ? (params) => isObject(params) && context.forwardProgress(params) : undefined,
			// The tag is `onLog`, without a copy of these options.
			tag: context.logLevel === undefined ? undefined : (params: unknown) => forwardLog(context, params),
		};
	}
}

const never = (): boolean => false;

/** A tool restarts its idle timeout with progress, whether the client wants to see it or not. */
function reportsProgress({ method, context }: ForwardedCall): boolean {
	return method === 'tools/call' || context.wantsProgress;
}

/** The outcome of `work`; a canceled call does not wait for it. */
function unlessCanceled<T>({ signal }: CallContext, work: () => Promise<T>): Promise<T> {
	return new Promise((resolve, reject) => {
		const onAbort = (): void => reject(OrchestraError.from(signal.reason, 'canceled'));
		if (signal.aborted) return onAbort();
		signal.addEventListener('abort', onAbort, { once: true });
		work()
			.then(resolve, reject)
			.finally(() => signal.removeEventListener('abort', onAbort));
	});
}

/** The params of the client, with fields that we do not know, for this server. */
function forwardedParams(call: ForwardedCall, { era, revision }: ServerConnection): Result {
	const { context, changes } = call;
	const { inputResponses, requestState } = context;
	const forwarded: Result = { ...context.params, ...changes };
	if (rewritesNumbers(context.text)) keepDigits(forwarded, context.text);
	// The session has opened the sealed state of the client.
	if ('requestState' in forwarded || requestState !== undefined) forwarded['requestState'] = requestState;
	if ('inputResponses' in forwarded || inputResponses !== undefined)
		forwarded['inputResponses'] = inputResponses;
	const { progressToken: _ofTheClient, ...own } = metaOf(forwarded);
	const meta: Result = own;
	if (era === 'modern' && context.revision.era === 'legacy') addEnvelope(meta, context, revision.version);
	const traceparent = context.tracer?.sent();
	if (traceparent !== undefined) meta['traceparent'] = traceparent;
	if (reportsProgress(call)) meta['progressToken'] = undefined; // a place for ours
	if ('_meta' in forwarded || Object.keys(meta).length > 0) forwarded['_meta'] = meta;
	return forwarded;
}

/** Arguments with numbers that we would write differently are sent as they were written. */
function keepDigits(forwarded: Result, text: string): void {
	const written = 'arguments' in forwarded ? memberText(text, 'params', 'arguments') : undefined;
	if (written !== undefined && !/[\r\n]/.test(written)) forwarded['arguments'] = new JsonText(written);
}

/** A modern request says what its client can do. */
function addEnvelope(meta: Record<string, unknown>, context: CallContext, version: string): void {
	const { clientInfo, logLevel } = context;
	meta[PROTOCOL_VERSION] = version;
	meta[CLIENT_CAPABILITIES] = context.clientCapabilities;
	if (isObject(clientInfo)) meta[CLIENT_INFO] = clientInfo;
	if (logLevel !== undefined) meta[LOG_LEVEL] = logLevel;
}
