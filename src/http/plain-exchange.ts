/*
 * A modern call of a tool over HTTP that passes as text.
 *
 * It has neither a session nor a peer: the result is the whole response. What needs more (a notification
 * before the result, an answer that takes long, the general route) makes a `ModernExchange`, which goes on with it.
 */
import type { ServerResponse } from 'node:http';
import type { ClientConnection } from '../mcp/server/call-context.ts';
import type { ModernEnvelope } from '../mcp/server/modern-client.ts';
import type { TextCallsClient, ToolForwarder } from '../mcp/server/text-calls-client.ts';
import type { McpLogLevel } from '../protocol/mcp-types.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { IncomingCall, RequestOrigin, ViewedRequest } from '../rpc/calls/incoming-call.ts';
import { encodeNotification } from '../wire/json-rpc.ts';
import { member } from '../wire/message-member.ts';
import type { MessageView } from '../wire/message-view.ts';
import type { Principal } from './authenticate.ts';
import { replyJson } from './http-reply.ts';
import { ModernExchange, type ModernExchangeDeps } from './modern/modern-exchange.ts';
import type { ModernSession } from './modern/modern-sessions.ts';

/** A client that was seen before: its envelope needs no second look. */
export interface SeenClient {
	readonly client: ModernEnvelope;
	readonly session: ModernSession;
	readonly forwarder: ToolForwarder;
}

export class PlainExchange implements TextCallsClient, ClientConnection, RequestOrigin {
	readonly #response: ServerResponse;
	readonly #known: SeenClient;
	readonly #deps: ModernExchangeDeps;
	readonly #since = performance.now();
	#view: MessageView | undefined;
	#request: ViewedRequest | undefined;
	#whole: ModernExchange | undefined;
	#isDone = false;

	constructor(response: ServerResponse, known: SeenClient, deps: ModernExchangeDeps) {
		this.#response = response;
		this.#known = known;
		this.#deps = deps;
	}

	/** Pass a call on; false when it must be parsed: nothing was sent. */
	start(view: MessageView): boolean {
		this.#view = view;
		if (!this.#known.forwarder.take(view, this)) return false;
		this.#response.on('close', this.#onClose);
		return true;
	}

	get client(): this {
		return this;
	}

	get origin(): this {
		return this;
	}

	get revision(): Revision {
		return this.#known.client.revision;
	}

	get capabilities(): Readonly<Record<string, unknown>> {
		return this.#known.client.capabilities;
	}

	get clientInfo(): unknown {
		return this.#known.client.clientInfo;
	}

	get sessionId(): string {
		return this.#known.session.sessionId;
	}

	get principal(): Principal {
		return this.#deps.principal;
	}

	logLevel(meta: Readonly<Record<string, unknown>>): McpLogLevel | undefined {
		return this.#known.client.logLevel(meta);
	}

	notify(method: string, params: unknown): void {
		this.#made().post(encodeNotification(method, params));
	}

	beginCall(request: ViewedRequest): boolean {
		this.#request = request;
		return true;
	}

	withdrawCall(): void {
		this.#request = undefined;
	}

	answerCall(request: ViewedRequest, text: string): void {
		if (this.#whole) return this.#whole.origin.answerCall(request, text);
		this.#isDone = true;
		this.#deps.onEnd();
		replyJson(this.#response, 200, text);
	}

	resumeCall(request: ViewedRequest, call: IncomingCall): void {
		this.#made().origin.resumeCall(request, call);
	}

	/** An answer that takes long becomes a stream. */
	keepAlive(now: number): void {
		if (!this.#whole && now - this.#since >= this.#deps.endpoint.limits.commentMs) this.#made().stream();
	}

	/** Cancel the call. Idempotent. */
	async close(): Promise<void> {
		if (!this.#isDone) await this.#made().close();
	}

	readonly #onClose = (): void => {
		// The whole exchange has its own listener.
		if (!this.#isDone && !this.#whole) this.#made().cancel('the client disconnected');
	};

	/** The exchange with a session and a peer, which goes on with the call. */
	#made(): ModernExchange {
		if (this.#whole) return this.#whole;
		const params = this.#view?.value(member.params);
		const message = { id: this.#request?.requestId ?? '', method: 'tools/call', params };
		this.#whole = new ModernExchange(this.#response, message, this.#deps);
		if (this.#request) this.#whole.origin.beginCall(this.#request);
		return this.#whole;
	}
}
