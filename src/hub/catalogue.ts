/*
 * The merged lists of all backends, cached until a backend changes.
 *
 * Backends are listed in parallel, each with a deadline. For a backend that fails or is
 * late, its last known items are used. A late answer is applied when it arrives, and
 * clients are notified. A request for an unknown item waits longer than a list, because a
 * late backend may have the item.
 */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { after } from '../mcp/server/methods.ts';
import type { Change } from '../mcp/server/provider.ts';
import type { Awaitable, Prompt, Resource, ResourceTemplate, Tool } from '../protocol/mcp-types.ts';
import { within } from '../rpc/clock.ts';
import type { Backend } from './backends/backend.ts';
import { type CatalogueKind, ListDifferences, type ListedChange } from './list-differences.ts';
import { type BackendItems, type MergedList, mergeByName, mergeByUri, type Route } from './merged-list.ts';
import { PartialList } from './partial-list.ts';

/** How long a list waits for a backend that has not answered, in milliseconds. */
export const LIST_WAIT_MS = 2000;
/** How long a request for an unknown item waits for late backends. */
const CALL_WAIT_MS = 10_000;

interface Lists {
	tools: MergedList<Tool>;
	prompts: MergedList<Prompt>;
	resources: MergedList<Resource>;
	templates: MergedList<ResourceTemplate>;
}

export interface CatalogueOptions {
	/** The current backends, in configuration order. */
	readonly backends: () => readonly Backend[];
	readonly log: Log;
	/** Default `LIST_WAIT_MS`. */
	readonly listWaitMs?: (() => number | undefined) | undefined;
	/** A late backend answered, and its items differ from those in the list. */
	readonly onLate: (change: Change) => void;
}

