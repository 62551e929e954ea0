/*
 * All that there is to call, over all backends, kept until something changes.
 *
 * Backends are asked in parallel, each with a deadline. One that fails or is late
 * keeps what it offered last and never hides the others. The answer of a late backend
 * is still taken when it comes: the list is then changed. A call of a tool that no list
 * has waits longer than a list does, because a late backend may have it.
 */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { after } from '../mcp/server/methods.ts';
import type { Change } from '../mcp/server/provider.ts';
import type { Awaitable, Prompt, Resource, ResourceTemplate, Tool } from '../protocol/mcp-types.ts';
import { within } from '../rpc/clock.ts';
import type { Backend } from './backends/backend.ts';
import { type CatalogueKind, ListDifferences, type ListedChange } from './list-differences.ts';
import { mergeByName, mergeByUri, type NamedList, type Offer, type Route } from './named-list.ts';
import { EarlyOffers } from './orchestrator/early-offers.ts';

/** How long a list waits for a backend that has not said what it offers, in milliseconds. */
export const LIST_WAIT_MS = 2000;
/** How long the call of an unknown tool waits for backends that are late. */
const CALL_WAIT_MS = 10_000;

interface Lists {
	tools: NamedList<Tool>;
	prompts: NamedList<Prompt>;
	resources: NamedList<Resource>;
	templates: NamedList<ResourceTemplate>;
}

export interface CatalogueOptions {
	/** In configuration order, asked anew each time. */
	readonly backends: () => readonly Backend[];
	readonly log: Log;
	/** Default `LIST_WAIT_MS`. */
	readonly listWaitMs?: (() => number | undefined) | undefined;
	/** A backend answered after a list was given out without it, and that list is different now. */
	readonly onLate: (change: Change) => void;
}

