/*
 * What a new hub must be told of a session that an old one knew: how it was
 * opened, its log level, the resources it watches. Only what the old hub had
 * granted is remembered, and the answers of the new one are not for the client.
 */
import { isObject, parseJson } from '../wire/json.ts';
import type { Flight } from './in-flight.ts';
import { readWhole, withId } from './message-head.ts';

const remembered: ReadonlySet<string> = new Set([
	'initialize',
	'logging/setLevel',
	'resources/subscribe',
	'resources/unsubscribe',
]);

export interface Replay {
	readonly text: string;
	/** The id that its answer will carry; undefined for a notification. */
	readonly id?: string;
	readonly method: string;
}

export class SessionMemory {
	readonly #watched = new Map<string, string>();
	readonly #listed = new Set<string>();
	#initialize: string | undefined;
	#initialized: string | undefined;
	#logLevel: string | undefined;
	#replays = 0;

	/** The kinds of list that the client has asked for and got an answer about: `tools`, `prompts`, `resources`. */
	get listed(): ReadonlySet<string> {
		return this.#listed;
	}

	/** A request was answered, with a result or an error. */
	answered(method: string): void {
		const [kind, verb] = method.split('/');
		if (verb === 'list' && kind !== undefined) this.#listed.add(kind);
	}

	/** Must the text of a request with this method be kept until it is answered? */
	isOfInterest(method: string): boolean {
		return remembered.has(method);
	}

	/** The hub granted a request. */
	granted({ method, text }: Pick<Flight, 'method' | 'text'>): void {
		if (text === undefined) return;
		if (method === 'initialize') this.#initialize = text;
		if (method === 'logging/setLevel') this.#logLevel = text;
		if (method === 'resources/subscribe') this.#watched.set(uriOf(text), text);
		if (method === 'resources/unsubscribe') this.#watched.delete(uriOf(text));
	}

	/** The client said that it is ready. */
	initialized(text: string): void {
		this.#initialized = text;
	}

	/** Everything to say to a new hub, in order, under ids that no client uses. */
	replay(): Replay[] {
		const texts = [this.#initialize, this.#initialized, this.#logLevel, ...this.#watched.values()];
		return texts.filter((text) => text !== undefined).map((text) => this.#again(text));
	}

	#again(text: string): Replay {
		const head = readWhole(text);
		if (head.kind !== 'request') return { text, method: 'notifications/initialized' };
		const id = JSON.stringify(`bridge-replay-${++this.#replays}`);
		return { text: withId(text, head.id, id), id, method: head.method };
	}
}

function uriOf(text: string): string {
	const message = parseJson(text);
	const params = isObject(message) ? message['params'] : undefined;
	return isObject(params) ? String(params['uri']) : '';
}
