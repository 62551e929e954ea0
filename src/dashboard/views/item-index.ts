/*
 * The index over prompts, resources and templates, for the search of the page. Tools
 * have an index of their own, which knows more about them.
 *
 * It is compared with the list when a search comes after a change, in slices. It matches
 * words, their forms and synonyms; the word vectors are not loaded a second time.
 */

import { DOCUMENT_DESCRIPTION_CHARACTERS } from '../../hub/expose/expose-limits.ts';
import { readSynonyms } from '../../library/files/word-list-files.ts';
import { inOrder } from '../../rpc/in-order.ts';
import { WorkSlices } from '../../rpc/work-slices.ts';
import type { SearchField, SearchHit } from '../../search/document.ts';
import { SearchIndex } from '../../search/index/search-index.ts';
import type { CatalogueKind } from '../api/api-catalogue.ts';

const fields: Readonly<Record<string, SearchField>> = {
	name: { weight: 5, typicalWords: 4 },
	title: { weight: 3, typicalWords: 4 },
	description: { weight: 1.5, typicalWords: 30 },
};

export interface IndexedItem {
	readonly kind: CatalogueKind;
	/** A name or a URI. */
	readonly name: string;
	readonly title: string;
	readonly description: string;
}

/** A hit, whose id is a kind and a name. */
export interface ItemHit extends SearchHit {
	readonly kind: CatalogueKind;
	readonly name: string;
}

export class ItemIndex {
	readonly #index = new SearchIndex(fields);
	/** The indexed items by id. */
	readonly #items = new Map<string, IndexedItem>();
	#list: readonly IndexedItem[] | undefined;
	/** Searches and preparations, one after the other. */
	readonly #inOrder = inOrder();

	/** The best items of a kind, best first. `list` is the whole list; the same array is not compared again. */
	search(
		list: readonly IndexedItem[],
		{ query, kind, limit }: { query: string; kind: CatalogueKind; limit: number },
	): Promise<ItemHit[]> {
		return this.#inOrder(async () => {
			await this.#update(list);
			const accept = (id: string): boolean => this.#items.get(id)?.kind === kind;
			const { hits } = this.#index.search(query, { limit, accept });
			return hits.map((hit) => ({ ...hit, kind, name: this.#items.get(hit.id)?.name ?? '' }));
		});
	}

	/** Index the whole list: a search that follows does not wait for it. */
	prepare(list: readonly IndexedItem[]): Promise<void> {
		return this.#inOrder(() => this.#update(list));
	}

	async #update(list: readonly IndexedItem[]): Promise<void> {
		if (this.#list === list) return;
		if (this.#index.size === 0) this.#index.useSynonyms(readSynonyms());
		this.#list = undefined; // until the update is complete
		const slices = new WorkSlices();
		const ids = new Set(list.map(idOf));
		for (const id of [...this.#items.keys()].filter((each) => !ids.has(each))) {
			this.#items.delete(id);
			this.#index.remove(id);
			if (slices.isOver) await slices.next();
		}
		for (const item of list) {
			if (slices.isOver) await slices.next();
			this.#add(item);
		}
		this.#list = list;
	}

	#add(item: IndexedItem): void {
		const id = idOf(item);
		const known = this.#items.get(id);
		this.#items.set(id, item);
		if (known?.title === item.title && known.description === item.description) return;
		const { name, title, description } = item;
		this.#index.add({
			id,
			fields: { name, title, description: description.slice(0, DOCUMENT_DESCRIPTION_CHARACTERS) },
		});
	}
}

function idOf({ kind, name }: IndexedItem): string {
	return `${kind} ${name}`;
}
