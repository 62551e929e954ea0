/*
 * A session of the legacy era: its id, the negotiated version, and how to start it again.
 *
 * A server that restarts forgets its sessions. The messages of the handshake are
 * remembered, so that a new session begins without the layers above: `initialize` is sent
 * again with an id of our own, and its answer is not delivered. So are the log level and
 * the resource subscriptions.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { OrchestraError } from '../../errors.ts';
import { encodeRequest, type Id } from '../../wire/json-rpc.ts';
import { MAX_SUBSCRIPTIONS } from './http-client-limits.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import { errorIn, resultIn } from './response-messages.ts';

/** The first version with the header `MCP-Protocol-Version`. */
const FIRST_WITH_HEADER = '2025-06-18';

const statefulMethods: ReadonlySet<string> = new Set([
	'logging/setLevel',
	'resources/subscribe',
	'resources/unsubscribe',
]);

/** An answer to a request of our own. */
export interface TransportAnswer {
	readonly text: string;
	readonly headers: IncomingHttpHeaders;
}

/** How a session sends the messages of a second handshake. */
export interface HandshakeSender {
	nextId(): Id;
	request(text: string): Promise<TransportAnswer>;
	notify(message: OutgoingMessage): Promise<void>;
}

export class HttpSession {
	readonly #sender: HandshakeSender;
	#id: string | undefined;
	#version: string | undefined;
	#initialize: OutgoingMessage | undefined;
	#initialized: OutgoingMessage | undefined;
	#renewal: Promise<void> | undefined;
	/** Requests that changed the state of the session, by what they changed. */
	readonly #state = new Map<string, OutgoingMessage>();

	constructor(sender: HandshakeSender) {
		this.#sender = sender;
	}

	/** The id that the server gave; undefined when there is no session. */
	get id(): string | undefined {
		return this.#id;
	}

	/** The second handshake that runs now. */
	get renewal(): Promise<void> | undefined {
		return this.#renewal;
	}

	/** The headers of every message after the handshake. */
	headers(): Record<string, string> {
		const headers: Record<string, string> = {};
		if (this.#id !== undefined) headers['mcp-session-id'] = this.#id;
		if (this.#version !== undefined && this.#version >= FIRST_WITH_HEADER)
			headers['mcp-protocol-version'] = this.#version;
		return headers;
	}

	/** `initialize` is sent: a session before it is forgotten. */
	begin(initialize: OutgoingMessage): void {
		this.#initialize = initialize;
		this.#initialized = undefined;
		this.#id = undefined;
		this.#version = undefined;
		this.#state.clear();
	}

	/** The answer to `initialize`. */
	opened({ text, headers }: TransportAnswer): void {
		const version = resultIn(text)?.['protocolVersion'];
		if (typeof version !== 'string') return;
		const id = headers['mcp-session-id'];
		this.#id = typeof id === 'string' && id !== '' ? id : undefined;
		this.#version = version;
	}

	/** `notifications/initialized` is sent. */
	confirm(initialized: OutgoingMessage): void {
		this.#initialized = initialized;
	}

	/** A request got its answer: remember it when it changed the state of the session. */
	answered(request: OutgoingMessage, answer: string): void {
		const { method, params } = request;
		if (!statefulMethods.has(method) || errorIn(answer)) return;
		if (method === 'logging/setLevel') this.#state.set(method, request);
		else if (method === 'resources/unsubscribe') this.#state.delete(`uri ${String(params['uri'])}`);
		else if (this.#state.size < MAX_SUBSCRIPTIONS) this.#state.set(`uri ${String(params['uri'])}`, request);
	}

	/** Start a new session instead of `lostId`; does nothing when that has happened already. */
	renew(lostId: string | undefined): Promise<void> {
		if (this.#renewal === undefined && this.#id !== lostId) return Promise.resolve();
		this.#renewal ??= this.#repeatHandshake().finally(() => {
			this.#renewal = undefined;
		});
		return this.#renewal;
	}

	async #repeatHandshake(): Promise<void> {
		const answer = await this.#repeat('initialize', this.#initialize?.params);
		const error = errorIn(answer.text);
		if (error) {
			const message = `the server forgot the session and refused a new one: ${error.message}`;
			throw new OrchestraError('rpc', message, {
				hint: 'Restart the server, or the client.',
				data: { rpc: error, outcome: 'not_run' },
			});
		}
		this.opened(answer);
		if (this.#initialized) await this.#sender.notify(this.#initialized);
		for (const { method, params } of this.#state.values()) await this.#repeat(method, params);
	}

	#repeat(method: string, params: unknown): Promise<TransportAnswer> {
		return this.#sender.request(encodeRequest(this.#sender.nextId(), method, params));
	}
}
