/*
 * What the hub asks the client: elicitation, sampling, roots.
 *
 * Every hub counts its questions from one, so after a reconnect the same numbers
 * come again while the client may still be thinking about the old ones. From the
 * second hub on the client therefore sees other ids, and an answer to a question
 * of a hub that is gone finds no place and is dropped.
 */
import { encodeNotification } from '../wire/json-rpc.ts';
import { withId } from './message-head.ts';

export class RelayedQuestions {
	/** The id that the client sees, and the one that the hub gave. */
	readonly #open = new Map<string, string>();
	#hubs = 0;

	/** The hub asks. Gives back the question as the client gets it. */
	ask(id: string, text: string): string {
		const seen = this.#seen(id);
		this.#open.set(seen, id);
		return seen === id ? text : withId(text, id, seen);
	}

	/** The client answers. Gives back the answer as the hub gets it; undefined when nobody waits for it. */
	answer(seen: string, text: string): string | undefined {
		const id = this.#open.get(seen);
		this.#open.delete(seen);
		if (id === undefined || seen === id) return id === undefined ? undefined : text;
		return withId(text, seen, id);
	}

	/** Does the hub wait for an answer to a question under this id of its own? */
	isOpen(id: string): boolean {
		return this.#open.has(this.#seen(id));
	}

	/** The hub takes a question back. Gives back the notice as the client gets it. */
	withdraw(id: string, text: string): string {
		const seen = this.#seen(id);
		if (!this.#open.delete(seen) || seen === id) return text;
		const notice = Object(JSON.parse(text));
		return JSON.stringify({ ...notice, params: { ...notice.params, requestId: JSON.parse(seen) } });
	}

	/** The hub is gone. Gives back the notices that take its open questions back. */
	abandon(reason: string): string[] {
		const ids = [...this.#open.keys()];
		this.#open.clear();
		this.#hubs++;
		return ids.map((seen) =>
			encodeNotification('notifications/cancelled', { requestId: JSON.parse(seen), reason }),
		);
	}

	#seen(id: string): string {
		return this.#hubs === 0 ? id : JSON.stringify(`hub${this.#hubs}:${id}`);
	}
}
