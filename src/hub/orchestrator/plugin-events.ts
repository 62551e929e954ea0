/*
 * Events for plugins: on the stream of a subscription, and as `publish` requests.
 *
 * Plugins with our SDK read the stream of their subscription. Those with another SDK read
 * one answer from it and expect each event as a `publish` request to their own server, which
 * has no subscription id: one request for each event, however many subscriptions it passes.
 * Topics in `needs_events` of a manifest are subscribed for the plugin, in every SDK.
 */

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { messageOf, OrchestraError } from '../../errors.ts';
import type { PluginHandlers, SubscribedCall } from '../../plugin/server/handlers.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { memoized } from '../../wire/memoized.ts';
import type { Hub } from '../hub.ts';
import { EVENT_PUBLISH_MS, OUTBOX_LIMIT_EVENTS } from '../hub-limits.ts';
import { PluginSource } from '../sources/plugin-source.ts';
import { type DeliveredEvent, EventHub } from './event-hub.ts';
import { callerName } from './tool-routes.ts';

type Warn = (line: string) => void;

export class PluginEvents {
	readonly topics: EventHub = new EventHub();
	readonly #hub: () => Hub;
	readonly #warn: Warn;
	readonly #needed = new Map<string, readonly (() => void)[]>();
	readonly #outbox = memoized((plugin: PluginSource) => new Outbox(plugin, this.#warn));

	constructor(hub: () => Hub, warn: Warn) {
		this.#hub = hub;
		this.#warn = warn;
	}

	/** Subscribe a plugin to the topics of its manifest, in place of those of an earlier registration. */
	subscribeNeeded(plugin: PluginSource): void {
		for (const unsubscribe of this.#needed.get(plugin.id) ?? []) unsubscribe();
		this.#needed.delete(plugin.id);
		if (plugin.needsEvents.length === 0) return;
		const subscriptions = [...new Set(plugin.needsEvents)].map((topic) =>
			this.topics.subscribe({ subscriptionId: topic, topic, owner: plugin.id }, (event) => {
				const isConfigured = this.#hub().sources.includes(plugin);
				if (isConfigured) this.#outbox(plugin).add(event);
				return isConfigured;
			}),
		);
		this.#needed.set(plugin.id, subscriptions);
	}

	/** Send an event to the server of the plugin that subscribed, if it does not read the stream. */
	post(event: DeliveredEvent, subscriber: string): void {
		const plugin = this.#hub().sources.find(({ id }) => id === subscriber);
		if (!(plugin instanceof PluginSource)) return;
		const readsStream = (plugin.client?.features.size ?? 0) > 0;
		if (!readsStream) this.#outbox(plugin).add(event);
	}
}

export function eventRoutes(
	events: PluginEvents,
): Pick<PluginHandlers, 'subscribe' | 'unsubscribe' | 'publish'> {
	return {
		subscribe({ subscriptionId, topic, filters }, call: SubscribedCall) {
			return new Promise<void>((resolve) => {
				const owner = call.peer.name;
				const unsubscribe = events.topics.subscribe({ subscriptionId, topic, filters, owner }, (event) => {
					const isThere = call.deliver({ ...event, timestamp: timestampFromDate(event.timestamp) });
					if (isThere) events.post(event, callerName(call));
					return isThere;
				});
				onAbort(call.signal, () => {
					unsubscribe();
					resolve();
				});
			});
		},
		unsubscribe: ({ subscriptionId }, { peer }) => void events.topics.unsubscribe(subscriptionId, peer.name),
		publish({ topic, eventType, payload, sourcePlugin }) {
			if (topic === '') throw new OrchestraError('bad_input', 'publish requires a topic');
			events.topics.publish({ topic, eventType, payload, sourcePlugin });
		},
	};
}

/** Sends events to the server of one plugin, in their order. Events for a plugin that does not run are dropped. */
class Outbox {
	readonly #plugin: PluginSource;
	readonly #warn: Warn;
	readonly #queue: DeliveredEvent[] = [];
	/** When the last queued event was published: the object identifies the event. */
	#last: Date | undefined;
	#isSending = false;

	constructor(plugin: PluginSource, warn: Warn) {
		this.#plugin = plugin;
		this.#warn = warn;
	}

	add(event: DeliveredEvent): void {
		if (event.timestamp === this.#last || this.#plugin.client === undefined) return;
		this.#last = event.timestamp;
		if (this.#queue.length >= OUTBOX_LIMIT_EVENTS) {
			this.#warn(`an event for ${this.#plugin.id} was dropped: ${OUTBOX_LIMIT_EVENTS} are queued`);
			return;
		}
		this.#queue.push(event);
		if (!this.#isSending) void this.#sendAll();
	}

	async #sendAll(): Promise<void> {
		this.#isSending = true;
		for (let event = this.#queue.shift(); event; event = this.#queue.shift()) await this.#send(event);
		this.#isSending = false;
	}

	async #send({ topic, eventType, payload, sourcePlugin }: DeliveredEvent): Promise<void> {
		const value = { topic, eventType, sourcePlugin, ...(payload && { payload }) };
		try {
			await this.#plugin.client?.send(
				{ request: { case: 'publish', value } },
				{ timeoutMs: EVENT_PUBLISH_MS },
			);
		} catch (thrown) {
			this.#warn(`an event was not delivered to ${this.#plugin.id}: ${messageOf(thrown)}`);
		}
	}
}
