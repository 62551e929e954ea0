/* The limit of open event streams, over all paths of a listener: each holds a connection. */
import type { ServerResponse } from 'node:http';

export class EventStreamPool {
	readonly #limit: number;
	readonly #sessions: { readonly pushCount: number };
	#count = 0;

	/** @param sessions the legacy sessions, which count their own streams */
	constructor(limit: number, sessions: { readonly pushCount: number }) {
		this.#limit = limit;
		this.#sessions = sessions;
	}

	/** True when no more streams may be opened. */
	get isFull(): boolean {
		return this.#count + this.#sessions.pushCount >= this.#limit;
	}

	/** Count a stream until its connection closes. */
	add(response: ServerResponse): void {
		this.#count++;
		response.once('close', () => this.#count--);
	}
}
