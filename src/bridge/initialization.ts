/*
 * Bounds the wait for the response to `initialize`.
 *
 * A connected hub answers with its real capabilities. Without a hub, or when it is
 * late, the bridge answers itself: an agent without a response drops the server for
 * good. The bridge then declares every capability that a hub may have, and replays
 * the session to the hub later.
 */
import { agentNamed } from '../hub/sessions/agent-table.ts';
import { negotiate } from '../protocol/revisions.ts';
import { isObject, parseJson } from '../wire/json.ts';
import { encodeResult } from '../wire/json-rpc.ts';
import { EARLY_INITIALIZE_MS, INITIALIZE_MS } from './bridge-limits.ts';

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
	/** The name of the client. */
	readonly client: string;
	timer: NodeJS.Timeout;
}

/** A client that works without our tools when it does not get them soon. */
export interface HurriedClient {
	readonly name: string;
	/** When it has to have a list of tools, by `performance.now()`. */
	readonly toolsAt: number;
}

/** The instructions for a client of this name that gets its answer from the bridge. */
export type LocalInstructions = (client: string) => string | undefined;

export class Initialization {
	readonly #onLate: () => void;
	#open: Open | undefined;
	#revision = negotiate(undefined);
	#isLocal = false;
	#hurried: HurriedClient | undefined;
	#isExtended = false;

	/** @param onLate called when the hub did not answer in time */
	constructor(onLate: () => void) {
		this.#onLate = onLate;
	}

	/** Whether the revision of the session allows batches. */
	get acceptsBatch(): boolean {
		return this.#revision.acceptsBatch;
	}

	/** True when the bridge answered `initialize`. */
	get isLocal(): boolean {
		return this.#isLocal;
	}

	/** The id of the `initialize` in flight. */
	get id(): string | undefined {
		return this.#open?.id;
	}

	/** The client, when it cannot wait for a hub that starts. */
	get hurried(): HurriedClient | undefined {
		return this.#hurried;
	}

	/** Wait as long as for other clients, because a hub is connected. False when that was done before. */
	extend(): boolean {
		if (this.#hurried === undefined || this.#isExtended || this.#open === undefined) return false;
		this.#isExtended = true;
		this.#open.timer = setTimeout(this.#onLate, INITIALIZE_MS - EARLY_INITIALIZE_MS);
		return true;
	}

	/** Track an `initialize` request. */
	begin(id: string, text: string): void {
		this.end();
		const { protocolVersion, clientInfo } = Object(Object(parseJson(text)).params);
		const name = isObject(clientInfo) ? String(clientInfo['name']) : '';
		const searchMs = agentNamed(name)?.firstWait?.searchMs;
		this.#hurried = searchMs === undefined ? undefined : { name, toolsAt: performance.now() + searchMs };
		this.#isExtended = false;
		this.#revision = negotiate(protocolVersion);
		this.#open = {
			id,
			text,
			client: name,
			timer: setTimeout(this.#onLate, this.#hurried ? EARLY_INITIALIZE_MS : INITIALIZE_MS),
		};
	}

	/** It was answered or canceled. */
	end(): void {
		clearTimeout(this.#open?.timer);
		this.#open = undefined;
	}

	/** Answer in place of a hub. Returns the request as well, for the replay. */
	respond(instructions?: LocalInstructions): { text: string; response: string } | undefined {
		const open = this.#open;
		if (open === undefined) return undefined;
		this.end();
		this.#isLocal = true;
		const result = {
			protocolVersion: this.#revision.version,
			capabilities,
			serverInfo,
			instructions: instructions?.(open.client),
		};
		return { text: open.text, response: encodeResult(open.id, result) };
	}
}
