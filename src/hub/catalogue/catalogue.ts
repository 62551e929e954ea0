/*
 * The merged lists of all sources, cached until a source changes.
 *
 * Sources are listed in parallel, each with a deadline; the files of this machine, tools
 * and library, are always waited for. For a source that fails or is late, its last known
 * items are used. A late answer is applied when it arrives, and
 * clients are notified. A request for an unknown item waits longer than a list, because a
 * late source may have the item.
 */
import { LIST_WAIT_MS } from '../../config/defaults.ts';
import { messageOf } from '../../errors.ts';
import { type Log, loggedOnce } from '../../log.ts';
import { after } from '../../mcp/server/methods.ts';
import type { Change } from '../../mcp/server/provider.ts';
import { type Item, type ItemKind, type ItemTypes, lists } from '../../protocol/item-lists.ts';
import type { Awaitable, Prompt, Tool } from '../../protocol/mcp-types.ts';
import { within } from '../../rpc/clock.ts';
import { CALL_WAIT_MS, FILES_WAIT_MS } from '../hub-limits.ts';
import { able, type Source, type SourceKind } from '../source.ts';
import { downReasonOf } from '../source-status.ts';
import { ListDifferences, type ListedChange } from './list-differences.ts';
import { type MergedList, mergeByName, mergeByUri, type Route, type SourceItems } from './merged-list.ts';
import { PartialList } from './partial-list.ts';

/** Sources that only read files. */
const fileKinds: ReadonlySet<SourceKind> = new Set([
	'tools',
	'library',
	'skills',
	'storage',
	'results',
	'tasks',
	'plans',
]);

type NamedItem = Tool | Prompt;

/** The keys of this table are the kinds. */
const listEntries = Object.entries(lists) as [ItemKind, (typeof lists)[ItemKind]][];

export interface CatalogueOptions {
	/** The current sources, in configuration order. */
	readonly sources: () => readonly Source[];
	readonly log: Log;
	/** Default `LIST_WAIT_MS`. */
	readonly listWaitMs?: (() => number | undefined) | undefined;
	/** A late source answered, and its items differ from those in the list. */
	readonly onLate: (change: Change) => void;
}

export class Catalogue {
	readonly #options: CatalogueOptions;
	readonly #sources: () => readonly Source[];
	readonly #log: Log;
	/** Sources that missed their deadline and have not answered yet. */
	readonly #late = new Map<ItemKind, Map<Source, Promise<void>>>();
	readonly #lists = new Map<ItemKind, Awaitable<MergedList<Item>>>();
	#generation = 0;
	readonly #lastItems = new WeakMap<Source, Map<ItemKind, readonly unknown[]>>();
	readonly #differences = new ListDifferences(this);
	readonly #warn = loggedOnce((text) => this.#log.warn(text));
	/** The tools of the sources that have answered, while others have not. */
	#partial: PartialList<Tool> | undefined;

	constructor(options: CatalogueOptions) {
		this.#options = options;
		this.#sources = options.sources;
		this.#log = options.log;
	}

	/** How long a list waits for a source, in milliseconds. */
	get waitMs(): number {
		return this.#options.listWaitMs?.() ?? LIST_WAIT_MS;
	}

	/** The list that clients received; undefined when none was requested. */
	given(kind: ItemKind): Awaitable<MergedList<unknown>> | undefined {
		return this.#lists.get(kind);
	}

