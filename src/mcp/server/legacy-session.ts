/*
 * The legacy era on one connection: the state that `initialize` and later requests set.
 *
 * Requests before `initialize` are served too, in the newest legacy revision, as
 * other servers do.
 */
import { OrchestraError } from '../../errors.ts';
import {
	type Answer,
	type Awaitable,
	answerValue,
	isInputRequired,
	isLogLevel,
	logLevels,
	type McpLogLevel,
	type Result,
} from '../../protocol/mcp-types.ts';
import { metaOf, PROTOCOL_VERSION } from '../../protocol/meta.ts';
import { reachesLevel } from '../../protocol/reaches-level.ts';
import type { Revision } from '../../protocol/revisions.ts';
import { negotiate } from '../../protocol/revisions.ts';
import type { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import type { RequestOptions } from '../../rpc/calls/outgoing-calls.ts';
import type { About } from '../../rpc/channel.ts';
import type { Peer } from '../../rpc/peer.ts';
import { methodNotFound, rpcErrorOf } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { JsonText } from '../../wire/json-text.ts';
import { member } from '../../wire/message-member.ts';
import type { MessageView } from '../../wire/message-view.ts';
import { failureOf } from '../define/definition-results.ts';
import {
	CLIENT_ANSWER_MS,
	LEGACY_INPUT_ROUNDS_LIMIT,
	RESOURCE_SUBSCRIPTIONS_LIMIT,
	ROOTS_ANSWER_MS,
} from '../mcp-limits.ts';
import { forLegacy } from './adapt.ts';
import { CallContext, type ClientConnection } from './call-context.ts';
import {
	type Asking,
	type InputRequests,
	type InputResponses,
	requireCapabilities,
} from './input-requests.ts';
import { ListThrottle } from './list-throttle.ts';
import { ListTracker } from './list-tracker.ts';
import { after, methods, type Params, providerCapabilities, requiredText, unlessFailing } from './methods.ts';
import type { Change, LogChange, Provider } from './provider.ts';
import { isForSession, isSubscribedTo } from './resource-subscriptions.ts';
import { hasTasks } from './task-methods.ts';
import type { TextCallsClient, ToolForwarder } from './text-calls-client.ts';

export interface LegacySessionOptions {
	provider: Provider;
	peer: () => Peer;
	/** The id of the connection. */
	sessionId: () => string;
	/** Who sends the requests, when the transport knows it. */
	principal?: string | undefined;
}

export class LegacySession implements ClientConnection {
	readonly #provider: Provider;
	readonly #peer: () => Peer;
	/** The resources that the client subscribed to, each with the answer. */
	readonly #subscribed = new Map<string, Promise<Result>>();
	readonly #asking: Asking = { asker: this };
	readonly #throttle = new ListThrottle((kind) =>
		this.notify(`notifications/${kind}/list_changed`, undefined),
	);
	readonly #lists: ListTracker = new ListTracker((kind) => this.#throttle.changed(kind));
	#revision: Revision = negotiate(undefined);
	#forwarder: ToolForwarder | undefined;
	#viewed: TextCallsClient | undefined;
	#isOpen = false;
	#chosenLogLevel: McpLogLevel | undefined;
	capabilities: Readonly<Record<string, unknown>> = {};
	clientInfo: unknown;
	readonly principal: string | undefined;

	readonly #sessionId: () => string;

	constructor({ provider, peer, sessionId, principal }: LegacySessionOptions) {
		this.principal = principal;
		this.#sessionId = sessionId;
		this.#provider = provider;
		this.#peer = peer;
	}

	get revision(): Revision {
		return this.#revision;
	}

	get sessionId(): string {
		return this.#sessionId();
	}

	serve(call: IncomingCall): Awaitable<unknown> {
		const params: Params = isObject(call.params) ? call.params : {};
		switch (call.method) {
			case 'initialize':
				return this.#initialize(params);
			case 'ping':
				return {};
			case 'logging/setLevel':
				return this.#setLevel(params);
			case 'resources/subscribe':
				return this.#subscribe(requiredText(params, 'uri'));
			case 'resources/unsubscribe':
				if (!this.#provider.subscribeResource) throw methodNotFound(call.method);
				this.#unsubscribe(requiredText(params, 'uri'));
				return {};
			case 'server/discover':
			case 'subscriptions/listen':
				throw new OrchestraError('bad_input', `missing required parameter: _meta["${PROTOCOL_VERSION}"]`);
		}
		const onAnswer = this.#lists.begin(call.method);
		if (onAnswer === undefined) return this.#answer(call, params, 0, this.#asking);
		const answered = unlessFailing(
			() => this.#answer(call, params, 0, this.#asking),
			() => onAnswer(true),
		);
		return after(answered, (result) => {
			onAnswer(answered instanceof Promise);
			return result;
		});
	}

	/** Pass a plain call to the provider before it is parsed; false when it must be parsed. */
	forward(view: MessageView): boolean {
		if (this.#revision.adaptContent || view.has(member.clientInfo) || view.has(member.logLevel)) return false;
		this.#forwarder ??= this.#provider.toolForwarder?.();
		this.#viewed ??= { client: this, origin: this.#peer().origin, asking: this.#asking };
		return this.#forwarder?.take(view, this.#viewed) ?? false;
	}

	/** Handle a notification of the client. */
	notified(method: string): void {
		if (method !== 'notifications/roots/list_changed' || !isObject(this.capabilities['roots'])) return;
		this.#provider.sessions?.rootsChanged?.(this);
	}

	listRoots(): Promise<unknown> {
		return this.#peer().request('roots/list', undefined, { timeoutMs: ROOTS_ANSWER_MS });
	}

	/** Notify the client of a change, if it has opened a session and seen the list or subscribed to the resource. */
	notifyChange(change: Change): void {
		if (!this.#isOpen) return;
		if (change.kind === 'log') this.#notifyLog(change);
		else if (change.kind !== 'resource') this.#lists.changed(change.kind);
		else if (isForSession(change, this.sessionId) && isSubscribedTo(change.uri, this.#subscribed))
			this.notify('notifications/resources/updated', { ...change.more, uri: change.uri });
	}

	close(): void {
		this.#isOpen = false;
		this.#throttle.close();
		for (const uri of [...this.#subscribed.keys()]) this.#unsubscribe(uri);
	}

	get chosenLogLevel(): McpLogLevel | undefined {
		return this.#chosenLogLevel;
	}

	logLevel(): McpLogLevel | undefined {
		return this.#chosenLogLevel ?? this.#revision.defaultLogLevel;
	}

	notify(method: string, params: unknown, about?: About): void {
		this.#peer().notify(method, params, about);
	}

	/** Ask the client. A refusal fails the handler, not the protocol request. */
	async ask(
		inputRequests: InputRequests,
		{ signal: ended, about }: CallContext,
		withdrawn?: AbortSignal,
	): Promise<InputResponses> {
		try {
			const signal = withdrawn ? AbortSignal.any([ended, withdrawn]) : ended;
			return await this.#request(inputRequests, { signal, about });
		} catch (cause) {
			const refusal = rpcErrorOf(cause);
			if (refusal === undefined) throw cause;
			throw new OrchestraError(
				'tool_failed',
				`the client refused the request for input: ${refusal.message}`,
				{ cause },
			);
		}
	}

	/** Every client request is one JSON-RPC request to the client. */
	async #request(
		inputRequests: InputRequests,
		options: Pick<RequestOptions, 'signal' | 'about'>,
	): Promise<InputResponses> {
		requireCapabilities(inputRequests, this.capabilities);
		const answers = Object.entries(inputRequests).map(async ([key, { method, params }]) => {
			const requestOptions = { timeoutMs: CLIENT_ANSWER_MS, keepsText: true, ...options };
			const answer = await this.#peer().request(method, params, requestOptions);
			return [key, answer instanceof JsonText ? answer.exact : answer] as const;
		});
		return Object.fromEntries(await Promise.all(answers));
	}

	/** A refusal of the client fails the tool, as it would have failed inside the handler. */
	#refused(method: string, error: unknown): Answer {
		if (method !== 'tools/call') throw error;
		return forLegacy(failureOf(error), this.#revision);
	}

	#initialize(params: Params): Awaitable<Result> {
		this.#revision = negotiate(params['protocolVersion']);
		this.#isOpen = true;
		this.#forwarder = undefined;
		this.capabilities = isObject(params['capabilities']) ? params['capabilities'] : {};
		this.clientInfo = params['clientInfo'];
		// After the answer: the id of the session costs more than everything else here.
		setImmediate(() => this.#isOpen && this.#provider.sessions?.introduced?.(this));
		const { info: serverInfo } = this.#provider;
		return after(
			providerCapabilities(this.#provider, 'legacy', this.clientInfo),
			({ capabilities, ...rest }) => ({
				protocolVersion: this.#revision.version,
				capabilities: { ...(capabilities as Result), ...this.#taskCapabilities },
				serverInfo,
				...rest,
			}),
		);
	}

	/** Modern revisions have an extension in its place. */
	get #taskCapabilities(): Result {
		if (this.#provider.tasks === undefined || !hasTasks(this.#revision)) return {};
		return { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
	}

	#setLevel(params: Params): Result {
		const level = requiredText(params, 'level');
		if (!isLogLevel(level)) {
			throw new OrchestraError('bad_input', `unknown log level: ${level}`, {
				hint: `Use one of ${logLevels.join(', ')}.`,
			});
		}
		this.#chosenLogLevel = level;
		this.#forwarder = undefined; // a modern server gets the level with each call
		this.#provider.sessions?.logLevelChanged?.(this);
		return {};
	}

	/** A client gets the messages of servers for all clients only when it has set a level. */
	#notifyLog(change: LogChange): void {
		const { params, sessionId, heardBy } = change;
		const least = sessionId === undefined ? this.#chosenLogLevel : this.logLevel();
		if (
			!reachesLevel(params['level'], least) ||
			!isForSession(change, this.sessionId) ||
			heardBy?.has(this.sessionId)
		)
			return;
		this.notify('notifications/message', params);
	}

	/** Resolves when updates are reported. */
	#subscribe(uri: string): Awaitable<Result> {
		if (!this.#provider.subscribeResource) throw methodNotFound('resources/subscribe');
		const known = this.#subscribed.get(uri);
		if (known) return known;
		if (this.#subscribed.size >= RESOURCE_SUBSCRIPTIONS_LIMIT) {
			throw new OrchestraError(
				'bad_input',
				`this client is already subscribed to ${RESOURCE_SUBSCRIPTIONS_LIMIT} resources`,
			);
		}
		const subscribed = Promise.resolve(this.#provider.subscribeResource(uri, true, this)).then(
			() => ({}),
			(error: unknown) => {
				if (this.#subscribed.get(uri) === subscribed) this.#subscribed.delete(uri);
				throw error;
			},
		);
		this.#subscribed.set(uri, subscribed);
		return subscribed;
	}

	#unsubscribe(uri: string): void {
		if (!this.#subscribed.delete(uri)) return;
		// The client has nothing to do with a failure.
		Promise.resolve(this.#provider.subscribeResource?.(uri, false, this)).catch(() => {});
	}

	/** A result with client requests is sent to the client as requests; then the call is made again with the answers. */
	#answer(call: IncomingCall, params: Params, round: number, asking: Asking): Awaitable<Answer> {
		const method = methods.get(call.method);
		if (method === undefined) throw methodNotFound(call.method);
		const context = new CallContext(this, call, metaOf(params), asking);
		const work = (): Awaitable<Answer> => method.answer(this.#provider, params, context);
		return after(
			unlessFailing(work, () => context.end()),
			(answer) => {
				context.end();
				const result = answerValue(answer);
				if (!isInputRequired(result)) return forLegacy(answer, this.#revision);
				if (round >= LEGACY_INPUT_ROUNDS_LIMIT)
					throw new OrchestraError(
						'internal',
						`${call.method} asked the client for input more than ${LEGACY_INPUT_ROUNDS_LIMIT} times`,
					);
				const { inputRequests = {}, requestState } = result;
				return this.ask(inputRequests, context).then(
					(inputResponses) =>
						this.#answer(call, params, round + 1, {
							asker: this,
							inputResponses,
							requestState,
							isContinued: true,
						}),
					(error: unknown) => this.#refused(call.method, error),
				);
			},
		);
	}
}
