/*
 * Bounds the wait for the response to `initialize`.
 *
 * A connected hub answers with its real capabilities. Without a hub, or when it is
 * late, the bridge answers itself: an agent without a response drops the server for
 * good. The bridge then declares every capability that a hub may have, and replays
 * the session to the hub later.
 */
import { negotiate } from '../protocol/revisions.ts';
import { isObject, parseJson } from '../wire/json.ts';
import { INITIALIZE_MS } from './bridge-limits.ts';

const capabilities = {
	tools: { listChanged: true },
	prompts: { listChanged: true },
	resources: { listChanged: true, subscribe: true },
	completions: {},
	logging: {},
};

const serverInfo = { name: 'orchestra', version: '1.0.0' };

interface Open {
	readonly id: string;
	readonly text: string;
	readonly timer: NodeJS.Timeout;
}

export class Initialization {
	readonly #onLate: () => void;
	#open: Open | undefined;
	#version = negotiate(undefined).version;
	#acceptsBatch = false;
	#isLocal = false;

	/** @param onLate called when the hub did not answer in time */
	constructor(onLate: () => void) {
		this.#onLate = onLate;
	}

	/** Whether the revision of the session allows batches. */
	get acceptsBatch(): boolean {
		return this.#acceptsBatch;
	}

	/** True when the bridge answered `initialize`. */
	get isLocal(): boolean {
		return this.#isLocal;
	}

	/** The id of the `initialize` in flight. */
	get id(): string | undefined {
		return this.#open?.id;
	}

	/** Track an `initialize` request. */
	begin(id: string, text: string): void {
		this.end();
		const params = Object(parseJson(text)).params;
		const revision = negotiate(isObject(params) ? params['protocolVersion'] : undefined);
		this.#version = revision.version;
		this.#acceptsBatch = revision.acceptsBatch;
		this.#open = { id, text, timer: setTimeout(this.#onLate, INITIALIZE_MS) };
	}

	/** It was answered or canceled. */
	end(): void {
		clearTimeout(this.#open?.timer);
		this.#open = undefined;
	}

	/** Answer in place of a hub. Returns the request as well, for the replay. */
	respond(instructions?: () => string | undefined): { text: string; response: string } | undefined {
		const open = this.#open;
		if (open === undefined) return undefined;
		this.end();
		this.#isLocal = true;
		const result = JSON.stringify({
			protocolVersion: this.#version,
			capabilities,
			serverInfo,
			instructions: instructions?.(),
		});
		return { text: open.text, response: `{"jsonrpc":"2.0","id":${open.id},"result":${result}}` };
	}
}
