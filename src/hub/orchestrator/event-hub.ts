/*
 * Publish and subscribe of the plugin protocol.
 *
 * An event is delivered to every subscription of its topic whose filters equal string
 * fields of the payload. Delivery is synchronous and in the order of publishing: an
 * event that is published during a delivery is queued. The queue is bounded, so that an
 * endless loop between two plugins is cut off. A subscriber that is gone is removed at
 * the first failed delivery.
 */
import { attempt, OrchestraError } from '../../errors.ts';
import type { JsonObject } from '../../wire/json.ts';
import {
	FILTERS_LIMIT,
	NAME_LIMIT_CHARACTERS,
	OWNER_SUBSCRIPTIONS_LIMIT,
	QUEUE_LIMIT_EVENTS,
	SUBSCRIPTIONS_LIMIT,
} from '../hub-limits.ts';

export interface SubscriptionRequest {
	subscriptionId: string;
	topic: string;
	filters?: Readonly<Record<string, string>> | undefined;
	/** Ids are unique per owner. */
	owner?: string | undefined;
}

export interface PublishedEvent {
	topic: string;
	eventType: string;
	payload?: JsonObject | undefined;
	sourcePlugin: string;
}

export interface DeliveredEvent extends PublishedEvent {
	subscriptionId: string;
	/** When it was published; the same object for all subscribers. */
	timestamp: Date;
}

/** Delivers one event; returns false or throws when the subscriber is gone. The payload is shared and must not be modified. */
export type Deliver = (event: DeliveredEvent) => boolean;

interface Subscription {
	readonly id: string;
	readonly owner: string;
	readonly topic: string;
	readonly filters: readonly [string, string][];
	readonly deliver: Deliver;
}

type QueuedEvent = PublishedEvent & { timestamp: Date };

export class EventHub {
	readonly #now: () => Date;
	/** The subscriptions by owner and id. */
	readonly #byOwner = new Map<string, Map<string, Subscription>>();
	readonly #byTopic = new Map<string, Set<Subscription>>();
	#size = 0;
	#queue: QueuedEvent[] | undefined;

	constructor(now: () => Date = () => new Date()) {
		this.#now = now;
	}

	/** The number of subscriptions. */
	get size(): number {
		return this.#size;
	}

	/**
	 * Deliver the events of a topic until the returned function is called. A second subscription of an owner with
	 * the same id replaces the first: the plugin reconnected before its old connection timed out.
	 */
	subscribe(request: SubscriptionRequest, deliver: Deliver): () => void {
		const subscription = checked(request, deliver);
		const { id, owner, topic } = subscription;
		this.unsubscribe(id, owner);
		this.#checkLimits(owner);
		const sameOwner = this.#byOwner.get(owner) ?? new Map<string, Subscription>();
		this.#byOwner.set(owner, sameOwner.set(id, subscription));
		const sameTopic = this.#byTopic.get(topic) ?? new Set();
		this.#byTopic.set(topic, sameTopic.add(subscription));
		this.#size++;
		return () => this.#drop(subscription);
	}

	/** End a subscription. False when there is none. */
	unsubscribe(subscriptionId: string, owner = ''): boolean {
		const subscription = this.#byOwner.get(owner)?.get(subscriptionId);
		if (subscription) this.#drop(subscription);
		return subscription !== undefined;
	}

	/** Deliver an event to its subscribers. Throws `bad_input` when the queue is full. */
	publish(event: PublishedEvent): void {
		checkName('topic', event.topic);
		const waiting = { ...event, timestamp: this.#now() };
		if (!this.#queue) return this.#deliverAll([waiting]);
		if (this.#queue.length >= QUEUE_LIMIT_EVENTS) {
			throw bad(
				`one event on ${shown(event.topic)} caused ${QUEUE_LIMIT_EVENTS} others before it was delivered`,
			);
		}
		this.#queue.push(waiting);
	}

	/** Remove all subscriptions. Idempotent. */
	close(): void {
		this.#byOwner.clear();
		this.#byTopic.clear();
		this.#size = 0;
	}

	#deliverAll(queue: QueuedEvent[]): void {
		this.#queue = queue;
		try {
			for (const event of queue) this.#deliverOne(event);
		} finally {
			this.#queue = undefined;
		}
	}

	#deliverOne(event: QueuedEvent): void {
		// A copy: new subscribers get the next event.
		const subscriptions = Array.from(this.#byTopic.get(event.topic) ?? []);
		for (const subscription of subscriptions) {
			const isStillThere = this.#byOwner.get(subscription.owner)?.get(subscription.id) === subscription;
			if (!isStillThere || !passes(subscription, event.payload)) continue;
			if (!isTaken(subscription, event)) this.#drop(subscription);
		}
	}

	#drop(subscription: Subscription): void {
		const { id, owner, topic } = subscription;
		const sameTopic = this.#byTopic.get(topic);
		if (!sameTopic?.delete(subscription)) return;
		if (sameTopic.size === 0) this.#byTopic.delete(topic);
		const sameOwner = this.#byOwner.get(owner);
		sameOwner?.delete(id);
		if (sameOwner?.size === 0) this.#byOwner.delete(owner);
		this.#size--;
	}

	#checkLimits(owner: string): void {
		if (this.#size >= SUBSCRIPTIONS_LIMIT) {
			throw bad(`there are ${SUBSCRIPTIONS_LIMIT} subscriptions already`);
		}
		if ((this.#byOwner.get(owner)?.size ?? 0) >= OWNER_SUBSCRIPTIONS_LIMIT) {
			throw bad(`${shown(owner)} has ${OWNER_SUBSCRIPTIONS_LIMIT} subscriptions already`);
		}
	}
}

function checked(request: SubscriptionRequest, deliver: Deliver): Subscription {
	const { subscriptionId: id, topic, filters = {}, owner = '' } = request;
	checkName('subscription id', id);
	checkName('topic', topic);
	const pairs = Object.entries(filters);
	if (pairs.length > FILTERS_LIMIT) throw bad(`a subscription has at most ${FILTERS_LIMIT} filters`);
	if (pairs.flat().some(({ length }) => length > NAME_LIMIT_CHARACTERS)) {
		throw bad(`a filter is longer than ${NAME_LIMIT_CHARACTERS} characters`);
	}
	return { id, owner, topic, filters: pairs, deliver };
}

function checkName(what: string, name: string): void {
	if (name === '') throw bad(`the ${what} is empty`);
	if (name.length > NAME_LIMIT_CHARACTERS) {
		throw bad(`the ${what} is longer than ${NAME_LIMIT_CHARACTERS} characters`);
	}
}

function passes({ filters }: Subscription, payload: JsonObject = {}): boolean {
	return filters.every(([key, value]) => Object.hasOwn(payload, key) && payload[key] === value);
}

function isTaken({ id, deliver }: Subscription, event: QueuedEvent): boolean {
	// One broken subscriber must not affect the others.
	return attempt(() => deliver({ ...event, subscriptionId: id }), false);
}

function shown(text: string): string {
	return JSON.stringify(text.slice(0, 80));
}

function bad(message: string): OrchestraError {
	return new OrchestraError('bad_input', message, { data: { code: 'event_error' } });
}