export class Catalogue {
	readonly #options: CatalogueOptions;
	readonly #backends: () => readonly Backend[];
	readonly #log: Log;
	/** Backends that missed their deadline and have not answered yet. */
	readonly #late = new Map<CatalogueKind, Map<Backend, Promise<void>>>();
	readonly #lists = new Map<CatalogueKind, Awaitable<Lists[CatalogueKind]>>();
	readonly #lastItems = new WeakMap<Backend, Map<CatalogueKind, readonly unknown[]>>();
	readonly #warned = new Set<string>();
	readonly #differences = new ListDifferences({
		given: (kind) => this.#lists.get(kind),
		forget: (change) => this.forget(change),
		current: (kind) => this[kind](),
	});
	/** The tools of the backends that have answered, while others have not. */
	#partial: PartialList<Tool> | undefined;

	constructor(options: CatalogueOptions) {
		this.#options = options;
		this.#backends = options.backends;
		this.#log = options.log;
	}

	/** How long a list waits for a backend, in milliseconds. */
	get waitMs(): number {
		return this.#options.listWaitMs?.() ?? LIST_WAIT_MS;
	}

	tools(): Awaitable<MergedList<Tool>> {
		return this.#list('tools', () => {
			const partial = new PartialList<Tool>();
			this.#partial = partial;
			const asked = this.#ask('tools', (backend) => backend.listTools?.(), partial);
			return after(asked, (offers) => {
				if (this.#partial === partial) this.#partial = undefined;
				return mergeByName(offers, this.#warn);
			});
		});
	}

	/** The route of a tool, as soon as it is known; a slow backend does not delay the tools of others. */
	tool(name: string): Awaitable<Route<Tool> | undefined> {
		const list = this.tools();
		const whole = this.search(['tools'], () => after(this.tools(), ({ routes }) => routes.get(name)));
		if (!(list instanceof Promise)) return whole;
		const partial = this.#partial?.find(() => this.#partialRoute(name));
		return partial ? Promise.race([partial, whole]) : whole;
	}

	/** What `look` finds in these lists; while it finds nothing, it is repeated when a late backend has answered. */
	search<T>(kinds: readonly CatalogueKind[], look: () => Awaitable<T | undefined>): Awaitable<T | undefined> {
		return after(look(), (found) => {
			if (found !== undefined || this.#lateAnswers(kinds).length === 0) return found;
			return within(this.#whenLate(kinds, look), CALL_WAIT_MS, false);
		});
	}

	async #whenLate<T>(
		kinds: readonly CatalogueKind[],
		look: () => Awaitable<T | undefined>,
	): Promise<T | undefined> {
		for (;;) {
			const found = await look();
			const late = this.#lateAnswers(kinds);
			if (found !== undefined || late.length === 0) return found;
			await Promise.race(late); // each removes itself from the map before it resolves
		}
	}

	#lateAnswers(kinds: readonly CatalogueKind[]): Promise<void>[] {
		return kinds.flatMap((kind) => [...this.#lateBackends(kind).values()]);
	}

	/** The last known items stand in for backends that have not answered, so that names stay with their backends. */
	#partialRoute(name: string): Route<Tool> | undefined {
		const offers = this.#backends().map((backend): BackendItems<Tool> => {
			const last = this.#lastItems.get(backend)?.get('tools') ?? [];
			// The items of a kind come from the same list function.
			return { backend, items: this.#partial?.of(backend) ?? (last as readonly Tool[]) };
		});
		return mergeByName(offers, () => {}).routes.get(name);
	}

	prompts(): Awaitable<MergedList<Prompt>> {
		return this.#list('prompts', () =>
			after(
				this.#ask('prompts', (backend) => backend.listPrompts?.()),
				(offers) => mergeByName(offers, this.#warn),
			),
		);
	}

	/** The route of a prompt. */
	prompt(name: string): Awaitable<Route<Prompt> | undefined> {
		return this.search(['prompts'], () => after(this.prompts(), ({ routes }) => routes.get(name)));
	}

	resources(): Awaitable<MergedList<Resource>> {
		return this.#list('resources', () =>
			after(
				this.#ask('resources', (backend) => backend.listResources?.()),
				(offers) => mergeByUri(offers, 'uri', this.#warn),
			),
		);
	}

	templates(): Awaitable<MergedList<ResourceTemplate>> {
		return this.#list('templates', () =>
			after(
				this.#ask('templates', (backend) => backend.listResourceTemplates?.()),
				(offers) => mergeByUri(offers, 'uriTemplate', this.#warn),
			),
		);
	}

	/** Invalidate the lists that a change concerns. */
	forget(change: Change): void {
		if (change.kind === 'resource' || change.kind === 'log') return;
		this.#lists.delete(change.kind);
		if (change.kind === 'resources') this.#lists.delete('templates');
	}

	/** Something may have changed. True when clients have to know of it. */
	hasChanged(change: ListedChange): Awaitable<boolean> {
		return this.#differences.check(change);
	}

	#list<K extends CatalogueKind>(kind: K, load: () => Awaitable<Lists[K]>): Awaitable<Lists[K]> {
		// The map holds the result of `load` of the same kind.
		const known = this.#lists.get(kind) as Awaitable<Lists[K]> | undefined;
		if (known !== undefined) return known;
		const loading = load();
		this.#lists.set(kind, loading);
		if (!(loading instanceof Promise)) return loading;
		return loading.then((list) => {
			// A settled list is returned synchronously.
			if (this.#lists.get(kind) === loading) this.#lists.set(kind, list);
			return list;
		});
	}

	#ask<T>(
		kind: CatalogueKind,
		list: (backend: Backend) => Awaitable<readonly T[]> | undefined,
		partial?: PartialList<T>,
	): Awaitable<BackendItems<T>[]> {
		const backends = this.#backends();
		const asked = backends.map((backend) =>
			after(this.#askOne(kind, backend, list), (offer) => {
				partial?.add(offer);
				return offer;
			}),
		);
		// Synchronous when every backend answered synchronously.
		const isThere = asked.every((offer): offer is BackendItems<T> => !(offer instanceof Promise));
		const offers = isThere ? asked : Promise.all(asked.map((offer) => Promise.resolve(offer)));
		return after(offers, (all) => {
			// After the response.
			setImmediate(() => {
				for (const backend of backends) backend.listAnswered?.();
			});
			return all;
		});
	}

	#askOne<T>(
		kind: CatalogueKind,
		backend: Backend,
		list: (backend: Backend) => Awaitable<readonly T[]> | undefined,
	): Awaitable<BackendItems<T>> {
		if (this.#lateBackends(kind).has(backend)) return this.#lastItemsOf(kind, backend);
		try {
			const offered = list(backend) ?? [];
			if (!(offered instanceof Promise)) return { backend, items: offered };
			return this.#await(kind, backend, offered);
		} catch (error) {
			return this.#fallBack(kind, backend, error);
		}
	}

	async #await<T>(
		kind: CatalogueKind,
		backend: Backend,
		offered: Promise<readonly T[]>,
	): Promise<BackendItems<T>> {
		const { waitMs } = this;
		const answered = offered.then(
			(items) => this.#remember(kind, backend, items),
			(error: unknown) => this.#fallBack<T>(kind, backend, error),
		);
		const offer = await within(answered, waitMs, false);
		if (offer !== undefined) return offer;
		this.#log.info(
			`${backend.id} did not list its ${kind} within ${waitMs} ms; they follow when it is ready`,
		);
		const known = this.#lastItemsOf<T>(kind, backend);
		this.#awaitLate(kind, known, answered);
		return known;
	}

	#awaitLate<T>(
		kind: CatalogueKind,
		{ backend, items }: BackendItems<T>,
		answered: Promise<BackendItems<T>>,
	): void {
		const late = this.#lateBackends(kind);
		const settled = answered.then((offer) => {
			late.delete(backend);
			const isSame = JSON.stringify(offer.items) === JSON.stringify(items);
			if (!isSame && this.#backends().includes(backend))
				this.#options.onLate({ kind: kind === 'templates' ? 'resources' : kind });
		});
		late.set(backend, settled);
	}

	#lateBackends(kind: CatalogueKind): Map<Backend, Promise<void>> {
		const late = this.#late.get(kind) ?? new Map<Backend, Promise<void>>();
		this.#late.set(kind, late);
		return late;
	}

	#remember<T>(kind: CatalogueKind, backend: Backend, items: readonly T[]): BackendItems<T> {
		const offers = this.#lastItems.get(backend) ?? new Map<CatalogueKind, readonly unknown[]>();
		this.#lastItems.set(backend, offers.set(kind, items));
		return { backend, items };
	}

	#fallBack<T>(kind: CatalogueKind, backend: Backend, error: unknown): BackendItems<T> {
		const message = `${backend.id} could not list its ${kind}: ${messageOf(error)}`;
		// A backend that is down was logged before, and a removed backend is expected to end.
		const isNews = backend.downReason === undefined && this.#backends().includes(backend);
		if (isNews) this.#log.warn(message);
		else this.#log.debug(message);
		return this.#lastItemsOf(kind, backend);
	}

	#lastItemsOf<T>(kind: CatalogueKind, backend: Backend): BackendItems<T> {
		// The items of a kind come from the same list function.
		return { backend, items: (this.#lastItems.get(backend)?.get(kind) ?? []) as readonly T[] };
	}

	readonly #warn = (text: string): void => {
		if (this.#warned.has(text)) return;
		this.#warned.add(text);
		this.#log.warn(text);
	};
}
