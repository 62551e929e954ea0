/*
 * The messages that are replayed to a new hub. Their responses are not forwarded,
 * because the client got its own before. A new hub may have other lists, so the client
 * is notified that the lists it has seen may have changed, if such notifications were
 * declared.
 */
import type { Log } from '../log.ts';
import { isObject } from '../wire/json.ts';
import { encodeNotification } from '../wire/json-rpc.ts';
import type { ReplayedMessage } from './session-state.ts';

export interface SessionReplayOptions {
	readonly toClient: (text: string) => void;
	/** The kinds of list that the client has seen. */
	readonly listed: ReadonlySet<string>;
	/** Whether the bridge declared `listChanged` for every list, regardless of the hub. */
	readonly isDeclared: boolean;
	readonly log: Log;
}

export class SessionReplay {
	readonly all: readonly ReplayedMessage[];
	readonly #awaited = new Map<string, string>();
	readonly #options: SessionReplayOptions;

	constructor(all: readonly ReplayedMessage[], options: SessionReplayOptions) {
		this.all = all;
		this.#options = options;
		for (const { id, method } of all) if (id !== undefined) this.#awaited.set(id, method);
	}

	/** True when this response belongs to the replay and not to the client. */
	take(id: string, text: string): boolean {
		const method = this.#awaited.get(id);
		if (method === undefined) return false;
		this.#awaited.delete(id);
		const { result, error } = Object(JSON.parse(text));
		if (error !== undefined)
			this.#options.log.warn(`the new hub refused ${method}: ${JSON.stringify(error)}`);
		if (method === 'initialize') this.#notify(result);
		return true;
	}

	#notify(result: unknown): void {
		const capabilities = isObject(result) ? result['capabilities'] : undefined;
		if (!isObject(capabilities)) return;
		const { listed, isDeclared, toClient } = this.#options;
		for (const kind of listed) {
			const capability = capabilities[kind];
			if (isDeclared || (isObject(capability) && capability['listChanged'] === true))
				toClient(encodeNotification(`notifications/${kind}/list_changed`, undefined));
		}
	}
}
