/*
 * The worker side of a hub: it advertises tools to other hubs and runs their calls.
 *
 * There is one subscription per tool, all in the queue group `w`: the server gives each
 * call to one of the equal workers that are subscribed, and knows at once when there is
 * none. A worker subscribes when the server has stored its bodies, and unsubscribes when
 * the server refuses its messages: a worker that may not answer must not receive calls. One
 * more subscription is for hubs that choose the worker themselves, by its labels.
 */
import type { FabricLimits } from '../../config/configuration.ts';
import { messageOf } from '../../errors.ts';
import { Debounce } from '../../files/debounce.ts';
import type { WorkerOverview } from '../../hub/fabric-overview.ts';
import type { Hub } from '../../hub/hub.ts';
import type { Log } from '../../log.ts';
import { within } from '../../rpc/clock.ts';
import { deferred } from '../../rpc/deferred.ts';
import { advertisedTools, advertisementBodies } from '../advertisements/advertisement-bodies.ts';
import { Presence } from '../advertisements/presence.ts';
import type { PresenceFacts } from '../advertisements/presence-value.ts';
import {
	ADVERTISE_DEBOUNCE_MS,
	DRAIN_REPORT_MS,
	HUB_DRAIN_MS,
	PRESENCE_LOAD_MS,
	SERVER_REQUEST_MS,
	WORKER_DRAIN_MS,
} from '../fabric-limits.ts';
import { callsFor, controlFor, directFor, QUEUE_GROUP } from '../fabric-names.ts';
import type { NatsAccess } from '../link/connect-nats.ts';
import { FabricLink } from '../link/fabric-link.ts';
import { randomId } from '../link/inbox-prefix.ts';
import type { LinkSubscription } from '../link/link-subscriptions.ts';
import { type Order, RemoteRunTable } from './remote-run-table.ts';

/** The settings that may change while it runs. */
export interface WorkerSettings {
	/** Patterns of the tools. */
	readonly patterns: readonly string[];
	/** The labels by which hubs choose this worker. */
	readonly labels?: readonly string[] | undefined;
	readonly limits?: FabricLimits | undefined;
}

export interface FabricWorkerOptions extends WorkerSettings {
	readonly access: NatsAccess;
	/** The group of equal workers. */
	readonly group: string;
	readonly hub: Hub;
	/** How long `close` waits for running calls. Default 12 s. */
	readonly drainMs?: number | undefined;
	readonly log: Log;
}

export class FabricWorker {
	readonly link: FabricLink;
	readonly #advertised = deferred();
	readonly #options: FabricWorkerOptions;
	readonly #runs: RemoteRunTable;
	readonly #presence: Presence;
	readonly #subscriptions = new Map<string, LinkSubscription>();
	#settings: WorkerSettings;
	#names: ReadonlySet<string> = new Set();
	/** The presence was written on this connection. */
	#isPresent = false;
	/** The administrator wants no more calls here. */
	#isDraining = false;
	/** The number of tools that was logged last. */
	#logged: number | undefined;
	/** The server does not let this worker answer. */
	#isRefused = false;
	#stopListening: () => void = () => {};
	#updating: Promise<void> = Promise.resolve();
	readonly #changes = new Debounce(() => void this.#update(), { quietMs: ADVERTISE_DEBOUNCE_MS });
	/** Its presence says that it is full: hubs that know it choose another one. */
	#saysFull = false;
	#sayingFull: NodeJS.Timeout | undefined;
	#closing: Promise<void> | undefined;

