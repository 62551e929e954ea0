/*
 * The worker side of a hub: it offers tools to other hubs and runs their calls.
 *
 * There is one subscription per tool, all in the queue group `w`: the server gives each
 * call to one of the equal workers that are subscribed, and knows at once when there is
 * none.
 */
import { messageOf } from '../errors.ts';
import type { Hub } from '../hub/hub.ts';
import type { Log } from '../log.ts';
import type { NatsAccess } from './connect-nats.ts';
import { FabricLink, type LinkSubscription } from './fabric-link.ts';
import { callsFor, controlFor, QUEUE_GROUP } from './fabric-names.ts';
import { WORKER_DRAIN_MS } from './fabric-timers.ts';
import { randomId } from './inbox-prefix.ts';
import { offerBodies, offeredTools } from './offered-tools.ts';
import { Presence } from './presence.ts';
import { RemoteRuns } from './remote-runs.ts';

/** Changes of the tools within this time are published together. */
const DEBOUNCE_MS = 10;

export interface FabricWorkerOptions {
	readonly access: NatsAccess;
	/** The name of the offer; equal workers share it. */
	readonly offer: string;
	/** Patterns of the tools. */
	readonly patterns: readonly string[];
	readonly hub: Hub;
	readonly log: Log;
}

export class FabricWorker {
	readonly link: FabricLink;
	readonly #options: FabricWorkerOptions;
	readonly #runs: RemoteRuns;
	readonly #presence: Presence;
	readonly #subscriptions = new Map<string, LinkSubscription>();
	#patterns: readonly string[];
	#stopListening: () => void = () => {};
	#updating: Promise<void> = Promise.resolve();
	#debounce: NodeJS.Timeout | undefined;
	#closing: Promise<void> | undefined;

	constructor(options: FabricWorkerOptions) {
		const { access, hub, offer, log } = options;
		this.#options = options;
		this.#patterns = options.patterns;
		this.link = new FabricLink(access, log);
		const parts = { link: this.link, name: access.name, instance: randomId(), log };
		this.#runs = new RemoteRuns({ ...parts, hub });
		this.#presence = new Presence({ ...parts, offer });
	}

	/** The names of the tools that are offered. */
	get tools(): readonly string[] {
		return [...this.#subscriptions.keys()];
	}

	/** The number of calls of other hubs that run. */
	get running(): number {
		return this.#runs.running;
	}

	/** Connect and offer. Returns when the first offer is made, or is not possible yet. */
	async open(): Promise<void> {
		const { access, hub } = this.#options;
		this.link.subscribe(controlFor(access.name), (message) => this.#runs.onControl(message));
		this.link.listen({
			up: () => {
				this.#presence.forget();
				void this.#presence.refresh();
				this.#runs.onUp();
			},
			down: () => this.#runs.onDown(),
		});
		this.#stopListening = hub.onChange(({ kind }) => {
			if (kind === 'tools') this.#debounce ??= setTimeout(() => void this.#update(), DEBOUNCE_MS);
		});
		this.link.open();
		await this.#update();
	}

	/** Offer the tools that match these patterns from now on. Running calls go on. */
	offerOnly(patterns: readonly string[]): Promise<void> {
		if (patterns.join('\n') === this.#patterns.join('\n')) return this.#updating;
		this.#patterns = patterns;
		return this.#update();
	}

	/** Leave, finish the running calls, disconnect. Idempotent. */
	close(): Promise<void> {
		this.#closing ??= this.#close();
		return this.#closing;
	}

	async #close(): Promise<void> {
		this.#stopListening();
		clearTimeout(this.#debounce);
		await this.#updating;
		await this.#presence.close();
		// `nc.drain()` would lose the results of running calls: first the subscriptions, then the calls, then the link.
		await Promise.all([...this.#subscriptions.values()].map((subscription) => subscription.drain()));
		await this.#runs.drain(WORKER_DRAIN_MS);
		this.#runs.close();
		await this.link.close();
	}

	#update(): Promise<void> {
		this.#debounce = undefined;
		this.#updating = this.#updating.then(() => this.#offerTools());
		return this.#updating;
	}

	async #offerTools(): Promise<void> {
		const { hub, offer, log } = this.#options;
		try {
			const tools = await offeredTools(hub, this.#patterns);
			const names = new Set(tools.map(({ name }) => name));
			for (const [name, subscription] of this.#subscriptions) {
				if (names.has(name)) continue;
				this.#subscriptions.delete(name);
				void subscription.drain();
			}
			for (const name of names) {
				if (this.#subscriptions.has(name)) continue;
				const onCall = this.link.subscribe(callsFor(offer, name), (m) => this.#runs.onCall(m), QUEUE_GROUP);
				this.#subscriptions.set(name, onCall);
			}
			const onLarge = (name: string): void =>
				log.warn(`the tool ${name} is not offered: its description is too large for the fabric`);
			await this.#presence.offer(offerBodies(tools, onLarge));
		} catch (error) {
			log.warn(`the tools for the fabric could not be listed: ${messageOf(error)}`);
		}
	}
}
