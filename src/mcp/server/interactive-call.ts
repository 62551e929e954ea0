/*
 * A call of a modern client that may ask the client for input, and so may span
 * several requests. Each request is one step: it ends with client requests or the result.
 *
 * Client requests made at the same time are sent together. Client requests made while no
 * request is open are sent with the next step.
 */
import { OrchestraError } from '../../errors.ts';
import type { Answer, Awaitable, InputRequest } from '../../protocol/mcp-types.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { type Deferred, deferred } from '../../rpc/deferred.ts';
import { CLIENT_ANSWER_MS } from '../mcp-limits.ts';
import type { CallContext } from './call-context.ts';
import { type InputRequests, type InputResponses, requireCapabilities } from './input-requests.ts';
import type { SuspendedCalls } from './suspended-calls.ts';

/** How a step ends: with the result, or with client requests and the id of the suspended call. */
export type StepOutcome = { result: Answer } | { suspended: string; inputRequests: InputRequests };

/** One `ask` of the running work. */
interface Ask {
	readonly inputRequests: InputRequests;
	readonly answer: (responses: InputResponses) => void;
	readonly giveUp: (reason: unknown) => void;
}

/** The client requests that were sent to the client. */
interface Shown {
	readonly id: string;
	readonly inputRequests: InputRequests;
	readonly asks: readonly { ask: Ask; keys: Readonly<Record<string, string>> }[];
	readonly timer: NodeJS.Timeout;
}

export class InteractiveCall {
	readonly #suspendedCalls: SuspendedCalls;
	#context: CallContext | undefined;
	#asks: Ask[] = [];
	#shown: Shown | undefined;
	#request: Deferred<StepOutcome> | undefined;
	/** Set when the work has settled. */
	#outcome: Promise<Answer> | undefined;

	constructor(suspendedCalls: SuspendedCalls) {
		this.#suspendedCalls = suspendedCalls;
	}

	/** The client requests that were sent to the client. */
	get inputRequests(): InputRequests {
		return this.#shown?.inputRequests ?? {};
	}

	/** Run until there is a result or a client request. */
	run(context: CallContext, work: (context: CallContext) => Awaitable<Answer>): Awaitable<StepOutcome> {
		this.#context = context;
		const outcome = work(context);
		if (!(outcome instanceof Promise)) return { result: outcome };
		const step = this.#awaitStep();
		outcome.then(
			(result) => {
				this.#outcome = outcome;
				this.#takeRequest()?.resolve({ result });
			},
			(error: unknown) => {
				this.#outcome = outcome;
				this.#takeRequest()?.reject(error);
			},
		);
		return step;
	}

	/** Ask the client; the answers come with its next request. */
	ask(
		inputRequests: InputRequests,
		{ clientCapabilities, isCanceled }: CallContext,
		withdrawn?: AbortSignal,
	): Promise<InputResponses> {
		return new Promise((answer, giveUp) => {
			if (isCanceled) throw new OrchestraError('canceled', 'the client canceled the call');
			requireCapabilities(inputRequests, clientCapabilities);
			const ask = { inputRequests, answer, giveUp };
			this.#asks.push(ask);
			// The answer to a client request that was sent is ignored.
			onAbort(withdrawn, () => {
				this.#asks = this.#asks.filter((each) => each !== ask);
				giveUp(withdrawn?.reason);
			});
			// Later client requests of this tick are sent together, and `run` may not have returned yet.
			if (this.#asks.length === 1) queueMicrotask(() => this.#show());
		});
	}

	/** The client answered: continue until the result or the next client request. */
	resume(responses: InputResponses, reconnect: (context: CallContext) => void): Promise<StepOutcome> {
		const shown = this.#takeShown();
		if (shown === undefined || this.#context === undefined)
			throw new OrchestraError('bad_input', 'this call is not waiting for input');
		reconnect(this.#context);
		if (this.#outcome) return this.#outcome.then((result) => ({ result }));
		const step = this.#awaitStep();
		for (const { ask, keys } of shown.asks) {
			ask.answer(Object.fromEntries(Object.entries(keys).map(([key, as]) => [key, responses[as]])));
		}
		if (this.#asks.length > 0) queueMicrotask(() => this.#show());
		return step;
	}

	giveUp(reason: string): void {
		const error = new OrchestraError('canceled', reason);
		this.#context?.abandon(error);
		for (const { ask } of this.#takeShown()?.asks ?? []) ask.giveUp(error);
		for (const ask of this.#asks.splice(0)) ask.giveUp(error);
	}

	#awaitStep(): Promise<StepOutcome> {
		this.#request = deferred();
		return this.#request.promise;
	}

	/** The open request; undefined while no request is open. */
	#takeRequest(): Deferred<StepOutcome> | undefined {
		const step = this.#request;
		this.#request = undefined;
		return step;
	}

	/** End the step with all pending client requests, if a request is open. */
	#show(): void {
		if (this.#request === undefined || this.#asks.length === 0) return;
		if (this.#context?.isCanceled) return this.giveUp('the client canceled the call');
		const id = this.#suspend();
		if (id === undefined) return;
		const timer = setTimeout(() => this.giveUp('the client did not answer in time'), CLIENT_ANSWER_MS);
		timer.unref();
		const { inputRequests, asks } = merged(this.#asks.splice(0));
		this.#shown = { id, inputRequests, asks, timer };
		this.#takeRequest()?.resolve({ suspended: id, inputRequests });
	}

	/** Returns the id of the suspended call; undefined when the limit is reached, which fails every pending ask. */
	#suspend(): string | undefined {
		try {
			return this.#suspendedCalls.add(this);
		} catch (error) {
			for (const ask of this.#asks.splice(0)) ask.giveUp(error);
			return undefined;
		}
	}

	#takeShown(): Shown | undefined {
		const shown = this.#shown;
		if (shown === undefined) return undefined;
		this.#shown = undefined;
		clearTimeout(shown.timer);
		this.#suspendedCalls.remove(shown.id);
		return shown;
	}
}

/** Merge the client requests of all parts of the call; a key that is already used gets a number. */
function merged(asks: readonly Ask[]): Pick<Shown, 'inputRequests' | 'asks'> {
	const inputRequests = new Map<string, InputRequest>();
	const named = asks.map((ask) => {
		const keys = Object.entries(ask.inputRequests).map(([key, request]) => {
			const as = inputRequests.has(key) ? `${key}-${inputRequests.size + 1}` : key;
			inputRequests.set(as, request);
			return [key, as] as const;
		});
		return { ask, keys: Object.fromEntries(keys) };
	});
	return { inputRequests: Object.fromEntries(inputRequests), asks: named };
}
