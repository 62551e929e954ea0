/*
 * A call of a tool that passes as text: from the view of the client's message to a response of
 * the server, without parsing either.
 *
 * It is one object, an entry of the table of requests in flight at both ends, so deadlines,
 * progress, cancellation and the end of the server find it there. Everything else of a call (its
 * context, its abort signal, promises) is made when it is needed. A result that no value is
 * needed of is sent to the client as it came. Everything else goes on by the general route, which
 * is the reference: it makes the call again in all respects but one, the request was sent already.
 */
import type { OrchestraError } from '../../../errors.ts';
import type { ServerConnection } from '../../../mcp/client/server-connection.ts';
import type { CallContext, ClientConnection } from '../../../mcp/server/call-context.ts';
import type { EraPatch } from '../../../mcp/server/plain-messages.ts';
import { type TextCallsClient, textCallContext } from '../../../mcp/server/text-calls-client.ts';
import type { Answer, Implementation, Result, Tool } from '../../../protocol/mcp-types.ts';
import { IncomingCall, type ViewedRequest } from '../../../rpc/calls/incoming-call.ts';
import type { PendingCall } from '../../../rpc/calls/outgoing-calls.ts';
import type { CancelSource } from '../../../rpc/calls/pending.ts';
import { SendWindow } from '../../../rpc/calls/send-window.ts';
import { type Deferred, deferred } from '../../../rpc/deferred.ts';
import type { PolicyOutcome } from '../../../trust/call-gate.ts';
import type { Id } from '../../../wire/json-rpc.ts';
import { JsonText } from '../../../wire/json-text.ts';
import { member } from '../../../wire/message-member.ts';
import type { MessageView } from '../../../wire/message-view.ts';
import type { Route } from '../../catalogue/merged-list.ts';
import { mayNameLabelled } from '../../catalogue/uri-labels.ts';
import type { ServerProcess } from './process/server-process.ts';

/** The hub side of the calls of one client and tool: their facts, and the work at their end. */
export interface PlainRoute {
	readonly client: string;
	readonly backend: string;
	/** The name that the client uses for the tool. */
	readonly name: string;
	/** Where the general route would send it. */
	readonly found: Route<Tool>;
	readonly target: PlainTarget;
	/** Longest result that is passed on as text, in characters. */
	readonly limitCharacters: number;
	/** The policy entry of the journal. */
	readonly decision: Partial<PolicyOutcome>;
	/** The call was sent. */
	began(call: PlainCall): void;
	/** A progress or log notification of the call came. */
	notified(call: PlainCall, method: string, params: Result): void;
	/** The result was sent to the client. */
	answered(call: PlainCall, view: MessageView, result: string): void;
}

/** A server process that takes calls of one tool as text. */
export interface PlainTarget {
	readonly process: ServerProcess;
	readonly connection: ServerConnection;
	/** The server's own name of the tool, as JSON. */
	readonly upstreamName: string;
	readonly patch: EraPatch;
	readonly timeoutMs: number;
	readonly maxTotalMs: number;
	/** Take a place for a call of a client; undefined when it would have to wait. */
	enter(client: ClientConnection): number | undefined;
	/** Give the place back. */
	leave(place: number): void;
	/** Pass a log message of the server on to the client of a call. */
	log(call: CallContext, params: unknown): void;
}

/** A source that takes calls as text. */
export interface PlainSource {
	/**
	 * The process that takes calls of a tool as text now; undefined when they must be parsed. Throws for an unknown tool.
	 * `serverInfo` is the hub, for modern clients.
	 */
	plainTarget(name: string, context: CallContext, serverInfo: Implementation): PlainTarget | undefined;
}

/** The messages that a call has received when it goes on by the general route. */
export class ReceivedAnswer {
	readonly call: PlainCall;
	readonly response: Promise<Answer>;

	constructor(call: PlainCall, response: Promise<Answer>) {
		this.call = call;
		this.response = response;
	}
}

export class PlainCall implements PendingCall, ViewedRequest {
	readonly view: MessageView;
	readonly from: TextCallsClient;
	readonly route: PlainRoute;
	/** Its id at the server, and its size in the send window; set when it is sent. */
	id = 0;
	cost = 0;
	/** Its id at the client. */
	readonly requestId: Id;
	/** Among all calls of the hub; set when it was sent. */
	number = 0;
	readonly startedAt: Date = new Date();
	dueAt = 0;
	capAt = 0;
	readonly #place: number;
	/** Set while it goes on by the general route before it is answered. */
	#response: Deferred<unknown> | undefined;
	#call: IncomingCall | undefined;
	#context: CallContext | undefined;

	private constructor(view: MessageView, from: TextCallsClient, route: PlainRoute, place: number) {
		this.view = view;
		this.from = from;
		this.route = route;
		this.requestId = view.source(member.id) ?? '';
		this.#place = place;
	}

