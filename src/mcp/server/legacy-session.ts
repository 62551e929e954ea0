/*
 * The legacy era on one pipe: what `initialize` opened and what was set since.
 *
 * Requests that come before `initialize` are served as well, in the newest legacy
 * revision; servers of the field tolerate them.
 */
import { OrchestraError } from '../../errors.ts';
import {
	type Awaitable,
	isInputRequired,
	isLogLevel,
	logLevels,
	type McpLogLevel,
	type Result,
} from '../../protocol/mcp-types.ts';
import { metaOf, PROTOCOL_VERSION } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revisions.ts';
import { negotiate } from '../../protocol/revisions.ts';
import type { IncomingCall } from '../../rpc/incoming-call.ts';
import type { Peer } from '../../rpc/peer.ts';
import { methodNotFound, rpcErrorOf } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { failureOf } from '../define/defined-results.ts';
import { forLegacy } from './adapt.ts';
import { type Asking, CallContext, type ClientLine, type InputResponses } from './call-context.ts';
import { type Questions, requireCapabilities } from './client-questions.ts';
import { after, methods, type Params, requiredText, unlessFailing } from './methods.ts';
import type { Change, Provider } from './provider.ts';
import { type ListKind, SeenLists } from './seen-lists.ts';
import { WATCHED_RESOURCES, type Watches } from './watches.ts';

/** How long a client may take to answer a question, in milliseconds. */
const QUESTION_MS = 10 * 60 * 1000;
/** How often a provider may come back with another question for one call. */
const QUESTION_ROUNDS = 8;

export interface LegacySessionParts {
	provider: Provider;
	peer: () => Peer;
	watches: Watches;
	/** The id of the connection. */
	sessionId: () => string;
}

export class LegacySession implements ClientLine {
	readonly #provider: Provider;
	readonly #peer: () => Peer;
	readonly #watches: Watches;
	readonly #watched = new Set<string>();
	readonly #asking: Asking = { asker: this };
	readonly #lists: SeenLists = new SeenLists((kind) => this.#notifyListChanged(kind));
	#revision: Revision = negotiate(undefined);
	#isOpen = false;
	#logLevel: McpLogLevel = 'warning';
	capabilities: Readonly<Record<string, unknown>> = {};
	clientInfo: unknown;

	readonly #sessionId: () => string;

	constructor({ provider, peer, watches, sessionId }: LegacySessionParts) {
		this.#sessionId = sessionId;
		this.#provider = provider;
		this.#peer = peer;
		this.#watches = watches;
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
				return this.#watch(requiredText(params, 'uri'), true);
			case 'resources/unsubscribe':
				return this.#watch(requiredText(params, 'uri'), false);
			case 'server/discover':
			case 'subscriptions/listen':
				throw new OrchestraError('bad_input', `missing required parameter: _meta["${PROTOCOL_VERSION}"]`);
		}
		const onAnswer = this.#lists.begin(call.method);
		if (onAnswer === undefined) return this.#answer(call, params, 0, this.#asking);
		const answered = unlessFailing(() => this.#answer(call, params, 0, this.#asking), onAnswer);
		return after(answered, (result) => {
			onAnswer();
			return result;
		});
	}