	/** The merged list of a kind. */
	list<K extends ItemKind>(kind: K): Awaitable<MergedList<ItemTypes[K]>> {
		type Merged = MergedList<ItemTypes[K]>;
		// The map holds the list of the same kind.
		const known = this.#lists.get(kind) as Awaitable<Merged> | undefined;
		if (known !== undefined) return known;
		// The merged items are those of the kind.
		const loading = this.#load(kind) as Awaitable<Merged>;
		this.#lists.set(kind, loading);
		if (!(loading instanceof Promise)) return loading;
		return loading.then((list) => {
			// A settled list is returned synchronously.
			if (this.#lists.get(kind) === loading) this.#lists.set(kind, list);
			return list;
		});
	}

	/** The route of a tool or prompt, as soon as it is known; a slow source does not delay the tools of others. */
	find<K extends 'tools' | 'prompts'>(kind: K, name: string): Awaitable<Route<ItemTypes[K]> | undefined> {
		const list = this.list(kind);
		const whole = this.search([kind], () => after(this.list(kind), ({ routes }) => routes.get(name)));
		if (kind !== 'tools' || !(list instanceof Promise)) return whole;
		// The kind is that of the tools.
		const look = () => this.toolsSoFar().routes.get(name) as Route<ItemTypes[K]> | undefined;
		const partial = this.#partial?.find(look);
		return partial ? Promise.race([partial, whole]) : whole;
	}

	/** The value that `look` finds in these lists; while it finds nothing, it is repeated when a late source has answered. */
	search<T>(
		kinds: readonly ItemKind[],
		look: () => Awaitable<T | undefined>,
		waitMs: number = CALL_WAIT_MS,
	): Awaitable<T | undefined> {
		return after(look(), (found) => {
			if (found !== undefined || this.#lateAnswers(kinds).length === 0) return found;
			return within(this.#whenLate(kinds, look), waitMs, false);
		});
	}

	/** Resolves when a source that missed its deadline for these items has answered or failed; undefined when none is late. */
	nextAnswer(kind: ItemKind): Promise<void> | undefined {
		const late = this.#lateAnswers([kind]);
		return late.length === 0 ? undefined : Promise.race(late);
	}

	async #whenLate<T>(
		kinds: readonly ItemKind[],
		look: () => Awaitable<T | undefined>,
	): Promise<T | undefined> {
		for (;;) {
			const found = await look();
			const late = this.#lateAnswers(kinds);
			if (found !== undefined || late.length === 0) return found;
			await Promise.race(late); // each removes itself from the map before it resolves
		}
	}

	#lateAnswers(kinds: readonly ItemKind[]): Promise<void>[] {
		return kinds.flatMap((kind) => [...this.#lateSources(kind).values()]);
	}

	/** The tools of the sources that have answered; the last known ones of the others, so that names stay with their sources. */
	toolsSoFar(): MergedList<Tool> {
		// The map holds the list of the same kind.
		const list = this.#lists.get('tools') as Awaitable<MergedList<Tool>> | undefined;
		if (list !== undefined && !(list instanceof Promise)) return list;
		const sourceItems = this.#sources().map((source): SourceItems<Tool> => {
			const last = this.#lastItems.get(source)?.get('tools') ?? [];
			// The items of a kind come from the same list function.
			return { source, items: this.#partial?.of(source) ?? (last as readonly Tool[]) };
		});
		return mergeByName(sourceItems, () => {});
	}

	/** Changes whenever a list may have changed. */
	get generation(): number {
		return this.#generation;
	}

	/** Invalidate the lists that a change concerns. */
	forget(change: Change): void {
		if (change.kind === 'resource' || change.kind === 'log') return;
		this.#generation++;
		for (const [kind, { change: list }] of listEntries) if (list === change.kind) this.#lists.delete(kind);
	}

	/** Something may have changed. True when clients have to know of it. */
	hasChanged(change: ListedChange): Awaitable<boolean> {
		return this.#differences.check(change);
	}

	#load(kind: ItemKind): Awaitable<MergedList<Item>> {
		const partial = kind === 'tools' ? new PartialList<Tool>() : undefined;
		if (partial) this.#partial = partial;
		return after(this.#itemsOf(kind, partial), (sourceItems) => {
			if (partial && this.#partial === partial) this.#partial = undefined;
			return this.#merge(kind, sourceItems);
		});
	}

	#merge(kind: ItemKind, sourceItems: readonly SourceItems<Item>[]): MergedList<Item> {
		const { key } = lists[kind];
		// Every item has the key of its kind: it came from a list of that kind.
		return key === 'name'
			? mergeByName(sourceItems as readonly SourceItems<NamedItem>[], this.#warn)
			: mergeByUri(sourceItems as readonly SourceItems<Item & Record<typeof key, string>>[], key, this.#warn);
	}

	#itemsOf(kind: ItemKind, partial: PartialList<Tool> | undefined): Awaitable<SourceItems<Item>[]> {
		const sources = this.#sources();
		const lists = sources.map((source) =>
			after(this.#itemsFrom(kind, source), (ofSource) => {
				// There is one for tools alone.
				partial?.add(ofSource as SourceItems<Tool>);
				return ofSource;
			}),
		);
		// Synchronous when every source answered synchronously.
		const isThere = lists.every((ofSource): ofSource is SourceItems<Item> => !(ofSource instanceof Promise));
		const sourceItems = isThere ? lists : Promise.all(lists.map((ofSource) => Promise.resolve(ofSource)));
		return after(sourceItems, (all) => {
			// After the response.
			setImmediate(() => {
				for (const source of sources) able(source, 'learn')?.listAnswered();
			});
			return all;
		});
	}

