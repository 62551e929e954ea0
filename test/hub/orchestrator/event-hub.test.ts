import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	FILTERS_LIMIT,
	OWNER_SUBSCRIPTIONS_LIMIT,
	QUEUE_LIMIT_EVENTS,
	SUBSCRIPTIONS_LIMIT,
} from '../../../src/hub/hub-limits.ts';
import { type DeliveredEvent, EventHub } from '../../../src/hub/orchestrator/event-hub.ts';

const now = new Date('2026-01-02T03:04:05Z');

describe('EventHub', () => {
	it('delivers an event to every subscriber of its topic, with the timestamp of the hub', () => {
		const hub = new EventHub(() => now);
		const first = listen(hub, 'one', 'features');
		const second = listen(hub, 'two', 'features');
		const other = listen(hub, 'three', 'features.sub');
		const event = {
			topic: 'features',
			eventType: 'created',
			payload: { id: 'F-1' },
			sourcePlugin: 'tools.features',
		};
		hub.publish(event);
		expect(first).toEqual([{ ...event, subscriptionId: 'one', timestamp: now }]);
		expect(second).toEqual([{ ...event, subscriptionId: 'two', timestamp: now }]);
		expect(other).toEqual([]);
	});

	it('delivers exactly when all filters equal text fields of the payload', () => {
		const word = fc.constantFrom('a', 'b', 'toString', '__proto__');
		const value = fc.constantFrom<string | number | null>('x', 'y', 1, null, '1');
		fc.assert(
			fc.property(
				fc.dictionary(word, fc.constantFrom('x', 'y', '1')),
				fc.dictionary(word, value),
				(filters, payload) => {
					const hub = new EventHub();
					const got = listen(hub, 'id', 't', filters);
					publish(hub, 't', payload);
					const fits = Object.keys(filters).every(
						(key) => Object.hasOwn(payload, key) && payload[key] === filters[key],
					);
					expect(got.length).toBe(fits ? 1 : 0);
				},
			),
		);
	});

	it('drops a subscriber that is gone or that throws, and delivers to the others', () => {
		const hub = new EventHub();
		let asked = 0;
		hub.subscribe({ subscriptionId: 'gone', topic: 't' }, () => {
			asked++;
			return false;
		});
		hub.subscribe({ subscriptionId: 'broken', topic: 't' }, () => {
			asked++;
			throw new Error('no');
		});
		const got = listen(hub, 'fine', 't');
		publish(hub, 't', {});
		publish(hub, 't', {});
		expect(asked).toBe(2);
		expect(got).toHaveLength(2);
		expect(hub.size).toBe(1);
	});

	it('delivers nothing after a subscription was ended in any way', () => {
		const hub = new EventHub();
		const got: DeliveredEvent[] = [];
		const stop = hub.subscribe({ subscriptionId: 'a', topic: 't' }, collect(got));
		hub.subscribe({ subscriptionId: 'b', topic: 't' }, collect(got));
		stop();
		stop();
		expect(hub.unsubscribe('b')).toBe(true);
		expect(hub.unsubscribe('b')).toBe(false);
		publish(hub, 't', {});
		expect(got).toEqual([]);
	});

	it('keeps equal ids of two owners apart', () => {
		const hub = new EventHub();
		const got: DeliveredEvent[] = [];
		hub.subscribe({ subscriptionId: 'sub-1', topic: 't', owner: 'one' }, collect(got));
		hub.subscribe({ subscriptionId: 'sub-1', topic: 't', owner: 'two' }, collect(got));
		hub.unsubscribe('sub-1', 'one');
		publish(hub, 't', {});
		expect(got).toHaveLength(1);
	});

	it('replaces a subscription with the same owner and id, and the end of the old one has no effect', () => {
		const hub = new EventHub();
		const old = listen(hub, 'a', 't');
		const got: DeliveredEvent[] = [];
		const endOld = hub.subscribe({ subscriptionId: 'a', topic: 't' }, collect([]));
		hub.subscribe({ subscriptionId: 'a', topic: 't' }, collect(got));
		endOld();
		publish(hub, 't', {});
		expect([old.length, got.length, hub.size]).toEqual([0, 1, 1]);
	});

	it('delivers an event that is published during a delivery after it, in order, to all subscribers', () => {
		const hub = new EventHub();
		hub.subscribe({ subscriptionId: 'answers', topic: 'question' }, () => {
			publish(hub, 'answer', {});
			return true;
		});
		const seen: string[] = [];
		for (const topic of ['question', 'answer']) {
			hub.subscribe({ subscriptionId: `log ${topic}`, topic }, () => seen.push(topic) > 0);
		}
		publish(hub, 'question', {});
		expect(seen).toEqual(['question', 'answer']);
	});

	it('drops a subscriber that republishes every event, and serves the others', () => {
		const hub = new EventHub();
		let received = 0;
		hub.subscribe({ subscriptionId: 'loop', topic: 't' }, () => {
			received++;
			publish(hub, 't', {});
			return true;
		});
		publish(hub, 't', {});
		expect(received).toBe(QUEUE_LIMIT_EVENTS);
		const got = listen(hub, 'later', 't');
		publish(hub, 't', {});
		expect(got).toHaveLength(1);
		expect(hub.size).toBe(1);
	});

	it('does not deliver to a subscriber that unsubscribed during the delivery', () => {
		const hub = new EventHub();
		hub.subscribe({ subscriptionId: 'first', topic: 't' }, () => hub.unsubscribe('second'));
		const got = listen(hub, 'second', 't');
		publish(hub, 't', {});
		expect(got).toEqual([]);
	});

	it('refuses subscriptions beyond its limit', () => {
		const hub = new EventHub();
		const fill = (owner: string, count: number): void => {
			for (let at = 0; at < count; at++) {
				hub.subscribe({ subscriptionId: `${at}`, topic: `t${at}`, owner }, () => true);
			}
		};
		fill('one', OWNER_SUBSCRIPTIONS_LIMIT);
		const one = { subscriptionId: 'more', topic: 't', owner: 'one' };
		expect(() => hub.subscribe(one, () => true)).toThrow(`${OWNER_SUBSCRIPTIONS_LIMIT}`);
		const owners = SUBSCRIPTIONS_LIMIT / OWNER_SUBSCRIPTIONS_LIMIT;
		for (let at = 1; at < owners; at++) fill(`owner ${at}`, OWNER_SUBSCRIPTIONS_LIMIT);
		expect(() => fill('last', 1)).toThrow(`${SUBSCRIPTIONS_LIMIT}`);
		hub.unsubscribe('0', 'one');
		fill('last', 1);
		hub.close();
		expect(hub.size).toBe(0);
	});

	it.each([
		[{ subscriptionId: '', topic: 't' }, 'subscription id is empty'],
		[{ subscriptionId: 'a', topic: '' }, 'topic is empty'],
		[{ subscriptionId: 'a', topic: 't'.repeat(1025) }, 'longer than 1024'],
		[{ subscriptionId: 'a', topic: 't', filters: { k: 'v'.repeat(1025) } }, 'longer than 1024'],
		[{ subscriptionId: 'a', topic: 't', filters: manyFilters() }, `at most ${FILTERS_LIMIT} filters`],
	])('refuses the subscription %#', (request, why) => {
		expect(() => new EventHub().subscribe(request, () => true)).toThrow(why);
	});

	it('refuses an event without a topic', () => {
		expect(() => publish(new EventHub(), '', {})).toThrow('topic is empty');
	});
});

function listen(
	hub: EventHub,
	id: string,
	topic: string,
	filters: Record<string, string> = {},
): DeliveredEvent[] {
	const events: DeliveredEvent[] = [];
	hub.subscribe({ subscriptionId: id, topic, filters }, collect(events));
	return events;
}

function collect(events: DeliveredEvent[]): (event: DeliveredEvent) => boolean {
	return (event) => events.push(event) > 0;
}

function publish(hub: EventHub, topic: string, payload: Record<string, string | number | null>): void {
	hub.publish({ topic, eventType: 'test', payload, sourcePlugin: 'test' });
}

function manyFilters(): Record<string, string> {
	return Object.fromEntries(Array.from({ length: FILTERS_LIMIT + 1 }, (_, at) => [`k${at}`, 'v']));
}
