/*
 * The resources that clients of the hub subscribed to, each with the source that has it.
 *
 * A client is answered when the source is subscribed, so that no later update is lost, or
 * when the source takes too long. Then, as after a change of the configuration, the
 * client gets one update as soon as the source is subscribed.
 */
import type { ClientConnection } from '../../mcp/server/call-context.ts';
import type { Change } from '../../mcp/server/provider.ts';
import type { Awaitable } from '../../protocol/mcp-types.ts';
import { within } from '../../rpc/clock.ts';
import { type Deferred, deferred } from '../../rpc/deferred.ts';
import { able, type Source } from '../source.ts';

interface RoutedSubscription {
	readonly uri: string;
	readonly client: ClientConnection;
	/** A session may subscribe several times. */
	count: number;
	/** Undefined while no source has the resource. */
	owner: Source | undefined;
	/** Settles with the first answer of a source. */
	readonly made: Deferred<void>;
	isAnswered: boolean;
}

export interface SubscriptionRouterOptions {
	readonly sources: () => readonly Source[];
	/** The source that has a resource. */
	readonly ownerOf: (uri: string) => Awaitable<Source | undefined>;
	/** How long a client waits for the source, in milliseconds. */
	readonly waitMs: () => number;
	readonly onUpdate: (change: Change) => void;
}

export class SubscriptionRouter {
	readonly #options: SubscriptionRouterOptions;
	readonly #subscriptions = new Map<string, RoutedSubscription>();

	constructor(options: SubscriptionRouterOptions) {
		this.#options = options;
	}

	/** Subscribe a client, or end that. Rejects with the refusal of the source. */
	async change(uri: string, isSubscribed: boolean, client: ClientConnection): Promise<void> {
		const key = keyOf({ uri, client });
		const known = this.#subscriptions.get(key);
		if (!isSubscribed) return this.#remove(known);
		const subscription = known ?? {
			uri,
			client,
			count: 0,
			owner: undefined,
			made: deferred(),
			isAnswered: false,
		};
		subscription.count++;
		this.#subscriptions.set(key, subscription);
		if (known === undefined) void this.#route(subscription);
		await within(subscription.made.promise, this.#options.waitMs(), false);
		subscription.isAnswered = true;
	}

	/** Sources were replaced, or have other resources: find those without a source again. */
	reroute(): void {
		const sources = this.#options.sources();
		for (const subscription of this.#subscriptions.values()) {
			if (subscription.owner && sources.includes(subscription.owner)) continue;
			subscription.owner = undefined;
			void this.#route(subscription);
		}
	}

	#remove(subscription: RoutedSubscription | undefined): void {
		if (subscription === undefined || --subscription.count > 0) return;
		this.#subscriptions.delete(keyOf(subscription));
		const { uri, client, owner } = subscription;
		// It fails only when the source cannot be loaded, and then it is not subscribed.
		void Promise.resolve(able(owner, 'subscribeResource')?.subscribeResource(uri, false, client)).catch(
			() => {},
		);
	}

	async #route(subscription: RoutedSubscription): Promise<void> {
		const { uri, client, made } = subscription;
		const owner = await this.#find(uri);
		if (!this.#isOpen(subscription) || subscription.owner) return;
		if (owner === undefined) return made.resolve(); // `reroute` finds it when it appears
		subscription.owner = owner;
		try {
			await able(owner, 'subscribeResource')?.subscribeResource(uri, true, client);
		} catch (error) {
			if (subscription.owner !== owner || subscription.isAnswered) return;
			if (this.#isOpen(subscription)) this.#subscriptions.delete(keyOf(subscription));
			return made.reject(error);
		}
		if (subscription.owner !== owner) return;
		made.resolve();
		if (subscription.isAnswered)
			this.#options.onUpdate({ kind: 'resource', uri, sessionId: client.sessionId });
	}

	#isOpen(subscription: RoutedSubscription): boolean {
		return this.#subscriptions.get(keyOf(subscription)) === subscription;
	}

	async #find(uri: string): Promise<Source | undefined> {
		try {
			const owner = await this.#options.ownerOf(uri);
			return owner && this.#options.sources().includes(owner) ? owner : undefined;
		} catch {
			return undefined; // the lists say why
		}
	}
}

function keyOf({ uri, client }: Pick<RoutedSubscription, 'uri' | 'client'>): string {
	return `${client.sessionId}\n${uri}`;
}
