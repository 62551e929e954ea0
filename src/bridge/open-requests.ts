/*
 * The requests of the client that were passed to a hub, and what their answers tell
 * about the session. Each is answered exactly once: by the hub, or by the bridge
 * when the hub is lost or the bridge ends.
 */
import type { OrchestraError } from '../errors.ts';
import { InFlight, isListening } from './in-flight.ts';
import { Initialization } from './initialization.ts';
import { type Head, isInitialize } from './message-head.ts';
import { answersToLost, endOfSubscription } from './refusals.ts';
import { SessionMemory } from './session-memory.ts';

export interface OpenRequestsEvents {
	/** Nothing but subscriptions is in flight. */
	readonly onIdle: () => void;
	/** The hub did not answer `initialize` in time. */
	readonly onLateInitialize: () => void;
}

export class OpenRequests {
	readonly memory: SessionMemory = new SessionMemory();
	readonly initialization: Initialization;
	readonly #inFlight: InFlight;

	constructor({ onIdle, onLateInitialize }: OpenRequestsEvents) {
		this.#inFlight = new InFlight(onIdle);
		this.initialization = new Initialization(onLateInitialize);
	}

	get isIdle(): boolean {
		return this.#inFlight.isIdle;
	}

	has(id: string): boolean {
		return this.#inFlight.get(id) !== undefined;
	}

	/** A message is passed to the hub: note what awaits an answer. */
	add(text: string, head: Head): void {
		if (head.kind === 'request') {
			const { id, method } = head;
			if (isInitialize(head) && this.initialization.id !== id) this.initialization.begin(id, text);
			const kept = this.memory.isOfInterest(method) ? text : undefined;
			this.#inFlight.add(id, { method, text: kept, batch: undefined });
		} else if (head.kind === 'notice') {
			if (head.method === 'notifications/initialized') this.memory.initialized(text);
		} else if (head.kind === 'batch') {
			for (const part of head.parts) this.#addPart(part, head);
		}
	}

	/** The request is over without an answer. */
	cancel(id: string): void {
		if (this.initialization.id === id) this.initialization.end();
		this.#inFlight.take(id);
	}

	/** The hub answered. False for an answer that the client does not wait for: it has one, or gave the request up. */
	answered({ id, isResult }: Head & { kind: 'answer' }): boolean {
		const flight = this.#inFlight.take(id);
		if (flight === undefined) return id === 'null';
		this.memory.answered(flight.method);
		if (this.initialization.id === id) this.initialization.end();
		if (flight.text !== undefined && isResult) this.memory.granted(flight);
		return true;
	}

	/** The hub answered a batch. An error about an id that is in flight for another message does not end that one. */
	answeredBatch(parts: readonly Head[]): void {
		for (const part of parts)
			if (part.kind === 'answer' && this.#inFlight.get(part.id)?.batch) this.answered(part);
	}

	/** Open the session in place of a hub, if one is being opened; gives back the answer. */
	initializeHere(): { id: string; answer: string } | undefined {
		const { id } = this.initialization;
		const opened = this.initialization.answer();
		if (id === undefined || opened === undefined) return undefined;
		this.memory.granted({ method: 'initialize', text: opened.text });
		return { id, answer: opened.answer };
	}

	/** Answers to everything in flight, which is lost; at the end of the bridge, subscriptions simply end. */
	takeLost(reason: OrchestraError, isEnd: boolean): string[] {
		const flights = this.#inFlight.takeAll();
		const ending = flights.filter(([, flight]) => isEnd && isListening(flight));
		const lost = flights.filter((flight) => !ending.includes(flight));
		for (const [, { method }] of lost) this.memory.answered(method);
		return [...ending.map(([id]) => endOfSubscription(id)), ...answersToLost(lost, reason)];
	}

	/** A batch holds no message that a new hub must know, and its parts have no text of their own. */
	#addPart(part: Head, batch: object): void {
		// A hub refuses an `initialize` in a batch, and an id that is in flight.
		if (part.kind !== 'request' || part.method === 'initialize' || this.has(part.id)) return;
		this.#inFlight.add(part.id, { method: part.method, text: undefined, batch });
	}
}