	/** Something changed behind the provider: notify the client, if it has opened a session and seen the list. */
	tell(change: Change): void {
		if (!this.#isOpen) return;
		if (change.kind !== 'resource') this.#lists.changed(change.kind);
		else if (this.#watched.has(change.uri))
			this.notify('notifications/resources/updated', { uri: change.uri });
	}

	#notifyListChanged(kind: ListKind): void {
		try {
			this.notify(`notifications/${kind}/list_changed`, undefined);
		} catch (error) {
			// The client is gone, which is no fault of what changed.
			if (!OrchestraError.is(error, 'closed') && !OrchestraError.is(error, 'io')) throw error;
		}
	}

	close(): void {
		for (const uri of this.#watched) this.#watches.remove(this.#provider, uri);
		this.#watched.clear();
	}

	logLevel(): McpLogLevel {
		return this.#logLevel;
	}

	notify(method: string, params: unknown): void {
		this.#peer().notify(method, params);
	}

	/** Put questions of running work to the client. What it refuses fails the work, not the protocol. */
	async ask(questions: Questions, context: CallContext): Promise<InputResponses> {
		try {
			return await this.#request(questions, context);
		} catch (cause) {
			const refusal = rpcErrorOf(cause);
			if (refusal === undefined) throw cause;
			throw new OrchestraError('tool_failed', `the client could not be asked: ${refusal.message}`, { cause });
		}
	}

	/** Every question is a request on the wire. */
	async #request(questions: Questions, { signal }: CallContext): Promise<InputResponses> {
		requireCapabilities(questions, this.capabilities);
		const answers = Object.entries(questions).map(async ([key, { method, params }]) => {
			return [key, await this.#peer().request(method, params, { timeoutMs: QUESTION_MS, signal })] as const;
		});
		return Object.fromEntries(await Promise.all(answers));
	}

	/** What a client refuses to answer fails a tool, as it would have failed its work. */
	#unasked(method: string, error: unknown): Result {
		if (method !== 'tools/call') throw error;
		return forLegacy(failureOf(error), this.#revision);
	}

	#initialize(params: Params): Awaitable<Result> {
		this.#revision = negotiate(params['protocolVersion']);
		this.#isOpen = true;
		this.capabilities = isObject(params['capabilities']) ? params['capabilities'] : {};
		this.clientInfo = params['clientInfo'];
		const { info: serverInfo, instructions } = this.#provider;
		return after(this.#provider.capabilities(), (capabilities) => ({
			protocolVersion: this.#revision.version,
			capabilities,
			serverInfo,
			...(instructions === undefined ? {} : { instructions }),
		}));
	}

	#setLevel(params: Params): Result {
		const level = requiredText(params, 'level');
		if (!isLogLevel(level)) {
			throw new OrchestraError('bad_input', `unknown log level: ${level}`, {
				hint: `Use one of ${logLevels.join(', ')}.`,
			});
		}
		this.#logLevel = level;
		return {};
	}

	#watch(uri: string, isWatched: boolean): Result {
		if (!this.#provider.watchResource)
			throw methodNotFound(isWatched ? 'resources/subscribe' : 'resources/unsubscribe');
		if (this.#watched.has(uri) === isWatched) return {};
		if (isWatched && this.#watched.size >= WATCHED_RESOURCES) {
			throw new OrchestraError('bad_input', `more than ${WATCHED_RESOURCES} resources are watched already`);
		}
		if (isWatched) this.#watched.add(uri);
		else this.#watched.delete(uri);
		this.#watches[isWatched ? 'add' : 'remove'](this.#provider, uri);
		return {};
	}

	/** Questions that come as a result are put to the client, and the call is made again with the answers. */
	#answer(call: IncomingCall, params: Params, round: number, asking: Asking): Awaitable<Result> {
		const method = methods.get(call.method);
		if (method === undefined) throw methodNotFound(call.method);
		const context = new CallContext(this, call, metaOf(params), asking);
		const work = (): Awaitable<Result> => method.answer(this.#provider, params, context);
		return after(
			unlessFailing(work, () => context.end()),
			(result) => {
				context.end();
				if (!isInputRequired(result)) return forLegacy(result, this.#revision);
				if (round >= QUESTION_ROUNDS)
					throw new OrchestraError('internal', `${call.method} asked more than ${QUESTION_ROUNDS} times`);
				const { inputRequests = {}, requestState } = result;
				return this.ask(inputRequests, context).then(
					(inputResponses) =>
						this.#answer(call, params, round + 1, { asker: this, inputResponses, requestState }),
					(error: unknown) => this.#unasked(call.method, error),
				);
			},
		);
	}
}
