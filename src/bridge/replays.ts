/*
 * What a new hub receives in the name of the client, and what becomes of the answers:
 * they are kept from the client, which got its own long ago. But a new hub may offer
 * other things than the old one, so the client is notified that the lists which it
 * has seen may have changed, as far as it was promised such notifications.
 */
import type { Log } from '../log.ts';
import { isObject } from '../wire/json.ts';
import { encodeNotification } from '../wire/json-rpc.ts';
import type { Replay } from './session-memory.ts';

export interface ReplaysParts {
	readonly toClient: (text: string) => void;
	/** The kinds of list that the client has seen. */
	readonly listed: ReadonlySet<string>;
	/** Whether the client was promised notifications about every list, whatever the hub says. */
	readonly isPromised: boolean;
	readonly log: Log;
}

export class Replays {
	readonly all: readonly Replay[];
	readonly #awaited = new Map<string, string>();
	readonly #parts: ReplaysParts;

	constructor(all: readonly Replay[], parts: ReplaysParts) {
		this.all = all;
		this.#parts = parts;
		for (const { id, method } of all) if (id !== undefined) this.#awaited.set(id, method);
	}

	/** True when this answer was to us and not to the client. */
	take(id: string, text: string): boolean {
		const method = this.#awaited.get(id);
		if (method === undefined) return false;
		this.#awaited.delete(id);
		const { result, error } = Object(JSON.parse(text));
		if (error !== undefined) this.#parts.log.warn(`the new hub refused ${method}: ${JSON.stringify(error)}`);
		if (method === 'initialize') this.#notify(result);
		return true;
	}

	#notify(result: unknown): void {
		const capabilities = isObject(result) ? result['capabilities'] : undefined;
		if (!isObject(capabilities)) return;
		const { listed, isPromised, toClient } = this.#parts;
		for (const kind of listed) {
			const offered = capabilities[kind];
			if (isPromised || (isObject(offered) && offered['listChanged'] === true))
				toClient(encodeNotification(`notifications/${kind}/list_changed`, undefined));
		}
	}
}
