/*
 * The modern era is stateless: every request carries its version and the client's
 * capabilities in `_meta`, checked each time. Every result has a `resultType`.
 */
import { OrchestraError } from '../../errors.ts';
import {
	type Answer,
	type Awaitable,
	answerValue,
	exactAnswer,
	isInputRequired,
	type Result,
} from '../../protocol/mcp-types.ts';
import { SERVER_INFO } from '../../protocol/meta.ts';
import { modernVersions } from '../../protocol/revisions.ts';
import type { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import type { Peer } from '../../rpc/peer.ts';
import { methodNotFound } from '../../rpc/rpc-error.ts';
import { canonicalJson } from '../../wire/canonical-json.ts';
import { isObject } from '../../wire/json.ts';
import { JsonText, rewritesNumbers, withMember } from '../../wire/json-text.ts';
import { member } from '../../wire/message-member.ts';
import { type MessageView, writtenMember } from '../../wire/message-view.ts';
import { LIST_TTL_MS } from '../mcp-limits.ts';
import { CallContext } from './call-context.ts';
import type { ConnectionSessions } from './connection-sessions.ts';
import type { InputResponses } from './input-requests.ts';
import { areAnswered, type InputRequests, requireCapabilities } from './input-requests.ts';
import { InteractiveCall, type StepOutcome } from './interactive-call.ts';
import { after, type Method, methods, type Params, providerCapabilities, unlessFailing } from './methods.ts';
import { ModernClient } from './modern-client.ts';
import type { Provider } from './provider.ts';
import type { RequestStates, StatePayload } from './request-state.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { SuspendedCalls } from './suspended-calls.ts';
import { EnvelopeClient } from './text-calls-client.ts';

export interface ModernRequestsOptions {
	provider: Provider;
	peer: () => Peer;
	suspendedCalls: SuspendedCalls;
	states: RequestStates;
	subscriptions: Subscriptions;
	sessions: ConnectionSessions;
	/** The sender of all requests, when it is known. */
	principal?: string | undefined;
}

export class ModernRequests {
	readonly #options: ModernRequestsOptions;
	readonly #identity: Readonly<Record<string, unknown>>;
	/** The client of the last call that was taken as text: the next one is the same, as a rule. */
	#lastClient: EnvelopeClient | undefined;

	constructor(options: ModernRequestsOptions) {
		this.#options = options;
		this.#identity = { [SERVER_INFO]: options.provider.info };
	}

	serve(call: IncomingCall, params: Params, meta: Params): Awaitable<unknown> {
		const { peer, sessions, principal } = this.#options;
		const client = new ModernClient(peer, sessions, meta, principal);
		if (call.method === 'server/discover') return this.#discover(client);
		if (call.method === 'subscriptions/listen')
			return this.#options.subscriptions.listen(call, params, client);
		const method = methods.get(call.method);
		if (method === undefined) throw methodNotFound(call.method);
		if (method.isInteractive) return this.#interact(call, method, params, client);
		const context = new CallContext(client, call, meta);
		const work = (): Awaitable<Answer> => method.answer(this.#options.provider, params, context);
		return after(
			unlessFailing(work, () => context.end()),
			(result) => {
				context.end();
				return this.#complete(result, method.isCacheable);
			},
		);
	}

	/** Pass a plain call to the provider before it is parsed; false when it must be parsed. */
	forward(view: MessageView): boolean {
		const { provider, peer, sessions } = this.#options;
		if (!this.#lastClient?.isOf(view)) {
			const client = EnvelopeClient.of(view, peer, sessions);
			if (client === undefined) return false;
			this.#lastClient = client;
		}
		const from = this.#lastClient;
		from.forwarder ??= provider.toolForwarder?.();
		return from.forwarder?.take(view, from) ?? false;
	}

	#discover({ clientInfo }: ModernClient): Awaitable<Answer> {
		// After the answer, as with `initialize`.
		setImmediate(() => this.#options.sessions.introduced());
		return after(providerCapabilities(this.#options.provider, 'modern', clientInfo), (capabilities) =>
			this.#complete({ supportedVersions: modernVersions, ...capabilities }, true),
		);
	}

	#interact(call: IncomingCall, method: Method, params: Params, client: ModernClient): Awaitable<Answer> {
		const { requestState } = params;
		const inputResponses = responsesOf(params['inputResponses'], call.text);
		const payload = requestState === undefined ? undefined : this.#open(requestState, call.method, params);
		if (payload && 'suspended' in payload)
			return this.#resume({ call, method, params, client }, payload.suspended, inputResponses ?? {});
		const interactive = new InteractiveCall(this.#options.suspendedCalls);
		const state = payload?.state ?? undefined;
		const isContinued = payload !== undefined;
		const asking = { asker: interactive, inputResponses, requestState: state, isContinued };
		const context = new CallContext(client, call, client.meta, asking);
		const work = (): Awaitable<Answer> => method.answer(this.#options.provider, params, context);
		const step = unlessFailing(
			() => interactive.run(context, work),
			() => context.end(),
		);
		return after(step, (outcome) => this.#answerStep(outcome, { call, method, params, client }, context));
	}

	#open(requestState: unknown, method: string, params: Params): StatePayload {
		if (typeof requestState === 'string')
			return this.#options.states.open(requestState, this.#identityOf(method, params));
		throw new OrchestraError('bad_input', 'parameter requestState must be a string');
	}

	/** The parts that a retry must repeat: the sender, the method and all params except the answers, the state and `_meta`. */
	#identityOf(
		method: string,
		{ _meta, inputResponses: _answers, requestState: _state, ...params }: Params,
	): string {
		return canonicalJson([this.#options.principal ?? null, method, params]);
	}

	/** A retry of a suspended call. Missing answers are requested again. */
	#resume(request: InteractiveRequest, id: string, responses: InputResponses): Awaitable<Answer> {
		const { call, client } = request;
		const suspended = this.#options.suspendedCalls.find(id);
		if (suspended === undefined)
			throw new OrchestraError('bad_input', 'requestState was refused: its call has ended');
		const { inputRequests } = suspended;
		if (!areAnswered(inputRequests, responses)) {
			requireCapabilities(inputRequests, client.capabilities);
			return this.#ask(request, inputRequests, { suspended: id });
		}
		let context: CallContext | undefined;
		const step = suspended.resume(responses, (waiting) => {
			context = waiting;
			waiting.resume(client, call, client.meta);
		});
		const outcome = unlessFailing(
			() => step,
			() => context?.end(),
		);
		return after(outcome, (last) => this.#answerStep(last, request, context));
	}

	#answerStep(step: StepOutcome, request: InteractiveRequest, context: CallContext | undefined): Answer {
		context?.end();
		if ('suspended' in step) return this.#ask(request, step.inputRequests, { suspended: step.suspended });
		const result = answerValue(step.result);
		if (!isInputRequired(result)) return this.#complete(step.result, request.method.isCacheable);
		const { inputRequests, requestState = null } = result;
		if (inputRequests) requireCapabilities(inputRequests, request.client.capabilities);
		return this.#ask(request, inputRequests, { state: requestState });
	}

	#ask(
		{ call, params }: InteractiveRequest,
		inputRequests: InputRequests | undefined,
		payload: StatePayload,
	): Result {
		return {
			resultType: 'input_required',
			...(inputRequests === undefined ? {} : { inputRequests }),
			requestState: this.#options.states.seal(payload, this.#identityOf(call.method, params)),
			_meta: this.#identity,
		};
	}

	/** The answer of another server, as its text; undefined when its `_meta` must be replaced. */
	#forwarded(answer: JsonText): JsonText | undefined {
		const result = answerValue(answer);
		const { _meta: meta } = result;
		if (meta !== undefined && !isObject(meta)) return undefined;
		const members = 'resultType' in result ? [] : ['"resultType":"complete"'];
		if (meta === undefined) members.push(`"_meta":${JSON.stringify(this.#identity)}`);
		const info = JSON.stringify(this.#options.provider.info);
		const isNamed = meta === undefined || SERVER_INFO in meta;
		const { text } = isNamed ? answer : new JsonText(withMember(answer.text, ['_meta', SERVER_INFO], info));
		if (members.length === 0) return isNamed ? answer : new JsonText(text);
		const rest = text.slice(text.indexOf('{') + 1);
		return new JsonText(`{${members.join(',')}${Object.keys(result).length === 0 ? '' : ','}${rest}`);
	}

	#complete(answer: Answer, isCacheable: boolean): Answer {
		const forwarded = !isCacheable && answer instanceof JsonText ? this.#forwarded(answer) : undefined;
		if (forwarded) return forwarded;
		const result = exactAnswer(answer);
		// An acknowledgement stays empty: rmcp 3.8 takes one with `_meta` for the result of a tool.
		if (!isCacheable && Object.keys(result).length === 0) return { resultType: 'complete' };
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

/** A request that may be answered with client requests. */
interface InteractiveRequest {
	readonly call: IncomingCall;
	readonly method: Method;
	readonly params: Params;
	readonly client: ModernClient;
}

/** The input responses of a request; a value that is not an object counts as missing. */
function responsesOf(given: unknown, text: string): InputResponses | undefined {
	if (given === undefined) return undefined;
	const written = rewritesNumbers(text) ? writtenMember(text, member.inputResponses) : undefined;
	const exact = written === undefined ? given : new JsonText(written, given).exact;
	if (!isObject(exact)) throw new OrchestraError('bad_input', 'parameter inputResponses must be an object');
	return Object.fromEntries(Object.entries(exact).filter(([, response]) => isObject(response)));
}
