/*
 * Whether a list of the catalogue has really changed.
 *
 * Backends report a change whenever they start; clients are notified of differences only.
 * Comparisons of one kind run one at a time: several plugins that start while the first
 * list is made would otherwise each find nothing to compare with, and count as news.
 */
import { createHash } from 'node:crypto';
import type { Change } from '../mcp/server/provider.ts';
import type { Awaitable } from '../protocol/mcp-types.ts';
import type { NamedList } from './named-list.ts';

/** The lists of a catalogue. */
export type CatalogueKind = 'tools' | 'prompts' | 'resources' | 'templates';
export type ListedChange = Exclude<Change, { kind: 'resource' }>;

type Given = Awaitable<NamedList<unknown>> | undefined;

/** Where the lists are. */
export interface ListSource {
	/** The list that clients were given; undefined when none was asked for. */
	given(kind: CatalogueKind): Given;
	/** Do not give the lists of this change any more. */
	forget(change: ListedChange): void;
	/** The list as it is now. */
	current(kind: CatalogueKind): Awaitable<NamedList<unknown>>;
}

export class ListDifferences {
	readonly #source: ListSource;
	/** Of the lists as they were last compared. */
	readonly #fingerprints = new Map<CatalogueKind, string>();
	/** In flight. */
	readonly #comparing = new Map<ListedChange['kind'], Promise<boolean>>();
	/** To be compared once more when the comparison in flight is done. */
	readonly #again = new Set<ListedChange['kind']>();

	constructor(source: ListSource) {
		this.#source = source;
	}

	/** True when the list differs from the one that was given last, or, at once, when none was given. */
	check(change: ListedChange): Awaitable<boolean> {
		const comparing = this.#comparing.get(change.kind);
		if (comparing) return this.#checkAfter(comparing, change);
		const kinds: readonly CatalogueKind[] =
			change.kind === 'resources' ? ['resources', 'templates'] : [change.kind];
		const given = kinds.map((kind) => this.#source.given(kind));
		this.#source.forget(change);
		if (kinds.every((kind, at) => given[at] === undefined && !this.#fingerprints.has(kind))) return true;
		return this.#compare(change, given);
	}

	#compare(change: ListedChange, given: readonly Given[]): Promise<boolean> {
		const differ = this.#differ(kindsOf(change), given).finally(() => this.#comparing.delete(change.kind));
		this.#comparing.set(change.kind, differ);
		return differ;
	}

	/** One more comparison follows, for all changes that come until then. */
	#checkAfter(comparing: Promise<boolean>, change: ListedChange): Awaitable<boolean> {
		this.#source.forget(change);
		if (this.#again.has(change.kind)) return false;
		this.#again.add(change.kind);
		const compareAgain = (): Awaitable<boolean> => {
			this.#again.delete(change.kind);
			this.#source.forget(change);
			// With the list of the last comparison: one that was asked for since then may have the change already.
			return this.#compare(change, []);
		};
		return comparing.then(compareAgain, compareAgain);
	}

	async #differ(kinds: readonly CatalogueKind[], given: readonly Given[]): Promise<boolean> {
		const differences = kinds.map(async (kind, at) => {
			const list = await given[at];
			if (list) this.#fingerprints.set(kind, fingerprintOf(list));
			const last = this.#fingerprints.get(kind);
			if (last === undefined) return true;
			const now = fingerprintOf(await this.#source.current(kind));
			this.#fingerprints.set(kind, now);
			return now !== last;
		});
		return (await Promise.all(differences)).includes(true);
	}
}

function kindsOf({ kind }: ListedChange): readonly CatalogueKind[] {
	return kind === 'resources' ? ['resources', 'templates'] : [kind];
}

function fingerprintOf({ items }: NamedList<unknown>): string {
	return createHash('sha256').update(JSON.stringify(items)).digest('base64');
}
