/*
 * The legacy era on one pipe: what `initialize` opened and what was set since.
 *
 * Requests that come before `initialize` are served as well, in the newest legacy
 * revision; servers of the field tolerate them.
 */
import { OrchestraError } from '../errors.ts';
import type { IncomingCall } from '../rpc/incoming.ts';
import type { Peer } from '../rpc/peer.ts';
import { methodNotFound } from '../rpc/rpc-error.ts';
import { isObject } from '../wire/json.ts';
import { CallContext, type ClientLine, type InputResponses } from './call-context.ts';
import { metaOf, PROTOCOL_VERSION } from './meta.ts';
import { after, methods, type Params, requiredText } from './methods.ts';
import type { Change, Provider } from './provider.ts';
import type { Revision } from './revision.ts';
import { negotiate } from './revisions.ts';
import {
	type Awaitable,
	type ContentBlock,
	type InputRequired,
	isInputRequired,
	isLogLevel,
	logLevels,
	type McpLogLevel,
	type Result,
} from './types.ts';

/** How long a client may take to answer a question, in milliseconds. */
const QUESTION_MS = 10 * 60 * 1000;
/** How often a provider may come back with another question for one call. */
const QUESTION_ROUNDS = 8;
/** How many resources one client may watch. */
const WATCHED_RESOURCES = 10_000;

export class LegacySession implements ClientLine {
	readonly #provider: Provider;
	readonly #peer: () => Peer;
	readonly #watched = new Set<string>();
	#revision: Revision = negotiate(undefined);
	#isOpen = false;
	#logLevel: McpLogLevel = 'warning';
	capabilities: Readonly<Record<string, unknown>> = {};
	clientInfo: unknown;

	constructor(provider: Provider, peer: () => Peer) {
		this.#provider = provider;
		this.#peer = peer;
	}

	get revision(): Revision {
		return this.#revision;
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
		return this.#answer(call, params, 0);
	}

	/** Something changed behind the provider: tell the client, if it has opened a session. */
	tell(change: Change): void {
		if (!this.#isOpen) return;
		if (change.kind !== 'resource') this.notify(`notifications/${change.kind}/list_changed`, undefined);
		else if (this.#watched.has(change.uri))
			this.notify('notifications/resources/updated', { uri: change.uri });
	}

	close(): void {
		for (const uri of this.#watched) this.#provider.watchResource?.(uri, false);
		this.#watched.clear();
	}

	logLevel(): McpLogLevel {
		return this.#logLevel;
	}

	notify(method: string, params: unknown): void {
		this.#peer().notify(method, params);
	}

	request(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
		return this.#peer().request(method, params, { timeoutMs: QUESTION_MS, signal });
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
		this.#provider.watchResource(uri, isWatched);
		return {};
	}

	/** Questions that come as a result are put to the client, and the call is made again with the answers. */
	#answer(
		call: IncomingCall,
		params: Params,
		round: number,
		parts: { inputResponses?: InputResponses; requestState?: string | undefined } = {},
	): Awaitable<Result> {
		const method = methods.get(call.method);
		if (method === undefined) throw methodNotFound(call.method);
		const context = new CallContext(this, call, metaOf(params), parts);
		return after(method.answer(this.#provider, params, context), (result) => {
			if (!isInputRequired(result)) return this.#finish(result);
			if (round >= QUESTION_ROUNDS)
				throw new OrchestraError('internal', `${call.method} asked more than ${QUESTION_ROUNDS} times`);
			return this.#ask(context, result).then((next) => this.#answer(call, params, round + 1, next));
		});
	}

	async #ask(
		context: CallContext,
		{ inputRequests = {}, requestState }: InputRequired,
	): Promise<{ inputResponses: InputResponses; requestState: string | undefined }> {
		return { inputResponses: await context.askAll(inputRequests), requestState };
	}

	/** Legacy results say nothing of their kind, and hold only content that the client's revision knows. */
	#finish(result: Result): Result {
		const { adaptContent } = this.#revision;
		if (!('resultType' in result) && adaptContent === undefined) return result;
		const { resultType: _modern, ...rest } = result;
		return adaptContent === undefined ? rest : adapted(rest, adaptContent);
	}
}

function adapted(result: Result, adapt: (block: ContentBlock) => ContentBlock): Result {
	const { content, messages } = result;
	if (Array.isArray(content)) return { ...result, content: content.map(adapt) };
	if (!Array.isArray(messages)) return result;
	return {
		...result,
		messages: messages.map((message) => ({ ...message, content: adapt(message.content) })),
	};
}
