/*
 * The modern era: every request stands alone, with its version and its client's
 * capabilities in `_meta`, checked each time. Results say what they are.
 */
import { OrchestraError } from '../errors.ts';
import type { IncomingCall } from '../rpc/incoming.ts';
import type { Peer } from '../rpc/peer.ts';
import { methodNotFound, rpcError } from '../rpc/rpc-error.ts';
import { isObject } from '../wire/json.ts';
import { CallContext, type ClientLine, type InputResponses } from './call-context.ts';
import {
	CLIENT_CAPABILITIES,
	CLIENT_INFO,
	LOG_LEVEL,
	mcpCodes,
	PROTOCOL_VERSION,
	SERVER_INFO,
} from './meta.ts';
import { after, type Method, methods, type Params } from './methods.ts';
import { InteractiveCall, type Parking, type Turn } from './parking.ts';
import type { Provider } from './provider.ts';
import type { RequestStates } from './request-state.ts';
import type { Revision } from './revision.ts';
import { modernRevision, modernVersions, supportedVersions } from './revisions.ts';
import type { Subscriptions } from './subscriptions.ts';
import {
	type Awaitable,
	type InputRequest,
	isInputRequired,
	isLogLevel,
	type McpLogLevel,
	type Result,
} from './types.ts';

/** How long a list may be kept by a client that does not listen for changes, in milliseconds. */
const LIST_TTL_MS = 10_000;

export interface ModernParts {
	provider: Provider;
	peer: () => Peer;
	parking: Parking;
	states: RequestStates;
	subscriptions: Subscriptions;
}

export class ModernRequests {
	readonly #parts: ModernParts;

	constructor(parts: ModernParts) {
		this.#parts = parts;
	}

	serve(call: IncomingCall, params: Params, meta: Params): Awaitable<unknown> {
		const line = new ModernLine(this.#parts.peer, meta);
		if (call.method === 'server/discover') return this.#discover();
		if (call.method === 'subscriptions/listen') return this.#parts.subscriptions.listen(call, params);
		const method = methods.get(call.method);
		if (method === undefined) throw methodNotFound(call.method);
		if (method.isInteractive) return this.#interact(call, method, params, line);
		const context = new CallContext(line, call, meta);
		return after(method.answer(this.#parts.provider, params, context), (result) =>
			this.#complete(result, method.isCacheable),
		);
	}

	#discover(): Awaitable<Result> {
		const { instructions } = this.#parts.provider;
		return after(this.#parts.provider.capabilities(), (capabilities) =>
			this.#complete(
				{
					supportedVersions: modernVersions,
					capabilities,
					...(instructions === undefined ? {} : { instructions }),
				},
				true,
			),
		);
	}

	#interact(call: IncomingCall, method: Method, params: Params, line: ModernLine): Awaitable<Result> {
		const { provider, parking, states } = this.#parts;
		const { requestState } = params;
		const inputResponses = isObject(params['inputResponses']) ? params['inputResponses'] : undefined;
		const identity = identityOf(call.method, params);
		const carried = typeof requestState === 'string' ? states.open(requestState, identity) : undefined;
		if (carried && 'parked' in carried)
			return this.#comeBack(call, carried.parked, inputResponses ?? {}, { method, identity, line });
		const interactive = new InteractiveCall(
			parking,
			(park) =>
				new CallContext(line, call, line.meta, {
					park,
					inputResponses,
					requestState: carried?.state ?? undefined,
				}),
		);
		const turn = interactive.run((context) => method.answer(provider, params, context));
		return after(turn, (ended) => this.#endTurn(ended, method, identity));
	}

	#comeBack(
		call: IncomingCall,
		id: string,
		responses: InputResponses,
		{ method, identity, line }: { method: Method; identity: string; line: ModernLine },
	): Awaitable<Result> {
		const parked = this.#parts.parking.find(id);
		if (parked === undefined)
			throw new OrchestraError('bad_input', 'requestState was refused: the call it belongs to is over');
		const { questions } = parked;
		if (Object.keys(questions).some((key) => !(key in responses))) {
			return this.#endTurn({ parked: id, questions }, method, identity);
		}
		return parked.resume(call, line.meta, responses).then((ended) => this.#endTurn(ended, method, identity));
	}

	#endTurn(turn: Turn, method: Method, identity: string): Result {
		if ('parked' in turn) {
			return this.#inputRequired(turn.questions, this.#parts.states.seal({ parked: turn.parked }, identity));
		}
		const { result } = turn;
		if (!isInputRequired(result)) return this.#complete(result, method.isCacheable);
		const { inputRequests, requestState } = result;
		return this.#inputRequired(
			inputRequests,
			this.#parts.states.seal({ state: requestState ?? null }, identity),
		);
	}

	#inputRequired(inputRequests: Record<string, InputRequest> | undefined, requestState: string): Result {
		return {
			resultType: 'input_required',
			...(inputRequests === undefined ? {} : { inputRequests }),
			requestState,
			_meta: { [SERVER_INFO]: this.#parts.provider.info },
		};
	}

	#complete(result: Result, isCacheable: boolean): Result {
		const meta = isObject(result['_meta']) ? result['_meta'] : undefined;
		const complete: Result = {
			resultType: 'complete',
			...result,
			_meta: { ...meta, [SERVER_INFO]: this.#parts.provider.info },
		};
		if (isCacheable) {
			complete['ttlMs'] ??= 'contents' in result ? 0 : LIST_TTL_MS;
			complete['cacheScope'] ??= 'private';
		}
		return complete;
	}
}

/** The client of one modern request, as far as the request tells. */
class ModernLine implements ClientLine {
	readonly revision: Revision;
	readonly capabilities: Readonly<Record<string, unknown>>;
	readonly meta: Params;
	readonly #peer: () => Peer;

	constructor(peer: () => Peer, meta: Params) {
		const requested = meta[PROTOCOL_VERSION];
		const revision = modernRevision(requested);
		if (revision === undefined) {
			throw rpcError(mcpCodes.unsupportedVersion, `unsupported protocol version: ${String(requested)}`, {
				supported: supportedVersions,
				requested,
			});
		}
		const capabilities = meta[CLIENT_CAPABILITIES];
		if (!isObject(capabilities)) {
			throw new OrchestraError('bad_input', `missing required parameter: _meta["${CLIENT_CAPABILITIES}"]`);
		}
		this.revision = revision;
		this.capabilities = capabilities;
		this.meta = meta;
		this.#peer = peer;
	}

	get clientInfo(): unknown {
		return this.meta[CLIENT_INFO];
	}

	logLevel(meta: Params): McpLogLevel | undefined {
		const level = meta[LOG_LEVEL];
		return isLogLevel(level) ? level : undefined;
	}

	notify(method: string, params: unknown): void {
		this.#peer().notify(method, params);
	}

	request(): Promise<never> {
		return Promise.reject(new OrchestraError('internal', 'a modern client is never asked on the wire'));
	}
}

/** What a retry must repeat: the same method with the same params, answers and `_meta` aside. */
function identityOf(
	method: string,
	{ _meta, inputResponses: _answers, requestState: _state, ...params }: Params,
): string {
	return JSON.stringify([method, params]);
}