	/** Send a call. False when it must take the general route: nothing was sent. */
	static send(view: MessageView, from: TextCallsClient, route: PlainRoute): boolean {
		const { target } = route;
		const begun = target.patch.prepare(view);
		const place = begun === undefined ? undefined : target.enter(from.client);
		if (begun === undefined || place === undefined) return false;
		const call = new PlainCall(view, from, route, place);
		if (from.origin.beginCall(call)) {
			if (call.#isSent(begun)) {
				target.process.calls.set(place, call);
				route.began(call);
				return true;
			}
			from.origin.withdrawCall(call);
		}
		target.leave(place);
		return false;
	}

	#isSent(begun: string): boolean {
		const { connection, patch, upstreamName } = this.route.target;
		this.id = connection.forwarded.takeId();
		const text = patch.request(this.view, begun, { id: String(this.id), name: upstreamName });
		this.cost = SendWindow.costOf(text);
		try {
			return connection.forwarded.forward(this, text);
		} catch {
			return false; // the pipe broke: the general route finds the same, and explains it
		}
	}

	/** When it was sent, by `performance.now()`. */
	get beganAt(): number {
		return this.capAt - this.maxTotalMs;
	}

	get method(): 'tools/call' {
		return 'tools/call';
	}

	get client(): string {
		return this.route.client;
	}

	get caller(): ClientConnection {
		return this.from.client;
	}

	get backend(): string {
		return this.route.backend;
	}

	get name(): string {
		return this.route.name;
	}

	get timeoutMs(): number {
		return this.route.target.timeoutMs;
	}

	get maxTotalMs(): number {
		return this.route.target.maxTotalMs;
	}

	get about(): undefined {
		return undefined;
	}

	/** It is sent at once or not at all. */
	get unsent(): undefined {
		return undefined;
	}

	get keepsText(): true {
		return true;
	}

	get isPlain(): true {
		return true;
	}

	/** Parsed each time. */
	get arguments(): unknown {
		return this.view.value(member.arguments) ?? {};
	}

	get argumentCharacters(): number {
		return this.view.lengthOf(member.arguments);
	}

	/** Made when it is needed; on the general route, the context there. */
	get context(): CallContext {
		if (this.#context === undefined) {
			this.#context = textCallContext(this.from, this.#incoming);
			this.#context.onNotification((method, params) => this.route.notified(this, method, params));
		}
		return this.#context;
	}

	get work(): CancelSource {
		return this.context;
	}

	get tag(): unknown {
		const { context } = this;
		if (context.logLevel === undefined) return undefined;
		return (params: unknown) => this.route.target.log(context, params);
	}

	onProgress(params: unknown): void {
		if (this.view.has(member.progressToken)) this.context.forwardProgress(params as Result);
		// The client wants none; the idle timeout was restarted.
		else this.route.notified(this, 'notifications/progress', params as Result);
	}

	/** A result came. */
	answered(view: MessageView): void {
		const result = view.source(member.result) ?? '';
		const { route, from } = this;
		const { target } = route;
		const isLarge = result.length > route.limitCharacters;
		const adapted =
			this.#response || isLarge || mayNameLabelled(result) ? undefined : target.patch.result(view);
		if (adapted === undefined) {
			return this.resolve(new JsonText(result));
		}
		target.leave(this.#place);
		target.process.answered();
		this.#context?.end();
		from.origin.answerCall(this, `{"jsonrpc":"2.0","id":${this.requestId},"result":${adapted}}`);
		route.answered(this, view, result);
	}

	resolve(result: unknown): void {
		this.#resume(async () => result);
	}

	reject(error: OrchestraError): void {
		this.#resume(async () => {
			throw error;
		});
	}

	/** The client cancels it, or is gone. */
	cancel(reason: string): void {
		const call = this.#incoming;
		call.cancel(reason);
		if (call.cancelReason) this.route.target.connection.forwarded.abandon(this, call.cancelReason);
	}

	/**
	 * Go on by the general route before it is answered: the server sends a client request, and a modern client gets the request
	 * as the answer to its request.
	 */
	promote(): void {
		if (this.#response) return;
		this.#response = deferred();
		this.#incoming.onCancel((reason) => this.route.target.connection.forwarded.abandon(this, reason));
		this.#goOn(this.#response.promise);
	}

	/** The general route goes on with this context. */
	entered(context: CallContext): void {
		this.#context = context;
	}

	get #incoming(): IncomingCall {
		return (this.#call ??= IncomingCall.ofView(this.requestId, this.method, this.view));
	}

	#resume(response: () => Promise<unknown>): void {
		this.route.target.leave(this.#place);
		if (this.#response) this.#response.resolve(response());
		else this.#goOn(response());
	}

	#goOn(response: Promise<unknown>): void {
		const received = this.route.target.connection.received(this.method, response);
		// The general route awaits it; a call that was canceled meanwhile awaits nothing.
		received.catch(() => {});
		this.#context?.end();
		this.#incoming.received = new ReceivedAnswer(this, received);
		this.from.origin.resumeCall(this, this.#incoming);
	}
}

/** A server sends a client request: calls of modern clients go on by the general route, which can pass the request on. */
export function promoteModern(calls: Iterable<object>): void {
	for (const call of calls)
		if (call instanceof PlainCall && call.from.client.revision.era === 'modern') call.promote();
}
