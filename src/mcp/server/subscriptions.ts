/*
 * Modern subscriptions: a request that stays open while its client listens.
 *
 * The first message is the acknowledgement, with what will be told. All that
 * follows carries the id of the request. Cancelling the request ends it without a
 * word; a server that ends first answers it.
 */
import { OrchestraError } from '../../errors.ts';
import type { Awaitable, Result, ServerCapabilities } from '../../protocol/mcp-types.ts';
import { SERVER_INFO, SUBSCRIPTION_ID } from '../../protocol/meta.ts';
import type { IncomingCall } from '../../rpc/incoming-call.ts';
import type { Peer } from '../../rpc/peer.ts';
import { isObject } from '../../wire/json.ts';
import type { Id } from '../../wire/json-rpc.ts';
import { after, type Params } from './methods.ts';
import type { Change, Provider } from './provider.ts';
import { WATCHED_RESOURCES, type Watches } from './watches.ts';

/** How many subscriptions one pipe may have open. */
export const SUBSCRIPTIONS = 1024;

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
	readonly #watches: Watches;
	readonly #open = new Set<Subscription>();
	#isClosed = false;

	constructor(provider: Provider, peer: () => Peer, watches: Watches) {
		this.#provider = provider;
		this.#peer = peer;
		this.#watches = watches;
	}

	/** Acknowledge, then stay open until the client cancels or the server ends. */
	listen(call: IncomingCall, params: Params): Awaitable<Result> {
		const wanted = params['notifications'];
		if (!isObject(wanted)) throw new OrchestraError('bad_input', 'missing required parameter: notifications');
		return after(this.#provider.capabilities(), (capabilities) => this.#start(call, wanted, capabilities));
	}

	/** Something changed behind the provider. */
	tell(change: Change): void {
		for (const subscription of this.#open) {
			if (change.kind !== 'resource') {
				if (subscription.kinds.has(change.kind))
					this.#tell(subscription, `notifications/${change.kind}/list_changed`, {});
			} else if (subscription.uris.has(change.uri)) {
				this.#tell(subscription, 'notifications/resources/updated', { uri: change.uri });
			}
		}
	}

	/** The server ends: every open request is answered. */
	close(): void {
		this.#isClosed = true;
		for (const subscription of this.#open) this.#close(subscription);
	}

	#start(call: IncomingCall, wanted: Params, capabilities: ServerCapabilities): Promise<Result> {
		if (this.#open.size >= SUBSCRIPTIONS) {
			throw new OrchestraError('bad_input', `more than ${SUBSCRIPTIONS} subscriptions are open on this pipe`);
		}
		return new Promise((resolve) => {
			const subscription = { id: call.id, ...this.#honoured(wanted, capabilities), finish: resolve };
			this.#open.add(subscription);
			for (const uri of subscription.uris) this.#watches.add(this.#provider, uri);
			this.#tell(subscription, 'notifications/subscriptions/acknowledged', {
				notifications: granted(subscription),
			});
			const { signal } = call;
			signal.addEventListener('abort', () => this.#close(subscription), { once: true });
			if (signal.aborted || this.#isClosed) this.#close(subscription);
		});
	}

	#close(subscription: Subscription): void {
		if (!this.#open.delete(subscription)) return;
		for (const uri of subscription.uris) this.#watches.remove(this.#provider, uri);
		subscription.finish({
			resultType: 'complete',
			_meta: { [SUBSCRIPTION_ID]: subscription.id, [SERVER_INFO]: this.#provider.info },
		});
	}

	/** The part of the wish that the provider can fulfil. */
	#honoured(wanted: Params, capabilities: ServerCapabilities): { kinds: Set<string>; uris: Set<string> } {
		const kinds = Object.entries(listKinds).filter(
			([name, kind]) => wanted[name] === true && capabilities[kind]?.['listChanged'] === true,
		);
		const asked = capabilities.resources?.['subscribe'] === true ? wanted['resourceSubscriptions'] : [];
		const uris = Array.isArray(asked) ? asked.filter((uri) => typeof uri === 'string') : [];
		if (uris.length > WATCHED_RESOURCES) {
			throw new OrchestraError('bad_input', `more than ${WATCHED_RESOURCES} resources are to be watched`);
		}
		return { kinds: new Set(kinds.map(([, kind]) => kind)), uris: new Set(uris) };
	}

	#tell({ id }: Subscription, method: string, params: Record<string, unknown>): void {
		this.#peer().notify(method, { _meta: { [SUBSCRIPTION_ID]: id }, ...params });
	}
}

function granted({ kinds, uris }: Subscription): Record<string, unknown> {
	const flags = Object.entries(listKinds).filter(([, kind]) => kinds.has(kind));
	const lists = Object.fromEntries(flags.map(([name]) => [name, true]));
	return uris.size > 0 ? { ...lists, resourceSubscriptions: [...uris] } : lists;
}
