/*
 * One modern request over HTTP: stateless, so it has a session and a peer of its own.
 *
 * The answer is JSON, or a stream once a notification comes before the result. A client
 * that disconnects cancels the call. The server sends no requests.
 */
import type { ServerResponse } from 'node:http';
import { OrchestraError } from '../../errors.ts';
import { McpSession } from '../../mcp/server/mcp-session.ts';
import type { RequestOrigin } from '../../rpc/calls/incoming-call.ts';
import type { About } from '../../rpc/channel.ts';
import type { Peer } from '../../rpc/peer.ts';
import { type RpcRequest } from '../../wire/json-rpc.ts';
import type { Principal } from '../authenticate.ts';
import { HttpChannel } from '../http-channel.ts';
import type { McpEndpointDeps } from '../http-exchange.ts';
import { PostAnswer } from '../post-answer.ts';
import { httpStatusOf } from './modern-headers.ts';
import type { ModernSession } from './modern-sessions.ts';

export interface ModernExchangeDeps {
	readonly endpoint: McpEndpointDeps;
	/** The same for all requests of one client: a modern client has no session of its own. */
	readonly session: ModernSession;
	readonly principal: Principal;
	/** The exchange is over. */
	readonly onEnd: () => void;
}

export class ModernExchange extends HttpChannel {
	readonly #deps: ModernExchangeDeps;
	readonly #request: RpcRequest;
	readonly #session: McpSession;
	readonly #peer: Peer;
	readonly #answer: PostAnswer;
	#isDone = false;

	constructor(response: ServerResponse, request: RpcRequest, deps: ModernExchangeDeps) {
		const { endpoint, session, principal } = deps;
		const { provider, shared, log, limits, heartbeats } = endpoint;
		super();
		this.#deps = deps;
		this.#request = request;
		const { sessionId } = session;
		this.#session = new McpSession(provider, { shared, log, sessionId, principal, transport: 'http' });
		this.#peer = this.#session.open(this);
		this.#answer = new PostAnswer(response, {
			limits,
			heartbeats,
			streamAfterMs: limits.commentMs,
			onDisconnect: () => this.cancel('the client disconnected'),
		});
	}

	/** Handle the request, as parsed and as text. */
	start(value: unknown, text: string): void {
		this.#peer.parsed(value, text);
	}

	/** Where its call comes from, when it began as text. */
	get origin(): RequestOrigin {
		return this.#peer.origin;
	}

	/** Begin the stream of the answer. */
	stream(): void {
		this.#answer.stream();
	}

	post(text: string, about?: About): boolean {
		if (this.#isDone) throw new OrchestraError('closed', 'the HTTP request is answered');
		if (!about?.isResponse) {
			this.#answer.stream().send(text);
			return true;
		}
		this.#end();
		this.#answer.finish(this.#statusOf(text), text);
		return true;
	}

	/** End it: a subscription is answered, a call is canceled. Idempotent. */
	async close(): Promise<void> {
		if (this.#isDone) return;
		this.#session.close();
		// The answer of a subscription is sent in the microtasks that follow.
		await new Promise((resolve) => setImmediate(resolve));
		if (this.#isDone) return;
		this.cancel('the server is shutting down');
		this.#answer.end();
	}

	/** Cancel the call: it gets no answer. */
	cancel(reason: string): void {
		this.#peer.cancelIncoming(reason);
		this.#end();
	}

	#end(): void {
		if (this.#isDone) return;
		this.#isDone = true;
		this.#session.close();
		this.#deps.onEnd();
	}

	/** An error is small; a result, which may be large, is not parsed. */
	#statusOf(text: string): number {
		const { id, params } = this.#request;
		if (!text.startsWith(`{"jsonrpc":"2.0","id":${id},"error":`)) return 200;
		const { error } = JSON.parse(text) as { error: { code: number } };
		return httpStatusOf(error.code, params);
	}
}
