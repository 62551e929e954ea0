/*
 * One running server: its transport, the JSON-RPC peer on it, and what the server
 * sends by itself. It exists before the era is known, so that the handshake and all
 * later requests share one connection.
 */
import { messageOf, type OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { metaOf } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revisions.ts';
import type { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import type { RequestOptions } from '../../rpc/calls/outgoing-calls.ts';
import type { CancelSource } from '../../rpc/calls/pending.ts';
import { type Dialect, mcpDialect } from '../../rpc/dialect.ts';
import { Peer } from '../../rpc/peer.ts';
import { methodNotFound } from '../../rpc/rpc-error.ts';
import type { Transport } from '../../transport/transport.ts';
import { isObject } from '../../wire/json.ts';
import { exactly } from '../../wire/json-text.ts';

/** Deadlines, cancellation, progress and logs of one request to a server. */
export interface ServerRequestOptions extends RequestOptions {
	/** Receives the params of `notifications/message` that belong to this request. */
	onLog?: ((params: unknown) => void) | undefined;
}

/** Handles a request of a legacy server. */
export type ServerRequestHandler = (
	method: string,
	params: unknown,
	call: IncomingCall,
	work?: CancelSource,
) => unknown;

export interface ServerLinkHandlers {
	/**
	 * Handles `elicitation/create`, `sampling/createMessage` and `roots/list` of a legacy server. `work` is that of our
	 * request on whose stream it came, where each has its own.
	 */
	readonly onRequest: ServerRequestHandler | undefined;
	/** Receives every notification except progress. */
	readonly onNotification: (method: string, params: unknown) => void;
	readonly onEnd: (reason: OrchestraError) => void;
	readonly log: Log;
}

/** The requests that a legacy server may send, except ping. */
const clientMethods: ReadonlySet<string> = new Set([
	'elicitation/create',
	'sampling/createMessage',
	'roots/list',
]);

/** The requests of the handshake, which no server sends: a program that does sends back what it receives. */
const handshakeMethods: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/** Some servers exit on anything unknown before `initialize`, so an unanswered probe is not canceled. */
const clientDialect: Dialect = {
	...mcpDialect,
	cancelNotice: (id, reason, method) =>
		method === 'server/discover' ? undefined : mcpDialect.cancelNotice(id, reason, method),
};

export class ServerLink {
	readonly transport: Transport;
	readonly peer: Peer;
	readonly #handlers: ServerLinkHandlers;
	/** Listeners for the progress of requests that have their response, by id, which is the token. */
	readonly #lateProgress = new Map<number, (params: unknown) => void>();
	/** Requests in flight that are no calls. */
	#otherRequests = 0;
	#revision: Revision | undefined;
	#hasWarned = false;
	#isClosing = false;
	#isEcho = false;
	#endReason: OrchestraError | undefined;

	constructor(transport: Transport, handlers: ServerLinkHandlers) {
		this.transport = transport;
		this.#handlers = handlers;
		this.peer = new Peer(transport, {
			dialect: clientDialect,
			log: handlers.log,
			acceptsBatch: () => this.#revision?.acceptsBatch === true,
			onRequest: (call) => this.#serve(call),
			onNotification: (method, params, text) => this.#receive(method, params, text),
			onEnd: (reason) => this.#end(reason),
		});
		transport.start(this.peer);
	}

	/** True when the program sends back what it receives, so it is no server. */
	get isEcho(): boolean {
		return this.#isEcho;
	}

	/** Why the connection ended; undefined while it is open. */
	get endReason(): OrchestraError | undefined {
		return this.#endReason;
	}

	/** True once `close` was called: the end of the connection is expected. */
	get isClosing(): boolean {
		return this.#isClosing;
	}

	/** The handshake is complete. From now on, requests of a modern server are ignored: that era has none. */
	setRevision(revision: Revision): void {
		this.#revision = revision;
	}

	/** A request outside the count of calls: the handshake, a subscription. */
	send(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
		this.#otherRequests++;
		const ended = (): void => void this.#otherRequests--;
		const response = this.peer.request(method, params, options);
		response.then(ended, ended);
		return response;
	}

	/** A call. */
	call(method: string, params: unknown, options: ServerRequestOptions): Promise<unknown> {
		const { onLog } = options;
		return this.peer.request(method, params, onLog === undefined ? options : { ...options, tag: onLog });
	}

	/** The progress of a request after its response: a legacy task reports it so. Ends with the returned function. */
	followProgress(id: number, listener: (params: unknown) => void): () => void {
		this.#lateProgress.set(id, listener);
		return () => void this.#lateProgress.delete(id);
	}

	/** Stop the server. Idempotent. */
	close(): Promise<void> {
		this.#isClosing = true;
		return this.transport.close();
	}

	#serve(call: IncomingCall): unknown {
		const { method } = call;
		if (this.#revision?.era === 'modern') return this.#ignore(call);
		if (method === 'ping') return {};
		const { onRequest } = this.#handlers;
		if (handshakeMethods.has(method)) this.#isEcho = true;
		if (onRequest === undefined || !clientMethods.has(method)) throw methodNotFound(method);
		const params = exactly(call.params, call.text, 'params');
		const { streamId } = this.transport;
		const work = streamId === undefined ? undefined : this.peer.workOf(streamId);
		// The server waits for us, so its silence is no reason to give up our calls.
		const resume = this.peer.suspendIdle();
		return Promise.resolve()
			.then(() => onRequest(method, params, call, work))
			.finally(resume);
	}

	/** A modern client must not write responses, so the request stays unanswered. */
	#ignore(call: IncomingCall): void {
		const message = `the server sent the request ${call.method}, which the modern protocol forbids; it is ignored`;
		if (this.#hasWarned) this.#handlers.log.debug(message);
		else this.#handlers.log.warn(message);
		this.#hasWarned = true;
		call.cancel('the modern protocol has no requests of the server');
	}

	/** Logs, updates and client requests are passed on with the numbers that the server wrote. */
	#receive(method: string, received: unknown, text: string): void {
		if (method === 'notifications/progress') return this.#receiveProgress(received);
		const params = exactly(received, text, 'params');
		const onLog = method === 'notifications/message' ? this.#logHandler(params) : undefined;
		if (typeof onLog === 'function') onLog(params);
		else this.#handlers.onNotification(method, params);
	}

	/** That of a request in flight has its receiver. The response that began a task may be handled later in this turn. */
	#receiveProgress(params: unknown): void {
		const token = isObject(params) ? params['progressToken'] : undefined;
		if (typeof token !== 'number' || this.peer.workOf(String(token)) !== undefined) return;
		setImmediate(() => this.#lateProgress.get(token)?.(params));
	}

	/** `onLog` of the call that a log message belongs to: by its token, or because it is the only one in flight. */
	#logHandler(params: unknown): unknown {
		const token = metaOf(params)['progressToken'];
		if (token !== undefined) return this.peer.tagOf(token);
		const isAlone = this.peer.pendingCount - this.#otherRequests === 1;
		return isAlone ? this.peer.tags()[0] : undefined;
	}

	#end(reason: OrchestraError): void {
		this.#endReason = reason;
		this.peer.cancelIncoming(reason.message);
		// A server that closed its stdout cannot be used any more, even when it still runs.
		this.transport
			.close()
			.catch((thrown: unknown) => this.#handlers.log.debug(`close failed: ${messageOf(thrown)}`));
		this.#handlers.onEnd(reason);
	}
}
