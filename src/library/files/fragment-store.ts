/*
 * The resources in memory: fragments by URI, and the index over them.
 *
 * Two files may claim one URI (`a.md` and `a.json`). The extension decides
 * which file is served, so the outcome does not depend on the order of loading; the
 * other is remembered and served when the first is removed.
 */
import type { SearchDocument } from '../../search/document.ts';
import { SearchIndex } from '../../search/index/search-index.ts';
import {
	extensionOf,
	type Fragment,
	fragmentFields,
	mimeTypes,
	readFragment,
	type SourceFile,
} from './fragment.ts';
import { UNINDEXED_LIMIT_CHARACTERS } from './library-limits.ts';
import type { FileStore } from './library-root.ts';

const precedence = Object.keys(mimeTypes);

export class FragmentStore implements FileStore {
	readonly #index: SearchIndex = new SearchIndex(fragmentFields);
	/** Documents until the first search, which most sessions never make; undefined from then on. */
	#unindexed: Map<string, SearchDocument> | undefined = new Map();
	#unindexedCharacters = 0;
	readonly #byUri = new Map<string, Fragment>();
	/** The files of each URI that more than one has claimed. */
	readonly #claims = new Map<string, Set<string>>();
	readonly #uriByFile = new Map<string, string>();
	#sorted: readonly Fragment[] | undefined;

	/** False while nothing was searched and the folder is small. */
	get isIndexed(): boolean {
		return this.#unindexed === undefined;
	}

	/** The index over all fragments. */
	get index(): SearchIndex {
		for (const document of this.#unindexed?.values() ?? []) this.#index.add(document);
		this.#unindexed = undefined;
		return this.#index;
	}

	get size(): number {
		return this.#byUri.size;
	}

	/** All fragments in the order of their URIs. */
	list(): readonly Fragment[] {
		this.#sorted ??= [...this.#byUri.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
		return this.#sorted;
	}

	get(uri: string): Fragment | undefined {
		return this.#byUri.get(uri);
	}

	/** Only files in the folder of a category are resources. */
	put(source: SourceFile): string[] {
		if (!source.file.includes('/')) return looseFile(source.file);
		const { fragment, document, problems } = readFragment(source);
		const { uri, file } = fragment;
		this.#uriByFile.set(file, uri);
		const holder = this.#byUri.get(uri)?.file;
		if (holder !== undefined && holder !== file) {
			this.#claims.set(uri, (this.#claims.get(uri) ?? new Set([holder])).add(file));
			const [winner, loser] = rank(holder) <= rank(file) ? [holder, file] : [file, holder];
			problems.push(`${loser} has the same URI as ${winner} and is left out`);
			if (winner === holder) return problems;
		}
		this.#byUri.set(uri, fragment);
		this.#add(document, source.text.length);
		this.#sorted = undefined;
		return problems;
	}

	/** Remove a file. Returns the file that gets its URI now and must be put again, if any. */
	drop(file: string): string[] {
		const uri = this.#uriByFile.get(file);
		if (uri === undefined) return [];
		this.#uriByFile.delete(file);
		const claims = this.#claims.get(uri);
		claims?.delete(file);
		if (this.#byUri.get(uri)?.file !== file) return [];
		this.#byUri.delete(uri);
		this.#unindexed?.delete(uri);
		this.#index.remove(uri);
		this.#sorted = undefined;
		return [...(claims ?? [])].sort((a, b) => rank(a) - rank(b)).slice(0, 1);
	}

	/** A large folder is indexed as it is read, so memory grows with its words and not with its text. */
	#add(document: SearchDocument, characters: number): void {
		this.#unindexedCharacters += characters;
		this.#unindexed?.set(document.id, document);
		const isLarge = this.#unindexedCharacters > UNINDEXED_LIMIT_CHARACTERS;
		if (this.#unindexed === undefined || isLarge) this.index.add(document);
	}

	/** How many fragments each category has, in the order of their names. */
	categories(): ReadonlyMap<string, number> {
		const counts = new Map<string, number>();
		for (const { category } of this.list()) counts.set(category, (counts.get(category) ?? 0) + 1);
		return counts;
	}
}

function rank(file: string): number {
	return precedence.indexOf(extensionOf(file));
}

function looseFile(file: string): string[] {
	return /^readme\./i.test(file) ? [] : ['is not in a category folder, and is left out'];
}
