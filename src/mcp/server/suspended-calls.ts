/*
 * Calls that wait for a modern client to come back with answers.
 *
 * A modern server never asks on the wire. When a running call has a question, the
 * request is answered with the question, and the call itself waits here. The retry
 * brings the answers and takes the call over where it stood, so whoever asked
 * notices nothing. A call that nobody comes back for is given up.
 */
import { OrchestraError } from '../../errors.ts';
import type { InteractiveCall } from './interactive-call.ts';

/** How many calls may wait at once. */
export const SUSPENDED_CALLS_LIMIT = 1000;

/** The waiting calls of a server, over all its pipes: a client may come back on another one. */
export class SuspendedCalls {
	readonly #calls = new Map<string, InteractiveCall>();
	#count = 0;

	find(id: string): InteractiveCall | undefined {
		return this.#calls.get(id);
	}

	/** Give the call a place; gives back its id. Throws when too many calls wait already. */
	add(call: InteractiveCall): string {
		if (this.#calls.size >= SUSPENDED_CALLS_LIMIT)
			throw new OrchestraError(
				'bad_input',
				`more than ${SUSPENDED_CALLS_LIMIT} calls wait for their clients`,
			);
		// It may be guessed: the client gets it in a signed state only.
		const id = String(++this.#count);
		this.#calls.set(id, call);
		return id;
	}

	remove(id: string): void {
		this.#calls.delete(id);
	}

	/** Give up everything that waits. */
	close(): void {
		for (const call of this.#calls.values()) call.giveUp('the server is shutting down');
	}
}
