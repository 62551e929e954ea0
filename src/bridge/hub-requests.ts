/*
 * Requests of the hub to the client: elicitation, sampling, roots.
 *
 * Every hub numbers its requests from one, so after a reconnect the same ids are
 * used again while the client may still work on the old requests. From the second
 * hub on the ids are therefore rewritten, and a response to a request of a lost hub
 * is dropped.
 */
import { encodeNotification } from '../wire/json-rpc.ts';
import { JsonText, withMember } from '../wire/json-text.ts';
import { withId } from './message-head.ts';

export class HubRequests {
	/** The id of the hub for each id that the client sees. */
	readonly #open = new Map<string, string>();
	#hubs = 0;

	/** A request of the hub. Returns the text for the client. */
	ask(id: string, text: string): string {
		const clientId = this.#clientId(id);
		this.#open.set(clientId, id);
		return clientId === id ? text : withId(text, clientId);
	}

	/** A response of the client. Returns the text for the hub; undefined when no request is open under this id. */
	toHub(clientId: string, text: string): string | undefined {
		const id = this.#open.get(clientId);
		this.#open.delete(clientId);
		if (id === undefined || clientId === id) return id === undefined ? undefined : text;
		return withId(text, id);
	}

	/** Whether the hub awaits a response under this id of its own. */
	isOpen(id: string): boolean {
		return this.#open.has(this.#clientId(id));
	}

	/** The hub cancels a request. Returns the notification for the client. */
	cancel(id: string, text: string): string {
		const clientId = this.#clientId(id);
		if (!this.#open.delete(clientId) || clientId === id) return text;
		return withMember(text, ['params', 'requestId'], clientId);
	}

	/** The hub is lost. Returns the notifications that cancel its open requests. */
	cancelAll(reason: string): string[] {
		const ids = [...this.#open.keys()];
		this.#open.clear();
		this.#hubs++;
		return ids.map((clientId) =>
			encodeNotification('notifications/cancelled', { requestId: new JsonText(clientId), reason }),
		);
	}

	#clientId(id: string): string {
		return this.#hubs === 0 ? id : JSON.stringify(`hub${this.#hubs}:${id}`);
	}
}
