/*
 * The session state that is replayed to a new hub: `initialize`, the log level and the
 * resource subscriptions. Only requests that the old hub accepted are stored.
 *
 * The responses to a replay are not forwarded, because the client got its own before. A new
 * hub may have other lists, so the client is notified that the lists it has seen may have
 * changed, if such notifications were declared.
 */
import type { Log } from '../log.ts';
import { isObject, jsonObject } from '../wire/json.ts';
import { encodeNotification } from '../wire/json-rpc.ts';
import { textAt } from '../wire/json-text.ts';
import { readHead, withId } from './message-head.ts';

const remembered: ReadonlySet<string> = new Set([
	'initialize',
	'logging/setLevel',
	'resources/subscribe',
	'resources/unsubscribe',
]);

export interface ReplayedMessage {
	readonly text: string;
	/** The id that its response will carry; undefined for a notification. */
	readonly id?: string;
	readonly method: string;
}

export class SessionState {
	readonly #subscriptions = new Map<string, string>();
	readonly #listed = new Set<string>();
	#initialize: string | undefined;
	#initialized: string | undefined;
	#logLevel: string | undefined;
	#replay = 0;

	/** The kinds of list that the client has received: `tools`, `prompts`, `resources`. */
	get listed(): ReadonlySet<string> {
		return this.#listed;
	}

	/** A request was settled, with a result or an error. */
	settled(method: string): void {
		const [kind, verb] = method.split('/');
		if (verb === 'list' && kind !== undefined) this.#listed.add(kind);
	}

	/** Whether requests with this method are replayed, so that their text must be stored. */
	isReplayed(method: string): boolean {
		return remembered.has(method);
	}

	/** The hub accepted a request. */
	granted(method: string, text: string): void {
		if (method === 'initialize') this.#initialize = text;
		if (method === 'logging/setLevel') this.#logLevel = text;
		if (method === 'resources/subscribe') this.#subscriptions.set(uriOf(text), text);
		if (method === 'resources/unsubscribe') this.#subscriptions.delete(uriOf(text));
	}

	/** The client sent `notifications/initialized`. */
	initialized(text: string): void {
		this.#initialized = text;
	}

	/** The messages for a new hub, in order, under ids that no client uses. */
	replay(): ReplayedMessage[] {
		const strings = [this.#initialize, this.#initialized, this.#logLevel, ...this.#subscriptions.values()];
		return strings.filter((text) => text !== undefined).map((text) => this.#replayed(text));
	}

	#replayed(text: string): ReplayedMessage {
		const head = readHead(text);
		if (head.kind !== 'request') return { text, method: 'notifications/initialized' };
		const id = JSON.stringify(`bridge-replay-${++this.#replay}`);
		return { text: withId(text, id), id, method: head.method };
	}
}

export interface SessionReplayOptions {
	readonly toClient: (text: string) => void;
	/** The kinds of list that the client has seen. */
	readonly listed: ReadonlySet<string>;
	/** Whether the bridge declared `listChanged` for every list, regardless of the hub. */
	readonly isDeclared: boolean;
	readonly log: Log;
}

/** The messages that are replayed to a new hub. */
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
		const { result, error } = jsonObject(text) ?? {};
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

function uriOf(text: string): string {
	return String(JSON.parse(textAt(text, 'params', 'uri') ?? '""'));
}