	#itemsFrom(kind: ItemKind, source: Source): Awaitable<SourceItems<Item>> {
		if (!source.capabilities.includes(lists[kind].capability)) return { source, items: [] };
		if (this.#lateSources(kind).has(source)) return this.#lastItemsOf(kind, source);
		try {
			const listed = source.list(kind);
			if (!(listed instanceof Promise)) return { source, items: listed };
			return this.#await(kind, source, listed);
		} catch (error) {
			return this.#fallBack(kind, source, error);
		}
	}

	async #await<T>(kind: ItemKind, source: Source, listed: Promise<readonly T[]>): Promise<SourceItems<T>> {
		const waitMs = fileKinds.has(source.kind) ? FILES_WAIT_MS : this.waitMs;
		const answered = listed.then(
			(items) => this.#remember(kind, source, items),
			(error: unknown) => this.#fallBack<T>(kind, source, error),
		);
		const ofSource = await within(answered, waitMs, false);
		if (ofSource !== undefined) return ofSource;
		this.#log.info(`${source.id} did not list its ${kind} within ${waitMs} ms; they follow when it is ready`);
		const known = this.#lastItemsOf<T>(kind, source);
		this.#awaitLate(kind, known, answered);
		return known;
	}

	#awaitLate<T>(kind: ItemKind, { source, items }: SourceItems<T>, answered: Promise<SourceItems<T>>): void {
		const late = this.#lateSources(kind);
		const settled = answered.then((ofSource) => {
			late.delete(source);
			const isSame = JSON.stringify(ofSource.items) === JSON.stringify(items);
			if (!isSame && this.#sources().includes(source)) this.#options.onLate({ kind: lists[kind].change });
		});
		late.set(source, settled);
	}

	#lateSources(kind: ItemKind): Map<Source, Promise<void>> {
		const late = this.#late.get(kind) ?? new Map<Source, Promise<void>>();
		this.#late.set(kind, late);
		return late;
	}

	#remember<T>(kind: ItemKind, source: Source, items: readonly T[]): SourceItems<T> {
		const sourceItems = this.#lastItems.get(source) ?? new Map<ItemKind, readonly unknown[]>();
		this.#lastItems.set(source, sourceItems.set(kind, items));
		return { source, items };
	}

	#fallBack<T>(kind: ItemKind, source: Source, error: unknown): SourceItems<T> {
		const message = `${source.id} could not list its ${kind}: ${messageOf(error)}`;
		// A source that is down was logged before, and a removed source is expected to end.
		const isNews = downReasonOf(source) === undefined && this.#sources().includes(source);
		if (isNews) this.#log.warn(message);
		else this.#log.debug(message);
		return this.#lastItemsOf(kind, source);
	}

	#lastItemsOf<T>(kind: ItemKind, source: Source): SourceItems<T> {
		// The items of a kind come from the same list function.
		return { source, items: (this.#lastItems.get(source)?.get(kind) ?? []) as readonly T[] };
	}
}
