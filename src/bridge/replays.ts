/*
 * What a new hub is told in the name of the client, and what becomes of the answers:
 * they are kept from the client, which got its own long ago. But a new hub may offer
 * other things than the old one, so the client is told to look again, as far as
 * the hub would have told it of changes.
 */
import type { Log } from '../log.ts';
import { isObject } from '../wire/json.ts';
import { encodeNotification } from '../wire/json-rpc.ts';
import type { Replay } from './session-memory.ts';

export class Replays {
	readonly all: readonly Replay[];
	readonly #awaited = new Map<string, string>();
	readonly #toClient: (text: string) => void;
	readonly #log: Log;

	constructor(all: readonly Replay[], toClient: (text: string) => void, log: Log) {
		this.all = all;
		this.#toClient = toClient;
		this.#log = log;
		for (const { id, method } of all) if (id !== undefined) this.#awaited.set(id, method);
	}

	/** True when this answer was to us and not to the client. */
	take(id: string, text: string): boolean {
		const method = this.#awaited.get(id);
		if (method === undefined) return false;
		this.#awaited.delete(id);
		const { result, error } = Object(JSON.parse(text));
		if (error !== undefined) this.#log.warn(`the new hub refused ${method}: ${JSON.stringify(error)}`);
		if (method === 'initialize') this.#tell(result);
		return true;
	}

	#tell(result: unknown): void {
		const capabilities = isObject(result) ? result['capabilities'] : undefined;
		if (!isObject(capabilities)) return;
		for (const kind of ['tools', 'prompts', 'resources']) {
			const offered = capabilities[kind];
			if (isObject(offered) && offered['listChanged'] === true)
				this.#toClient(encodeNotification(`notifications/${kind}/list_changed`, undefined));
		}
	}
}
