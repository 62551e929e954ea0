/*
 * The requests of the client that were sent to a hub, and the session state that
 * follows from their responses. Each gets exactly one response: from the hub, or
 * from the bridge when the hub is lost or the bridge shuts down.
 */
import type { OrchestraError } from '../errors.ts';
import { CallTable } from '../rpc/calls/call-table.ts';
import type { Id } from '../wire/json-rpc.ts';
import { responsesToLost, subscriptionEnd } from './error-responses.ts';
import { Initialization, type LocalInstructions } from './initialization.ts';
import { type Head, isInitialize } from './message-head.ts';
import { SessionState } from './session-state.ts';

export interface OpenRequestsEvents {
	/** Only subscriptions are in flight. */
	readonly onIdle: () => void;
	/** The hub did not answer `initialize` in time. */
	readonly onLateInitialize: () => void;
}

/** A request that awaits its response. */
interface InFlightRequest {
	readonly method: string;
	/** The whole request, stored only when it must be replayed to a new hub. */
	readonly text: string | undefined;
	/** The batch that contains it; the responses of a batch are sent together. */
	readonly batch: object | undefined;
}

export class OpenRequests {
	readonly session: SessionState = new SessionState();
	readonly initialization: Initialization;
	readonly #inFlight = new CallTable<Id, InFlightRequest>();
	readonly #onIdle: () => void;
	/** Subscriptions stay open and do not count for idleness. */
	#subscriptions = 0;

	constructor({ onIdle, onLateInitialize }: OpenRequestsEvents) {
		this.#onIdle = onIdle;
		this.initialization = new Initialization(onLateInitialize);
	}

	get isIdle(): boolean {
		return this.#inFlight.size === this.#subscriptions;
	}

	has(id: string): boolean {
		return this.#inFlight.has(id);
	}

	/** Whether the response to this request has the instructions of the hub. */
	isIntroduction(id: string): boolean {
		return ['initialize', 'server/discover'].includes(this.#inFlight.get(id)?.method ?? '');
	}

	/** Track a message that is sent to the hub. */
	add(text: string, head: Head): void {
		if (head.kind === 'request') {
			const { id, method } = head;
			if (isInitialize(head) && this.initialization.id !== id) this.initialization.begin(id, text);
			const retained = this.session.isReplayed(method) ? text : undefined;
			this.#add(id, { method, text: retained, batch: undefined });
		} else if (head.kind === 'notification') {
			if (head.method === 'notifications/initialized') this.session.initialized(text);
		} else if (head.kind === 'batch') {
			for (const part of head.parts) this.#addPart(part, head);
		}
	}

	/** The request ends without a response. */
	cancel(id: string): void {
		if (this.initialization.id === id) this.initialization.end();
		this.#take(id);
	}

	/** Track a response. False when the client does not await it: it has one, or canceled the request. */
	settled({ id, isResult }: Head & { kind: 'response' }): boolean {
		const request = this.#take(id);
		if (request === undefined) return id === 'null';
		this.session.settled(request.method);
		if (this.initialization.id === id) this.initialization.end();
		if (request.text !== undefined && isResult) this.session.granted(request.method, request.text);
		return true;
	}

	/** Track the responses of a batch. An error under an id that is in flight outside of the batch does not end that request. */
	settledBatch(parts: readonly Head[]): void {
		for (const part of parts)
			if (part.kind === 'response' && this.#inFlight.get(part.id)?.batch) this.settled(part);
	}

	/** Answer a pending `initialize` in place of a hub. */
	initializeLocally(instructions?: LocalInstructions): { id: string; response: string } | undefined {
		const { id } = this.initialization;
		const opened = this.initialization.respond(instructions);
		if (id === undefined || opened === undefined) return undefined;
		this.session.granted('initialize', opened.text);
		return { id, response: opened.response };
	}

	/** Error responses for every request in flight. At shutdown, subscriptions get a normal end. */
	takeLost(reason: OrchestraError, isEnd: boolean): string[] {
		const requests = [...this.#inFlight.entries()];
		this.#inFlight.clear();
		this.#subscriptions = 0;
		this.#onIdle();
		const ending = requests.filter(([, request]) => isEnd && isSubscription(request));
		const lost = requests.filter((request) => !ending.includes(request));
		for (const [, { method }] of lost) this.session.settled(method);
		return [...ending.map(([id]) => subscriptionEnd(id)), ...responsesToLost(lost, reason)];
	}

	/** Requests of a batch are not replayed, so their text is not retained. */
	#addPart(part: Head, batch: object): void {
		// A hub refuses an `initialize` in a batch, and an id that is in flight.
		if (part.kind !== 'request' || part.method === 'initialize' || this.has(part.id)) return;
		this.#add(part.id, { method: part.method, text: undefined, batch });
	}

	/** @param id not in flight yet */
	#add(id: Id, request: InFlightRequest): void {
		this.#inFlight.set(id, request);
		if (isSubscription(request)) this.#subscriptions++;
	}

	#take(id: Id): InFlightRequest | undefined {
		const request = this.#inFlight.take(id);
		if (request === undefined) return undefined;
		if (isSubscription(request)) this.#subscriptions--;
		if (this.isIdle) this.#onIdle();
		return request;
	}
}

function isSubscription({ method }: InFlightRequest): boolean {
	return method === 'subscriptions/listen';
}
