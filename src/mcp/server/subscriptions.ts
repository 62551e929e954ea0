/*
 * Modern subscriptions: `subscriptions/listen` requests that stay open.
 *
 * The first message acknowledges the request and lists the notifications that will
 * be sent. Every later notification carries the id of the request. A canceled
 * request gets no answer; a server that shuts down answers every open one.
 */
import { OrchestraError } from '../../errors.ts';
import type { Awaitable, Result, ServerCapabilities } from '../../protocol/mcp-types.ts';
import { SERVER_INFO, SUBSCRIPTION_ID } from '../../protocol/meta.ts';
import type { IncomingCall } from '../../rpc/incoming-call.ts';
import type { Peer } from '../../rpc/peer.ts';
import { isObject } from '../../wire/json.ts';
import type { Id } from '../../wire/json-rpc.ts';
import { ListThrottle } from './list-throttle.ts';
import { after, type Params } from './methods.ts';
import type { Change, Provider } from './provider.ts';
import { RESOURCE_SUBSCRIPTIONS_LIMIT, type ResourceSubscriptions } from './resource-subscriptions.ts';
import type { ListKind } from './seen-lists.ts';

/** Most open subscriptions of one session. */
export const LISTEN_REQUESTS_LIMIT = 1024;

const listKinds = {
	toolsListChanged: 'tools',
	promptsListChanged: 'prompts',
	resourcesListChanged: 'resources',
} as const;

interface Subscription {
	readonly id: Id;
	readonly kinds: ReadonlySet<string>;
	readonly uris: ReadonlySet<string>;
	readonly finish: (result: Result) => void;
}

export class Subscriptions {
	readonly #provider: Provider;
	readonly #peer: () => Peer;
	readonly #resourceSubscriptions: ResourceSubscriptions;
	readonly #open = new Set<Subscription>();
	readonly #throttle = new ListThrottle((kind) => this.#notifyListChanged(kind));
	#isClosed = false;

	constructor(provider: Provider, peer: () => Peer, resourceSubscriptions: ResourceSubscriptions) {
		this.#provider = provider;
		this.#peer = peer;
		this.#resourceSubscriptions = resourceSubscriptions;
	}

	/** Acknowledge, then stay open until the client cancels or the session closes. */
	listen(call: IncomingCall, params: Params): Awaitable<Result> {
		const wanted = params['notifications'];
		if (!isObject(wanted)) throw new OrchestraError('bad_input', 'missing required parameter: notifications');
		return after(this.#provider.capabilities(), (capabilities) => this.#start(call, wanted, capabilities));
	}

	/** Notify every subscription that the change concerns. */
	notifyChange(change: Change): void {
		if (change.kind !== 'resource') {
			if (this.#open.size > 0) this.#throttle.changed(change.kind);
			return;
		}
		for (const subscription of this.#open)
			if (subscription.uris.has(change.uri))
				this.#notify(subscription, 'notifications/resources/updated', { uri: change.uri });
	}

	#notifyListChanged(kind: ListKind): void {
		for (const subscription of this.#open)
			if (subscription.kinds.has(kind)) this.#notify(subscription, `notifications/${kind}/list_changed`, {});
	}

	/** Answer every open request. */
	close(): void {
		this.#isClosed = true;
		this.#throttle.close();
		for (const subscription of this.#open) this.#close(subscription);
	}

	#start(call: IncomingCall, wanted: Params, capabilities: ServerCapabilities): Promise<Result> {
		if (this.#open.size >= LISTEN_REQUESTS_LIMIT) {
			throw new OrchestraError(
				'bad_input',
				`this session already has ${LISTEN_REQUESTS_LIMIT} open subscriptions`,
			);
		}
		return new Promise((resolve) => {
			const subscription = { id: call.id, ...this.#accepted(wanted, capabilities), finish: resolve };
			this.#open.add(subscription);
			this.#count(subscription, true);
			this.#notify(subscription, 'notifications/subscriptions/acknowledged', {
				notifications: granted(subscription),
			});
			const { signal } = call;
			signal.addEventListener('abort', () => this.#close(subscription), { once: true });
			if (signal.aborted || this.#isClosed) this.#close(subscription);
		});
	}

	#close(subscription: Subscription): void {
		if (!this.#open.delete(subscription)) return;
		this.#count(subscription, false);
		subscription.finish({
			resultType: 'complete',
			_meta: { [SUBSCRIPTION_ID]: subscription.id, [SERVER_INFO]: this.#provider.info },
		});
	}

	#count({ uris }: Subscription, isSubscribed: boolean): void {
		for (const uri of uris)
			if (this.#resourceSubscriptions.change(uri, isSubscribed))
				this.#provider.subscribeResource?.(uri, isSubscribed);
	}

	/** The part of the request that the provider supports. */
	#accepted(wanted: Params, capabilities: ServerCapabilities): { kinds: Set<string>; uris: Set<string> } {
		const kinds = Object.entries(listKinds).filter(
			([name, kind]) => wanted[name] === true && capabilities[kind]?.['listChanged'] === true,
		);
		const asked = capabilities.resources?.['subscribe'] === true ? wanted['resourceSubscriptions'] : [];
		const uris = Array.isArray(asked) ? asked.filter((uri) => typeof uri === 'string') : [];
		if (uris.length > RESOURCE_SUBSCRIPTIONS_LIMIT) {
			throw new OrchestraError(
				'bad_input',
				`a subscription may name at most ${RESOURCE_SUBSCRIPTIONS_LIMIT} resources, not ${uris.length}`,
			);
		}
		return { kinds: new Set(kinds.map(([, kind]) => kind)), uris: new Set(uris) };
	}

	#notify({ id }: Subscription, method: string, params: Record<string, unknown>): void {
		this.#peer().notify(method, { _meta: { [SUBSCRIPTION_ID]: id }, ...params });
	}
}

function granted({ kinds, uris }: Subscription): Record<string, unknown> {
	const flags = Object.entries(listKinds).filter(([, kind]) => kinds.has(kind));
	const lists = Object.fromEntries(flags.map(([name]) => [name, true]));
	return uris.size > 0 ? { ...lists, resourceSubscriptions: [...uris] } : lists;
}
