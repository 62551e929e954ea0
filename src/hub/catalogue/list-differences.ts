/*
 * Detects whether a list of the catalogue really differs.
 *
 * Sources report a change whenever they start; clients are notified of differences only.
 * Comparisons of one kind run one at a time: otherwise several plugins that start during
 * the first list would each find no list to compare with and count as a change.
 */
import { sha256 } from '../../files/sha256.ts';
import type { Change } from '../../mcp/server/provider.ts';
import type { ItemKind } from '../../protocol/item-lists.ts';
import type { Awaitable } from '../../protocol/mcp-types.ts';
import type { Catalogue } from './catalogue.ts';
import type { MergedList } from './merged-list.ts';

/** A change of a list. */
export type ListedChange = Exclude<Change, { kind: 'resource' | 'log' }>;

type Given = ReturnType<Catalogue['given']>;

export class ListDifferences {
	readonly #catalogue: Catalogue;
	/** The fingerprint of each list when it was last compared. */
	readonly #fingerprints = new Map<ItemKind, string>();
	/** Comparisons in flight. */
	readonly #comparing = new Map<ListedChange['kind'], Promise<boolean>>();
	/** Kinds to compare once more after the comparison in flight. */
	readonly #again = new Set<ListedChange['kind']>();

	constructor(catalogue: Catalogue) {
		this.#catalogue = catalogue;
	}

	/** True when the list differs from the last one, or, synchronously, when there was none. */
	check(change: ListedChange): Awaitable<boolean> {
		const comparing = this.#comparing.get(change.kind);
		if (comparing) return this.#checkAfter(comparing, change);
		const kinds = kindsOf(change);
		const given = kinds.map((kind) => this.#catalogue.given(kind));
		this.#catalogue.forget(change);
		if (kinds.every((kind, at) => given[at] === undefined && !this.#fingerprints.has(kind))) return true;
		return this.#compare(change, given);
	}

	#compare(change: ListedChange, given: readonly Given[]): Promise<boolean> {
		const differ = this.#differ(kindsOf(change), given).finally(() => this.#comparing.delete(change.kind));
		this.#comparing.set(change.kind, differ);
		return differ;
	}

	/** One more comparison follows for all changes during the one in flight. */
	#checkAfter(comparing: Promise<boolean>, change: ListedChange): Awaitable<boolean> {
		this.#catalogue.forget(change);
		if (this.#again.has(change.kind)) return false;
		this.#again.add(change.kind);
		const compareAgain = (): Awaitable<boolean> => {
			this.#again.delete(change.kind);
			this.#catalogue.forget(change);
			// Compare with the fingerprint of the last comparison: a list requested since then may contain the change.
			return this.#compare(change, []);
		};
		return comparing.then(compareAgain, compareAgain);
	}

	async #differ(kinds: readonly ItemKind[], given: readonly Given[]): Promise<boolean> {
		const differences = kinds.map(async (kind, at) => {
			const list = await given[at];
			if (list) this.#fingerprints.set(kind, fingerprintOf(list));
			const last = this.#fingerprints.get(kind);
			if (last === undefined) return true;
			const now = fingerprintOf(await this.#catalogue.list(kind));
			this.#fingerprints.set(kind, now);
			return now !== last;
		});
		return (await Promise.all(differences)).includes(true);
	}
}

function kindsOf({ kind }: ListedChange): readonly ItemKind[] {
	return kind === 'resources' ? ['resources', 'templates'] : [kind];
}

function fingerprintOf({ items }: MergedList<unknown>): string {
	return sha256(JSON.stringify(items));
}
