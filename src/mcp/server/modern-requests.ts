/*
 * The modern era: every request stands alone, with its version and its client's
 * capabilities in `_meta`, checked each time. Results say what they are.
 */
import { OrchestraError } from '../../errors.ts';
import { type Awaitable, isInputRequired, type Result } from '../../protocol/mcp-types.ts';
import { SERVER_INFO } from '../../protocol/meta.ts';
import { modernVersions } from '../../protocol/revisions.ts';
import type { IncomingCall } from '../../rpc/incoming-call.ts';
import type { Peer } from '../../rpc/peer.ts';
import { methodNotFound } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { CallContext, type InputResponses } from './call-context.ts';
import { areAnswered, type Questions, requireCapabilities } from './client-questions.ts';
import { InteractiveCall, type Turn } from './interactive-call.ts';
import { after, type Method, methods, type Params, unlessFailing } from './methods.ts';
import { ModernLine } from './modern-line.ts';
import type { Provider } from './provider.ts';
import type { Carried, RequestStates } from './request-state.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { SuspendedCalls } from './suspended-calls.ts';

/** How long a list may be kept by a client that does not listen for changes, in milliseconds. */
const LIST_TTL_MS = 10_000;

export interface ModernParts {
	provider: Provider;
	peer: () => Peer;
	parking: SuspendedCalls;
	states: RequestStates;
	subscriptions: Subscriptions;
	/** The id of the connection. */
	sessionId: () => string;
}

export class ModernRequests {
	readonly #parts: ModernParts;
	readonly #identity: Readonly<Record<string, unknown>>;

	constructor(parts: ModernParts) {
		this.#parts = parts;
		this.#identity = { [SERVER_INFO]: parts.provider.info };
	}

	serve(call: IncomingCall, params: Params, meta: Params): Awaitable<unknown> {
		const line = new ModernLine(this.#parts.peer, this.#parts.sessionId, meta);
		if (call.method === 'server/discover') return this.#discover();
		if (call.method === 'subscriptions/listen') return this.#parts.subscriptions.listen(call, params);
		const method = methods.get(call.method);
		if (method === undefined) throw methodNotFound(call.method);
		if (method.isInteractive) return this.#interact(call, method, params, line);
		const context = new CallContext(line, call, meta);
		const work = (): Awaitable<Result> => method.answer(this.#parts.provider, params, context);
		return after(
			unlessFailing(work, () => context.end()),
			(result) => {
				context.end();
				return this.#complete(result, method.isCacheable);
			},
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
		const { requestState } = params;
		const inputResponses = responsesOf(params['inputResponses']);
		const carried = requestState === undefined ? undefined : this.#open(requestState, call.method, params);
		if (carried && 'parked' in carried)
			return this.#comeBack({ call, method, params, line }, carried.parked, inputResponses ?? {});
		const interactive = new InteractiveCall(this.#parts.parking);
		const state = carried?.state ?? undefined;
		const asking = { asker: interactive, inputResponses, requestState: state };
		const context = new CallContext(line, call, line.meta, asking);
		const work = (): Awaitable<Result> => method.answer(this.#parts.provider, params, context);
		const turn = unlessFailing(
			() => interactive.run(context, work),
			() => context.end(),
		);
		return after(turn, (ended) => this.#endTurn(ended, { call, method, params, line }, context));
	}

	#open(requestState: unknown, method: string, params: Params): Carried {
		if (typeof requestState === 'string')
			return this.#parts.states.open(requestState, identityOf(method, params));
		throw new OrchestraError('bad_input', 'parameter requestState must be a string');
	}

	/** A retry. Answers that are missing are asked for again. */
	#comeBack(request: InteractiveRequest, id: string, responses: InputResponses): Awaitable<Result> {
		const { call, line } = request;
		const parked = this.#parts.parking.find(id);
		if (parked === undefined)
			throw new OrchestraError('bad_input', 'requestState was refused: the call it belongs to is over');
		const { questions } = parked;
		if (!areAnswered(questions, responses)) {
			requireCapabilities(questions, line.capabilities);
			return this.#ask(request, questions, { parked: id });
		}
		let context: CallContext | undefined;
		const turn = parked.resume(responses, (waiting) => {
			context = waiting;
			waiting.resume(line, call, line.meta);
		});
		const ended = unlessFailing(
			() => turn,
			() => context?.end(),
		);
		return after(ended, (last) => this.#endTurn(last, request, context));
	}

	#endTurn(turn: Turn, request: InteractiveRequest, context: CallContext | undefined): Result {
		context?.end();
		if ('parked' in turn) return this.#ask(request, turn.questions, { parked: turn.parked });
		const { result } = turn;
		if (!isInputRequired(result)) return this.#complete(result, request.method.isCacheable);
		const { inputRequests, requestState = null } = result;
		if (inputRequests) requireCapabilities(inputRequests, request.line.capabilities);
		return this.#ask(request, inputRequests, { state: requestState });
	}

	#ask({ call, params }: InteractiveRequest, questions: Questions | undefined, carried: Carried): Result {
		return {
			resultType: 'input_required',
			...(questions === undefined ? {} : { inputRequests: questions }),
			requestState: this.#parts.states.seal(carried, identityOf(call.method, params)),
			_meta: this.#identity,
		};
	}

	#complete(result: Result, isCacheable: boolean): Result {
		const { _meta: meta } = result;
		const complete: Result = {
			resultType: 'complete',
			...result,
			_meta: isObject(meta) ? { ...meta, ...this.#identity } : this.#identity,
		};
		if (isCacheable) {
			complete['ttlMs'] ??= 'contents' in result ? 0 : LIST_TTL_MS;
			complete['cacheScope'] ??= 'private';
		}
		return complete;
	}
}

/** A request that may be answered with questions. */
interface InteractiveRequest {
	readonly call: IncomingCall;
	readonly method: Method;
	readonly params: Params;
	readonly line: ModernLine;
}

/** The answers that came with a request; one that is no object counts as missing. */
function responsesOf(given: unknown): InputResponses | undefined {
	if (given === undefined) return undefined;
	if (!isObject(given)) throw new OrchestraError('bad_input', 'parameter inputResponses must be an object');
	return Object.fromEntries(Object.entries(given).filter(([, response]) => isObject(response)));
}

/** What a retry must repeat: the same method with the same params, answers and `_meta` aside. */
function identityOf(
	method: string,
	{ _meta, inputResponses: _answers, requestState: _state, ...params }: Params,
): string {
	return JSON.stringify([method, params], (_key, value: unknown) =>
		// The order of keys means nothing.
		isObject(value) ? Object.fromEntries(Object.entries(value).sort(byKey)) : value,
	);
}

function byKey([one]: [string, unknown], [other]: [string, unknown]): number {
	return one < other ? -1 : 1;
}