export class Catalogue {
	readonly #options: CatalogueOptions;
	readonly #backends: () => readonly Backend[];
	readonly #log: Log;
	/** Backends whose answer is still to come, after their deadline. */
	readonly #late = new Map<CatalogueKind, Map<Backend, Promise<void>>>();
	readonly #lists = new Map<CatalogueKind, Awaitable<Lists[CatalogueKind]>>();
	readonly #lastOffers = new WeakMap<Backend, Map<CatalogueKind, readonly unknown[]>>();
	readonly #warned = new Set<string>();
	readonly #differences = new ListDifferences({
		given: (kind) => this.#lists.get(kind),
		forget: (change) => this.forget(change),
		current: (kind) => this[kind](),
	});
	/** The tools that are known while some backends have not answered yet. */
	#early: EarlyOffers<Tool> | undefined;

	constructor(options: CatalogueOptions) {
		this.#options = options;
		this.#backends = options.backends;
		this.#log = options.log;
	}

	tools(): Awaitable<NamedList<Tool>> {
		return this.#list('tools', () => {
			const early = new EarlyOffers<Tool>();
			this.#early = early;
			const asked = this.#ask('tools', (backend) => backend.listTools?.(), early);
			return after(asked, (offers) => {
				if (this.#early === early) this.#early = undefined;
				return mergeByName(offers, this.#warn);
			});
		});
	}

	/** Where a tool is; told as soon as it is known, however long other backends take to say what they offer. */
	tool(name: string): Awaitable<Route<Tool> | undefined> {
		const list = this.tools();
		if (!(list instanceof Promise)) return list.routes.get(name) ?? this.#lateTool(name);
		const early = this.#early?.find(() => this.#routeSoFar(name));
		const whole = list.then(({ routes }) => routes.get(name) ?? this.#lateTool(name));
		return early ? Promise.race([early, whole]) : whole;
	}

	/** A tool of a backend that is late, once that one has answered. */
	#lateTool(name: string): Awaitable<Route<Tool> | undefined> {
		if (this.#lateOnes('tools').size === 0) return undefined;
		return within(this.#whenLate(name), CALL_WAIT_MS, false);
	}

	async #whenLate(name: string): Promise<Route<Tool> | undefined> {
		for (;;) {
			const route = (await this.tools()).routes.get(name);
			const late = [...this.#lateOnes('tools').values()];
			if (route !== undefined || late.length === 0) return route;
			await Promise.race(late); // each takes itself out of the table before it resolves
		}
	}

	/** With what backends offered last in place of what they have not said yet, so that names do not change hands. */
	#routeSoFar(name: string): Route<Tool> | undefined {
		const offers = this.#backends().map((backend): Offer<Tool> => {
			const last = this.#lastOffers.get(backend)?.get('tools') ?? [];
			// What was remembered under a kind came from the same list function.
			return { backend, items: this.#early?.of(backend) ?? (last as readonly Tool[]) };
		});
		return mergeByName(offers, () => {}).routes.get(name);
	}

	prompts(): Awaitable<NamedList<Prompt>> {
		return this.#list('prompts', () =>
			after(
				this.#ask('prompts', (backend) => backend.listPrompts?.()),
				(offers) => mergeByName(offers, this.#warn),
			),
		);
	}

	resources(): Awaitable<NamedList<Resource>> {
		return this.#list('resources', () =>
			after(
				this.#ask('resources', (backend) => backend.listResources?.()),
				(offers) => mergeByUri(offers, ({ uri }) => uri, this.#warn),
			),
		);
	}

	templates(): Awaitable<NamedList<ResourceTemplate>> {
		return this.#list('templates', () =>
			after(
				this.#ask('templates', (backend) => backend.listResourceTemplates?.()),
				(offers) => mergeByUri(offers, ({ uriTemplate }) => uriTemplate, this.#warn),
			),
		);
	}

	/** Something changed: the lists concerned are asked for again when they are next wanted. */
	forget(change: Change): void {
		if (change.kind === 'resource') return;
		this.#lists.delete(change.kind);
		if (change.kind === 'resources') this.#lists.delete('templates');
	}

	/** Something may have changed. True when clients have to know of it. */
	hasChanged(change: ListedChange): Awaitable<boolean> {
		return this.#differences.check(change);
	}

	#list<K extends CatalogueKind>(kind: K, load: () => Awaitable<Lists[K]>): Awaitable<Lists[K]> {
		// The map holds under each kind what `load` of that kind gave.
		const known = this.#lists.get(kind) as Awaitable<Lists[K]> | undefined;
		if (known !== undefined) return known;
		const loading = load();
		this.#lists.set(kind, loading);
		if (!(loading instanceof Promise)) return loading;
		return loading.then((list) => {
			// Once it is there, nobody waits a turn for it any more.
			if (this.#lists.get(kind) === loading) this.#lists.set(kind, list);
			return list;
		});
	}

	#ask<T>(
		kind: CatalogueKind,
		list: (backend: Backend) => Awaitable<readonly T[]> | undefined,
		early?: EarlyOffers<T>,
	): Awaitable<Offer<T>[]> {
		const backends = this.#backends();
		const asked = backends.map((backend) =>
			after(this.#askOne(kind, backend, list), (offer) => {
				early?.add(offer);
				return offer;
			}),
		);
		// When every answer is there, nobody waits a turn for the list.
		const isThere = asked.every((offer): offer is Offer<T> => !(offer instanceof Promise));
		return isThere ? asked : Promise.all(asked.map((offer) => Promise.resolve(offer)));
	}

	#askOne<T>(
		kind: CatalogueKind,
		backend: Backend,
		list: (backend: Backend) => Awaitable<readonly T[]> | undefined,
	): Awaitable<Offer<T>> {
		if (this.#lateOnes(kind).has(backend)) return this.#lastOffer(kind, backend);
		try {
			const offered = list(backend) ?? [];
			if (!(offered instanceof Promise)) return { backend, items: offered };
			return this.#await(kind, backend, offered);
		} catch (error) {
			return this.#fallBack(kind, backend, error);
		}
	}

	async #await<T>(kind: CatalogueKind, backend: Backend, offered: Promise<readonly T[]>): Promise<Offer<T>> {
		const waitMs = this.#options.listWaitMs?.() ?? LIST_WAIT_MS;
		const answered = offered.then(
			(items) => this.#remember(kind, backend, items),
			(error: unknown) => this.#fallBack<T>(kind, backend, error),
		);
		const offer = await within(answered, waitMs, false);
		if (offer !== undefined) return offer;
		this.#log.info(
			`${backend.id} did not list its ${kind} within ${waitMs} ms; they follow when it is ready`,
		);
		const known = this.#lastOffer<T>(kind, backend);
		this.#awaitLate(kind, known, answered);
		return known;
	}

	#awaitLate<T>(kind: CatalogueKind, { backend, items }: Offer<T>, answered: Promise<Offer<T>>): void {
		const late = this.#lateOnes(kind);
		const settled = answered.then((offer) => {
			late.delete(backend);
			const isSame = JSON.stringify(offer.items) === JSON.stringify(items);
			if (!isSame && this.#backends().includes(backend))
				this.#options.onLate({ kind: kind === 'templates' ? 'resources' : kind });
		});
		late.set(backend, settled);
	}

	#lateOnes(kind: CatalogueKind): Map<Backend, Promise<void>> {
		const late = this.#late.get(kind) ?? new Map<Backend, Promise<void>>();
		this.#late.set(kind, late);
		return late;
	}

	#remember<T>(kind: CatalogueKind, backend: Backend, items: readonly T[]): Offer<T> {
		const offers = this.#lastOffers.get(backend) ?? new Map<CatalogueKind, readonly unknown[]>();
		this.#lastOffers.set(backend, offers.set(kind, items));
		return { backend, items };
	}

	#fallBack<T>(kind: CatalogueKind, backend: Backend, error: unknown): Offer<T> {
		const message = `${backend.id} could not list its ${kind}: ${messageOf(error)}`;
		// A backend that is down has said so itself.
		if (backend.trouble === undefined) this.#log.warn(message);
		else this.#log.debug(message);
		return this.#lastOffer(kind, backend);
	}

	#lastOffer<T>(kind: CatalogueKind, backend: Backend): Offer<T> {
		// What was remembered under a kind came from the same list function.
		return { backend, items: (this.#lastOffers.get(backend)?.get(kind) ?? []) as readonly T[] };
	}

	readonly #warn = (text: string): void => {
		if (this.#warned.has(text)) return;
		this.#warned.add(text);
		this.#log.warn(text);
	};
}
