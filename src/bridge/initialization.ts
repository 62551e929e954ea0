/*
 * `initialize` never waits long for a hub.
 *
 * A hub that is there answers, and says what it really has. When there is none, or
 * it does not answer in time, the bridge opens the session itself: an agent that
 * got no answer would drop the server for good. It then announces all that a hub
 * may have, and the hub is told of the session when it comes.
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

	/** Whether the revision of the session has batches. */
	get acceptsBatch(): boolean {
		return this.#acceptsBatch;
	}

	/** True when the session was opened by the bridge. */
	get isLocal(): boolean {
		return this.#isLocal;
	}

	/** The id of the `initialize` that awaits its answer. */
	get id(): string | undefined {
		return this.#open?.id;
	}

	/** An `initialize` came. */
	begin(id: string, text: string): void {
		this.end();
		const params = Object(parseJson(text)).params;
		const revision = negotiate(isObject(params) ? params['protocolVersion'] : undefined);
		this.#version = revision.version;
		this.#acceptsBatch = revision.acceptsBatch;
		this.#open = { id, text, timer: setTimeout(this.#onLate, INITIALIZE_MS) };
	}

	/** It was answered, or its client is gone. */
	end(): void {
		clearTimeout(this.#open?.timer);
		this.#open = undefined;
	}

	/** Answer in place of a hub. Gives back the request too, for a hub that comes later. */
	answer(): { text: string; answer: string } | undefined {
		const open = this.#open;
		if (open === undefined) return undefined;
		this.end();
		this.#isLocal = true;
		const result = JSON.stringify({ protocolVersion: this.#version, capabilities, serverInfo });
		return { text: open.text, answer: `{"jsonrpc":"2.0","id":${open.id},"result":${result}}` };
	}
}
