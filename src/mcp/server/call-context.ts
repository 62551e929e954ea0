/*
 * The context of one call: facts about the request and its client, and methods to
 * send progress and log messages and to ask the client for input.
 *
 * The same methods work in both eras. A legacy client gets each client request as a
 * request. For a modern client the call is suspended, the request is answered with
 * it, and the call resumes with the retry. Everything expensive is made
 * on first use.
 */
import { OrchestraError } from '../../errors.ts';
import type { ClientMethods } from '../../protocol/client-methods.ts';
import type { InputRequest, McpLogLevel } from '../../protocol/mcp-types.ts';
import { metaOf } from '../../protocol/meta.ts';
import { reachesLevel } from '../../protocol/reaches-level.ts';
import type { Revision } from '../../protocol/revisions.ts';
import type { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import type { About } from '../../rpc/channel.ts';
import { isObject } from '../../wire/json.ts';
import type { Id } from '../../wire/json-rpc.ts';
import { exactly, JsonText, rewritesNumbers, withoutMembers } from '../../wire/json-text.ts';
import { member } from '../../wire/message-member.ts';
import { writtenMember } from '../../wire/message-view.ts';
import {
	type CallPhase,
	CallPhases,
	type CallTracer,
	type Durability,
	type NotificationListener,
	type PlanOfCall,
} from './call-observers.ts';
import type { Asking, InputRequests, InputResponses } from './input-requests.ts';
import { isProgressToken, risingProgress } from './progress-values.ts';

/** The client of a call, as its session provides it. */
export interface ClientConnection {
	readonly revision: Revision;
	readonly capabilities: Readonly<Record<string, unknown>>;
	readonly clientInfo: unknown;
	/** The id of the MCP session. */
	readonly sessionId: string;
	/** Who sends the requests, when the transport knows it. */
	readonly principal?: string | undefined;
	/** True for another hub: it shortens large results for its own client. */
	readonly passesResultsOn?: boolean;
	/** Minimum level of log messages for the client; undefined for none. */
	logLevel(meta: Readonly<Record<string, unknown>>): McpLogLevel | undefined;
	/** The level that it set for all its requests. */
	readonly chosenLogLevel?: McpLogLevel | undefined;
	/** The answer of a legacy client to `roots/list`, outside a call. */
	listRoots?(): Promise<unknown>;
	/** Send a notification. `about` is the request that it belongs to. */
	notify(method: string, params: unknown, about?: About): void;
}

/** The context that a provider gets with each call. */
export class CallContext {
	/** Set while traces are exported. A source calls `sent` when it sends the request; without one the `traceparent` of the client is passed on. */
	tracer: CallTracer | undefined;
	/** The worker of another machine that accepted the call; undefined for any other call. */
	worker: string | undefined;
	/** Set for a call that may become a task. */
	durable: Durability | undefined;
	/** The plan that makes the call, or that the call runs. */
	plan: PlanOfCall | undefined;
	/** The id of the task that the server made of the call. */
	upstreamTask: string | undefined;
	readonly #asking: Asking;
	#client: ClientConnection;
	#call: IncomingCall;
	/** Read from the params when it is needed. */
	#readMeta: Readonly<Record<string, unknown>> | undefined;
	#controller: AbortController | undefined;
	#cancelListeners: ((reason: OrchestraError) => void)[] | undefined;
	#isOpen = true;
	#isInner = false;
	#dropped: string | undefined;
	#progress = Number.NEGATIVE_INFINITY;
	#phases: CallPhases | undefined;
	#notificationListener: NotificationListener | undefined;

	constructor(
		client: ClientConnection,
		call: IncomingCall,
		meta?: Readonly<Record<string, unknown>>,
		asking: Asking = {},
	) {
		this.#client = client;
		this.#call = call;
		this.#readMeta = meta;
		this.#asking = asking;
	}

	get revision(): Revision {
		return this.#client.revision;
	}

	/** The id of the request, as JSON text. */
	get id(): Id {
		return this.#call.id;
	}

	/** The `_meta` of messages that belong to this request. */
	get about(): About {
		return { id: this.#call.id, isResponse: false };
	}

	/** `_meta` of the request: `traceparent` and whatever else the client sent. */
	get meta(): Readonly<Record<string, unknown>> {
		this.#readMeta ??= metaOf(this.#call.params);
		return this.#readMeta;
	}

	/** The answer so far of a viewed call that goes on by the general route. A later round of client requests is a call of its own. */
	get received(): unknown {
		return this.isContinued ? undefined : this.#call.received;
	}

	/** All params of the request, with fields that the methods of a provider do not get. */
	get params(): Readonly<Record<string, unknown>> {
		const params = this.#undropped;
		const { arguments: input } = params;
		if (this.#dropped === undefined || !isObject(input)) return params;
		const { [this.#dropped]: _dropped, ...others } = input;
		return { ...params, arguments: others };
	}

	get #undropped(): Readonly<Record<string, unknown>> {
		const params = isObject(this.#call.params) ? this.#call.params : {};
		if (!this.#isInner) return params;
		const { name: _tool, arguments: inner, ...rest } = params;
		const { name, arguments: input } = isObject(inner) ? inner : {};
		return { name, ...(isObject(input) && { arguments: input }), ...rest };
	}

	get clientInfo(): unknown {
		return this.#client.clientInfo;
	}

	/** The id of the MCP session: the same for all its calls. */
	get sessionId(): string {
		return this.#client.sessionId;
	}

	/** Who sent the request, when the transport knows it. */
	get principal(): string | undefined {
		return this.#client.principal;
	}

	/** Whether the client is another hub, which needs the whole result. */
	get passesResultsOn(): boolean {
		return this.#client.passesResultsOn === true;
	}

	get clientCapabilities(): Readonly<Record<string, unknown>> {
		return this.#client.capabilities;
	}

	/** The least level of log messages that the client wants; undefined for none. */
	get logLevel(): McpLogLevel | undefined {
		return this.#client.logLevel(this.meta);
	}

	/** The least level that the client set; undefined while it has the default. */
	get chosenLogLevel(): McpLogLevel | undefined {
		return this.revision.era === 'modern' ? this.logLevel : this.#client.chosenLogLevel;
	}

	/** Notifies the client outside the call, also after its end. Keeps nothing of the call. */
	get clientNotifier(): (method: string, params: unknown) => void {
		const client = this.#client;
		return (method, params) => client.notify(method, params);
	}

	/** The phases before the run; the rest of the call is its run. Undefined when it was in none. */
	get phases(): CallPhases | undefined {
		return this.#phases;
	}

	/** Begin a phase. Call the returned function when it ends. */
	enter(phase: CallPhase): () => void {
		this.#phases ??= new CallPhases();
		return this.#phases.enter(phase, this.tracer);
	}

	/** Answers that came with this request, for a provider that manages its own state. */
	get inputResponses(): InputResponses | undefined {
		return this.#asking.inputResponses;
	}

	/** The state that the provider returned with its client requests, unchanged. */
	get requestState(): string | undefined {
		return this.#asking.requestState;
	}

	/** Whether an earlier round of this call returned client requests. Unlike `inputResponses`, no client can make it up. */
	get isContinued(): boolean {
		return this.#asking.isContinued === true;
	}

	/** Aborted when the client cancels the call or disconnects. */
	get signal(): AbortSignal {
		if (this.#controller === undefined) {
			this.#controller = new AbortController();
			this.#follow(this.#call);
		}
		return this.#controller.signal;
	}

	/** Call `listener` when the client cancels the call or disconnects. Cheaper than `signal`. */
	onCancel(listener: (reason: OrchestraError) => void): void {
		if (this.#cancelListeners === undefined) {
			this.#cancelListeners = [];
			this.#call.onCancel(this.#onCanceled);
		}
		const { cancelReason } = this.#call;
		if (cancelReason) listener(cancelReason);
		else this.#cancelListeners.push(listener);
	}

	/** The JSON text of the request, with digits that a number would lose; empty when there is none. */
	get text(): string {
		const { text } = this.#call;
		if (!this.#isInner || text === '') return text;
		return `{"params":${writtenMember(text, member.arguments) ?? '{}'}}`;
	}

	/**
	 * The arguments as the client wrote them, when our encoder would write a number of them differently; undefined when it
	 * would not, or when another parser may read them differently.
	 */
	get exactArguments(): JsonText | undefined {
		const { text } = this;
		const written = rewritesNumbers(text) ? writtenMember(text, member.arguments) : undefined;
		if (written === undefined) return undefined;
		return new JsonText(this.#dropped === undefined ? written : withoutMembers(written, [[this.#dropped]]));
	}

	/** False while the request is answered with a client request, and after the end of the call. */
	get isOpen(): boolean {
		return this.durable?.isOpen ?? this.#isOpen;
	}

	/** True once the client canceled the call. */
	get isCanceled(): boolean {
		return this.#call.isCanceled;
	}

	/** True when the client, or a listener, requested progress notifications. */
	get wantsProgress(): boolean {
		return this.#notificationListener !== undefined || isProgressToken(this.#progressToken);
	}

	/** The token with all its digits. */
	get #progressToken(): unknown {
		return exactly(this.meta['progressToken'], this.#call.text, 'params', '_meta', 'progressToken');
	}

	/** Report the notifications of this call to one listener too; the last listener counts. */
	onNotification(listener: NotificationListener): void {
		this.#notificationListener = listener;
	}

	/** Send a progress notification, if the client requested progress and the request is open. `risingProgress` makes its values rise. */
	progress(progress: number, total?: number, message?: string): void {
		this.forwardProgress({ progress, total, message });
	}

	/** Send the progress of another server, with fields that we do not know. Rules as for `progress`. */
	forwardProgress(params: Readonly<Record<string, unknown>>): void {
		this.#notificationListener?.('notifications/progress', params);
		const { progress, total, ...rest } = params;
		const progressToken = this.#progressToken;
		if (!isProgressToken(progressToken) || typeof progress !== 'number' || !Number.isFinite(progress)) return;
		this.#progress = risingProgress(this.#progress, progress);
		const finiteTotal = Number.isFinite(total) ? total : undefined;
		const sent = { ...rest, progressToken, progress: this.#progress, total: finiteTotal };
		this.#notify('notifications/progress', sent);
	}

	/** Log to the client, when it wants messages of this level. */
	log(level: McpLogLevel, data: unknown, logger?: string): void {
		this.forwardLog({ level, logger, data });
	}

	/** Send a log message of another server, with fields that we do not know, when the client wants its level. */
	forwardLog(params: Readonly<Record<string, unknown>>): void {
		this.#notificationListener?.('notifications/message', params);
		if (reachesLevel(params['level'], this.logLevel)) this.#notify('notifications/message', params);
	}

	/** Send a notification of a call that is made for this one, as it is. */
	relay(method: string, params: unknown): void {
		this.#notify(method, params);
	}

	/** Ask the client one thing: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
	async ask<Method extends keyof ClientMethods>(
		method: Method,
		...[params]: ClientMethods[Method]['params'] extends undefined
			? []
			: [params: ClientMethods[Method]['params']]
	): Promise<ClientMethods[Method]['result']> {
		const request: InputRequest = { method, params: params && { ...(params as object) } };
		const { answer } = await this.askAll({ answer: request });
		// Not checked further: the client declared the capability.
		return answer as ClientMethods[Method]['result'];
	}

	/** Ask several client requests at once; the answers have the same keys. `signal` withdraws them. */
	async askAll(inputRequests: InputRequests, signal?: AbortSignal): Promise<InputResponses> {
		const { asker } = this.#asking;
		if (asker === undefined)
			throw new OrchestraError('bad_input', 'this request cannot ask the client for input');
		return asker.ask(inputRequests, this, signal);
	}

	/** Make `params` and `text` those of the inner call, for a tool whose arguments are the params of another call. */
	enterInnerCall(): void {
		this.#isInner = true;
	}

	/** Leave an argument that is not for the tool out of `params` and `exactArguments`. */
	dropArgument(name: string): void {
		this.#dropped = name;
	}

	/** Called by the session when the request is answered: no more notifications are sent for it. */
	end(): void {
		this.#isOpen = false;
	}

	/** Called by the session when the client retried the call, maybe on another connection. */
	resume(client: ClientConnection, call: IncomingCall, meta: Readonly<Record<string, unknown>>): void {
		this.#client = client;
		this.#call = call;
		this.#readMeta = meta;
		this.#isOpen = true;
		this.#progress = Number.NEGATIVE_INFINITY;
		if (this.#controller) this.#follow(call);
		if (this.#cancelListeners) call.onCancel(this.#onCanceled);
	}

	/** Called by the session when the client will not retry the call. */
	abandon(reason: OrchestraError): void {
		this.#controller ??= new AbortController();
		this.#controller.abort(reason);
		this.#onCanceled(reason);
	}

	readonly #onCanceled = (reason: OrchestraError): void => {
		for (const listener of this.#cancelListeners?.splice(0) ?? []) listener(reason);
	};

	#notify(method: string, params: unknown): void {
		if (!this.#isOpen || this.#call.isCanceled) return;
		try {
			this.#client.notify(method, params, this.about);
		} catch (error) {
			// A disconnected client must not fail the handler.
			if (!OrchestraError.is(error, 'closed') && !OrchestraError.is(error, 'io')) throw error;
		}
	}

	#follow(call: IncomingCall): void {
		call.onCancel((reason) => this.#controller?.abort(reason));
	}
}
