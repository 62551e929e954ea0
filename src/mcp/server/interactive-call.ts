/*
 * One call of a modern client that may ask it, and so may live through several
 * requests: each request is a turn, ended by questions or by the result.
 *
 * A call may ask several things side by side; what is asked in one go is shown
 * together, and what comes while the client is away waits for the next turn.
 */
import { OrchestraError } from '../../errors.ts';
import type { Awaitable, InputRequest, Result } from '../../protocol/mcp-types.ts';
import type { CallContext, InputResponses } from './call-context.ts';
import { type Questions, requireCapabilities } from './client-questions.ts';
import { STATE_TTL_MS } from './request-state.ts';
import type { SuspendedCalls } from './suspended-calls.ts';

/** What a turn ends with: the result, or questions. */
export type Turn = { result: Result } | { parked: string; questions: Questions };

/** What one piece of code waits for. */
interface Ask {
	readonly questions: Questions;
	readonly answer: (responses: InputResponses) => void;
	readonly giveUp: (reason: unknown) => void;
}

/** The questions that the client has seen. */
interface Shown {
	readonly id: string;
	readonly questions: Questions;
	readonly asks: readonly { ask: Ask; keys: Readonly<Record<string, string>> }[];
	readonly timer: NodeJS.Timeout;
}

export class InteractiveCall {
	readonly #parking: SuspendedCalls;
	#context: CallContext | undefined;
	#asks: Ask[] = [];
	#shown: Shown | undefined;
	#turn: { end: (turn: Turn) => void; fail: (error: unknown) => void } | undefined;
	/** The work itself, once it is over. */
	#outcome: Promise<Result> | undefined;

	constructor(parking: SuspendedCalls) {
		this.#parking = parking;
	}

	/** What the client was asked. */
	get questions(): Questions {
		return this.#shown?.questions ?? {};
	}

	/** Run until there is a result or a question. */
	run(context: CallContext, work: (context: CallContext) => Awaitable<Result>): Awaitable<Turn> {
		this.#context = context;
		const outcome = work(context);
		if (!(outcome instanceof Promise)) return { result: outcome };
		const turn = this.#startTurn();
		outcome.then(
			(result) => {
				this.#outcome = outcome;
				this.#takeTurn()?.end({ result });
			},
			(error: unknown) => {
				this.#outcome = outcome;
				this.#takeTurn()?.fail(error);
			},
		);
		return turn;
	}

	/** Ask the client; the answers come with its next request. */
	ask(questions: Questions, { clientCapabilities, isCanceled }: CallContext): Promise<InputResponses> {
		return new Promise((answer, giveUp) => {
			// Nobody would come back with the answer.
			if (isCanceled) throw new OrchestraError('canceled', 'the client gave the call up');
			requireCapabilities(questions, clientCapabilities);
			this.#asks.push({ questions, answer, giveUp });
			// Whatever else is asked in this go is shown together, and `run` may not have returned yet.
			if (this.#asks.length === 1) queueMicrotask(() => this.#show());
		});
	}

	/** The client is back: go on until there is a result or the next question. */
	resume(responses: InputResponses, reconnect: (context: CallContext) => void): Promise<Turn> {
		const shown = this.#leave();
		if (shown === undefined || this.#context === undefined)
			throw new OrchestraError('bad_input', 'this call does not wait for an answer');
		reconnect(this.#context);
		if (this.#outcome) return this.#outcome.then((result) => ({ result }));
		const turn = this.#startTurn();
		for (const { ask, keys } of shown.asks) {
			ask.answer(Object.fromEntries(Object.entries(keys).map(([key, as]) => [key, responses[as]])));
		}
		if (this.#asks.length > 0) queueMicrotask(() => this.#show());
		return turn;
	}

	giveUp(reason: string): void {
		const error = new OrchestraError('canceled', reason);
		this.#context?.abandon(error);
		for (const { ask } of this.#leave()?.asks ?? []) ask.giveUp(error);
		for (const ask of this.#asks.splice(0)) ask.giveUp(error);
	}

	#startTurn(): Promise<Turn> {
		return new Promise((end, fail) => {
			this.#turn = { end, fail };
		});
	}

	/** The request to be answered now; undefined while the client is away. */
	#takeTurn(): { end: (turn: Turn) => void; fail: (error: unknown) => void } | undefined {
		const turn = this.#turn;
		this.#turn = undefined;
		return turn;
	}

	/** End the turn with all that is asked; while the client is away it waits. */
	#show(): void {
		if (this.#turn === undefined || this.#asks.length === 0) return;
		if (this.#context?.isCanceled) return this.giveUp('the client gave the call up');
		const id = this.#takePlace();
		if (id === undefined) return;
		const timer = setTimeout(() => this.giveUp('the client did not come back'), STATE_TTL_MS);
		timer.unref();
		const { questions, asks } = merged(this.#asks.splice(0));
		this.#shown = { id, questions, asks, timer };
		this.#takeTurn()?.end({ parked: id, questions });
	}

	/** A place to wait in; without one, whoever asks is told so. */
	#takePlace(): string | undefined {
		try {
			return this.#parking.add(this);
		} catch (error) {
			for (const ask of this.#asks.splice(0)) ask.giveUp(error);
			return undefined;
		}
	}

	#leave(): Shown | undefined {
		const shown = this.#shown;
		if (shown === undefined) return undefined;
		this.#shown = undefined;
		clearTimeout(shown.timer);
		this.#parking.remove(shown.id);
		return shown;
	}
}

/** All questions under keys of their own; a key that is taken gets a number. */
function merged(asks: readonly Ask[]): Pick<Shown, 'questions' | 'asks'> {
	const questions = new Map<string, InputRequest>();
	const named = asks.map((ask) => {
		const keys = Object.entries(ask.questions).map(([key, question]) => {
			const as = questions.has(key) ? `${key}-${questions.size + 1}` : key;
			questions.set(as, question);
			return [key, as] as const;
		});
		return { ask, keys: Object.fromEntries(keys) };
	});
	return { questions: Object.fromEntries(questions), asks: named };
}
