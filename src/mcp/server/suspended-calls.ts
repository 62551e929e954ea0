/*
 * Calls that are suspended until a modern client retries with answers.
 *
 * A modern server sends no requests. When a running call has a client request, the
 * request is answered with it and the call is suspended here. The retry
 * carries the answers and resumes the call where it stopped, so the handler is not
 * aware of the round trip. A call without a retry is canceled after a TTL.
 */
import { OrchestraError } from '../../errors.ts';
import { SUSPENDED_CALLS_LIMIT } from '../mcp-limits.ts';
import type { InteractiveCall } from './interactive-call.ts';

/** The suspended calls of a server, shared by its sessions: a client may retry on another connection. */
export class SuspendedCalls {
	readonly #calls = new Map<string, InteractiveCall>();
	#count = 0;

	find(id: string): InteractiveCall | undefined {
		return this.#calls.get(id);
	}

	/** Returns the id of the suspended call. Throws `bad_input` when the limit is reached. */
	add(call: InteractiveCall): string {
		if (this.#calls.size >= SUSPENDED_CALLS_LIMIT)
			throw new OrchestraError(
				'bad_input',
				`more than ${SUSPENDED_CALLS_LIMIT} calls are waiting for input from their clients`,
			);
		// A guessable id is safe: the client only gets it inside a signed state.
		const id = String(++this.#count);
		this.#calls.set(id, call);
		return id;
	}

	remove(id: string): void {
		this.#calls.delete(id);
	}

	/** Cancel every suspended call. */
	close(): void {
		for (const call of this.#calls.values()) call.giveUp('the server is shutting down');
	}
}
