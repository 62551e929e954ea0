/*
 * Calls that wait for a modern client to come back with answers.
 *
 * A modern server never asks on the wire. When a running call has a question, the
 * request is answered with the question, and the call itself waits here. The retry
 * brings the answers and takes the call over where it stood, so whoever asked
 * notices nothing. A call that nobody comes back for is given up.
 */
import { randomUUID } from 'node:crypto';
import { OrchestraError } from '../errors.ts';
import type { IncomingCall } from '../rpc/incoming.ts';
import type { CallContext, InputResponses } from './call-context.ts';
import { STATE_TTL_MS } from './request-state.ts';
import type { Awaitable, InputRequest, Result } from './types.ts';

/** How many calls may wait at once. */
export const PARKED_CALLS = 1000;

/** What a turn of a call ends with: its result, or questions. */
export type Turn = { result: Result } | { parked: string; questions: Record<string, InputRequest> };

interface Waiting {
	readonly id: string;
	readonly questions: Record<string, InputRequest>;
	readonly answer: (responses: InputResponses) => void;
	readonly giveUp: (reason: OrchestraError) => void;
	readonly timer: NodeJS.Timeout;
}

/** The waiting calls of a server, over all its pipes: a client may come back on another one. */
export class Parking {
	readonly #calls = new Map<string, InteractiveCall>();

	get isFull(): boolean {
		return this.#calls.size >= PARKED_CALLS;
	}

	find(id: string): InteractiveCall | undefined {
		return this.#calls.get(id);
	}

	add(id: string, call: InteractiveCall): void {
		this.#calls.set(id, call);
	}

	remove(id: string): void {
		this.#calls.delete(id);
	}

	/** Give up everything that waits. */
	close(): void {
		for (const call of this.#calls.values()) call.giveUp('the server is shutting down');
	}
}

/** One call that may ask its client, and may live through several requests. */
export class InteractiveCall {
	readonly #parking: Parking;
	readonly context: CallContext;
	#turn: { resolve: (turn: Turn) => void; reject: (error: unknown) => void } | undefined;
	#waiting: Waiting | undefined;

	/** @param makeContext gets the function by which the call asks its client */
	constructor(
		parking: Parking,
		makeContext: (park: (questions: Record<string, InputRequest>) => Promise<InputResponses>) => CallContext,
	) {
		this.#parking = parking;
		this.context = makeContext((questions) => this.#park(questions));
	}

	/** What is asked now. */
	get questions(): Record<string, InputRequest> {
		return this.#waiting?.questions ?? {};
	}

	/** Run until there is a result or a question. */
	run(work: (context: CallContext) => Awaitable<Result>): Awaitable<Turn> {
		const outcome = work(this.context);
		if (!(outcome instanceof Promise)) return { result: outcome };
		const turn = this.#nextTurn();
		outcome.then(
			(result) => this.#turn?.resolve({ result }),
			(error: unknown) => this.#turn?.reject(error),
		);
		return turn;
	}

	/** The client is back: go on until there is a result or the next question. */
	resume(
		call: IncomingCall,
		meta: Readonly<Record<string, unknown>>,
		responses: InputResponses,
	): Promise<Turn> {
		const waiting = this.#leave();
		if (waiting === undefined) throw new OrchestraError('bad_input', 'this call does not wait for an answer');
		this.context.resume(call, meta);
		const turn = this.#nextTurn();
		waiting.answer(responses);
		return turn;
	}

	giveUp(reason: string): void {
		const error = new OrchestraError('canceled', reason);
		this.context.abandon(error);
		this.#leave()?.giveUp(error);
	}

	#nextTurn(): Promise<Turn> {
		return new Promise((resolve, reject) => {
			this.#turn = { resolve, reject };
		});
	}

	#park(questions: Record<string, InputRequest>): Promise<InputResponses> {
		return new Promise((answer, giveUp) => {
			if (this.#parking.isFull) {
				return giveUp(
					new OrchestraError('bad_input', `more than ${PARKED_CALLS} calls wait for their clients`),
				);
			}
			const id = randomUUID();
			const timer = setTimeout(() => this.giveUp('the client did not come back'), STATE_TTL_MS);
			timer.unref();
			this.#waiting = { id, questions, answer, giveUp, timer };
			this.#parking.add(id, this);
			// The call may ask before it has returned its promise, so the turn is ended a little later.
			queueMicrotask(() => this.#turn?.resolve({ parked: id, questions }));
		});
	}

	#leave(): Waiting | undefined {
		const waiting = this.#waiting;
		if (waiting === undefined) return undefined;
		this.#waiting = undefined;
		clearTimeout(waiting.timer);
		this.#parking.remove(waiting.id);
		return waiting;
	}
}