	constructor(options: FabricWorkerOptions) {
		const { access, hub, group, log } = options;
		this.#options = options;
		this.#settings = options;
		this.link = new FabricLink(access, log);
		const deps = { link: this.link, name: access.name, log };
		this.#runs = new RemoteRunTable({
			...deps,
			instance: randomId(),
			hub,
			isAdvertised: (tool) => this.#names.has(tool),
			onOrder: (order) => this.#carryOut(order),
			onFull: (isFull) => this.#onFull(isFull),
		});
		this.#runs.limits.set(options.limits ?? {});
		const facts = (): PresenceFacts => {
			this.#saysFull = this.#runs.limits.isFull;
			return {
				version: hub.info.version,
				labels: this.#settings.labels ?? [],
				running: this.running,
				...this.#runs.limits.announced,
				isDraining: this.#isDraining,
			};
		};
		const onStored = (): void => this.#subscribe();
		const onWritten = (): void => this.#logAdvertised();
		this.#presence = new Presence({ ...deps, group, facts, onStored, onWritten });
	}

	/** Resolves when the tools are advertised; rejects with `bad_input` when the servers cannot be used. */
	get advertised(): Promise<void> {
		return this.#advertised.promise;
	}

	/** The names of the tools that are advertised. */
	get tools(): readonly string[] {
		return [...this.#names];
	}

	/** The number of calls of other hubs that run. */
	get running(): number {
		return this.#runs.running;
	}

	/** The state for health, metrics and the dashboard. */
	overview(): WorkerOverview {
		const { access, group } = this.#options;
		const link = this.link.facts;
		const isReady = link.state === 'up' && this.#isPresent && !this.#isRefused && !this.#isDraining;
		return {
			name: access.name,
			group,
			link,
			tools: this.#names.size,
			isReady: isReady && this.#closing === undefined,
			isDraining: this.#isDraining,
			running: Object.fromEntries(this.#runs.limits.byHub),
			accepted: Object.fromEntries(this.#runs.accepted),
			refused: Object.fromEntries(this.#runs.refused),
		};
	}

	/** Connect and advertise. Returns when that is done, or is not possible yet. */
	async open(): Promise<void> {
		const { access, hub } = this.#options;
		this.link.subscribe(controlFor(access.name), (message) => this.#runs.onControl(message));
		this.link.listen({
			up: () => {
				this.#isRefused = false;
				this.#presence.forget();
				void this.#presence.refresh();
				this.#runs.onUp();
			},
			down: () => {
				this.#isPresent = false;
				this.#runs.onDown();
			},
			unusable: (error) => this.#advertised.reject(error),
			denied: (operation, subject) => {
				// The right to make the bucket is not that of a worker.
				if (operation === 'publish' && !subject.startsWith('$JS.')) this.#withdraw(subject);
			},
		});
		this.#stopListening = hub.watch(({ kind }) => {
			if (kind === 'tools') this.#changes.touch();
		});
		this.link.open();
		await this.#update();
	}

	/** Use other settings from now on. Running calls go on. */
	change(settings: WorkerSettings): Promise<void> {
		this.#settings = settings;
		this.#runs.limits.set(settings.limits ?? {});
		return this.#update();
	}

	/** Leave, finish the running calls, disconnect. Idempotent. */
	close(): Promise<void> {
		this.#closing ??= this.#close();
		return this.#closing;
	}

	async #close(): Promise<void> {
		this.#stopListening();
		this.#changes.close();
		clearTimeout(this.#sayingFull);
		await this.#updating;
		await this.#presence.close();
		// `nc.drain()` would lose the results of running calls: first the subscriptions, then the calls, then the link.
		const drained = [...this.#subscriptions.values()].map((subscription) => subscription.drain());
		// While the link is down they cannot be drained, and no call arrives.
		if (this.link.isUp) await within(Promise.all(drained), SERVER_REQUEST_MS);
		await this.#finishCalls();
		this.#runs.close();
		await this.link.close();
	}

	async #finishCalls(): Promise<void> {
		const { drainMs = HUB_DRAIN_MS, log } = this.#options;
		const report = (): void => {
			if (this.running > 0) log.info(`stopping: ${this.running} calls of other hubs still run`);
		};
		report();
		const reporting = setInterval(report, DRAIN_REPORT_MS);
		await this.#runs.drain(drainMs);
		clearInterval(reporting);
		if (this.running > 0) log.warn(`${this.running} calls of other hubs were ended after ${drainMs} ms`);
	}

	/** Until it is resumed or restarted, hubs do not see its tools and no call arrives. */
	async #carryOut(order: Order): Promise<string> {
		const { log } = this.#options;
		this.#isDraining = order === 'drain';
		log.info(this.#isDraining ? 'draining: the administrator said so' : 'calls are accepted again');
		if (order === 'resume') {
			this.#runs.resume();
			await this.#presence.refresh();
			return 'it accepts calls again';
		}
		await this.#presence.refresh();
		this.#unsubscribe();
		await this.#runs.drain(WORKER_DRAIN_MS);
		// So that the status does not show calls that have ended.
		await this.#presence.refresh();
		log.info('drained: no call runs');
		return 'it runs no calls';
	}

	/** A worker that is full for a moment does not say so. */
	#onFull(isFull: boolean): void {
		clearTimeout(this.#sayingFull);
		const refresh = (): void => void this.#presence.refresh();
		if (isFull) this.#sayingFull = setTimeout(refresh, PRESENCE_LOAD_MS).unref();
		else if (this.#saysFull) refresh();
	}

	#unsubscribe(): void {
		for (const subscription of this.#subscriptions.values()) void subscription.drain();
		this.#subscriptions.clear();
	}

	#update(): Promise<void> {
		this.#updating = this.#updating.then(() => this.#advertiseTools());
		return this.#updating;
	}

	async #advertiseTools(): Promise<void> {
		const { hub, log } = this.#options;
		try {
			const tools = await advertisedTools(hub, this.#settings.patterns);
			this.#names = new Set(tools.map(({ name }) => name));
			const subjects = new Set(this.#subjects());
			for (const [subject, subscription] of this.#subscriptions) {
				if (subjects.has(subject)) continue;
				this.#subscriptions.delete(subject);
				void subscription.drain();
			}
			const onLarge = (name: string): void =>
				log.warn(`the tool ${name} is not offered: its description is too large for the fabric`);
			await this.#presence.advertise(advertisementBodies(tools, onLarge));
		} catch (error) {
			log.warn(`the tools for the fabric could not be listed: ${messageOf(error)}`);
		}
	}

	#subscribe(): void {
		if (this.#isRefused || this.#isDraining || this.#closing !== undefined) return;
		for (const subject of this.#subjects()) {
			if (this.#subscriptions.has(subject)) continue;
			// Also those for this worker alone: else two processes of one name, or two connections of one process, would run each twice.
			const onCall = this.link.subscribe(subject, (message) => this.#runs.onCall(message), QUEUE_GROUP);
			this.#subscriptions.set(subject, onCall);
		}
	}

	/** Where calls for this worker arrive. */
	#subjects(): string[] {
		const { group } = this.#options;
		return [...[...this.#names].map((name) => callsFor(group, name)), this.#directSubject()];
	}

	#directSubject(): string {
		const { access, group } = this.#options;
		return directFor(group, access.name);
	}

	/** Equal workers get the calls until the next connection, or until the server stores the bodies again. */
	#withdraw(subject: string): void {
		const { access, log } = this.#options;
		this.#isRefused ||= subject.startsWith('orc.');
		this.#presence.forget();
		if (this.#subscriptions.size > 0)
			log.error(`no more calls are accepted: the NATS server does not permit ${access.name} to answer them`);
		this.#unsubscribe();
	}

	#logAdvertised(): void {
		this.#advertised.resolve();
		this.#isPresent = true;
		const { size } = this.#names;
		if (size !== this.#logged) this.#options.log.info(`offering ${size} tools to the fabric`);
		this.#logged = size;
	}
}
