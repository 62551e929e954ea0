/*
 * Answer a match request as text, in the requested mode. Bodies are read from the
 * disk for each request, so an assembled text is never older than the files.
 */
import { OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { EmbeddedDocument, Nearness } from '../embeddings/embeddings.ts';
import type { OpenEmbeddings } from '../embeddings/open-embeddings.ts';
import type { Folder } from '../files/folder.ts';
import type { Fragment } from '../files/fragment.ts';
import type { FragmentStore } from '../files/fragment-store.ts';
import { readFrontMatter } from '../files/front-matter.ts';
import { INDEX_SLICE_MS } from '../files/library-limits.ts';
import { assemble } from './assemble.ts';
import { type Match, matchFragments } from './match.ts';
import type { MatchRequest } from './match-request.ts';
import { listMatches, nothingFound } from './match-text.ts';
import { loadSearchData } from './search-data.ts';
import type { CountTokens } from './tokens.ts';

/** The answer to a search. */
export interface FoundFragment {
	request: MatchRequest;
	/** The matches that `text` shows, best first. */
	matches: Match[];
	/** How many fragments matched at all. */
	total: number;
	/** The answer as the mode has it. */
	text: string;
	tokens: number;
	/** True when the best fragment alone was larger than the budget. */
	isTruncated: boolean;
}

export interface FinderOptions {
	fragments: FragmentStore;
	folder: Folder | undefined;
	log: Log;
	countTokens: CountTokens | undefined;
	/** File of word vectors. Default: the one of this package. */
	wordVectors: string | undefined;
	/** File of concepts. Default: the one of this package. */
	concepts?: string | undefined;
	embeddings?: OpenEmbeddings | undefined;
}

export class Finder {
	readonly #options: FinderOptions;
	#isLoaded = false;
	#read: { list: readonly Fragment[]; documents: readonly EmbeddedDocument[] } | undefined;

	constructor(options: FinderOptions) {
		this.#options = options;
	}

	/** The answer, with the model of the user if there is one. Documents are vectorized in slices, so that other work continues. */
	async answer(request: MatchRequest): Promise<FoundFragment> {
		this.#loadData();
		await this.settle();
		const embeddings = await this.#options.embeddings?.();
		return this.find(request, await embeddings?.nearness(request.query, this.#embedded()));
	}

	/** Finish pending index work, in slices. */
	async settle(): Promise<void> {
		while (!this.#options.fragments.index.prepare(INDEX_SLICE_MS))
			await new Promise((next) => setImmediate(next));
	}

	/** The same array while no document changes. */
	#embedded(): readonly EmbeddedDocument[] {
		const list = this.#options.fragments.list();
		if (this.#read?.list !== list) this.#read = { list, documents: list.map(embeddedFragment) };
		return this.#read.documents;
	}

	/** The answer of now, by the signals of this package and those given. */
	find(request: MatchRequest, nearness?: Nearness): FoundFragment {
		const { fragments, log, countTokens } = this.#options;
		this.#loadData();
		const found = matchFragments(fragments, request, nearness);
		if (request.mode === 'full' && found.matches.length > 0) {
			return { request, total: found.total, ...this.#assemble(found.matches, request) };
		}
		const { text, tokens, shown } = listMatches(found, countTokens);
		log.info(`Assembled ${shown} fragments (${tokens} tokens)`);
		return {
			request,
			total: found.total,
			matches: found.matches.slice(0, shown),
			text,
			tokens,
			isTruncated: false,
		};
	}

	/** The first search loads the data files. Without one of them the search has fewer signals. */
	#loadData(): void {
		if (this.#isLoaded) return;
		this.#isLoaded = true;
		const { fragments, wordVectors, concepts, log } = this.#options;
		loadSearchData(fragments.index, log, { wordVectors, concepts });
	}

	/** The text as it is on disk now; undefined when the file went away since it was loaded. */
	textOf({ file }: Fragment): string | undefined {
		try {
			return this.#options.folder?.read(file).text;
		} catch (error) {
			this.#options.log.debug(`resources/${file} is gone: ${OrchestraError.from(error).code}`);
			return undefined;
		}
	}

	#assemble(matches: readonly Match[], request: MatchRequest): Omit<FoundFragment, 'request' | 'total'> {
		const { text, tokens, used, isTruncated } = assemble(matches, {
			maxTokens: request.maxTokens,
			countTokens: this.#options.countTokens,
			bodyOf: ({ fragment }) => this.#bodyOf(fragment),
		});
		this.#options.log.info(`Assembled ${used.length} fragments (${tokens} tokens)`);
		return { matches: used, text: used.length === 0 ? nothingFound({ request }) : text, tokens, isTruncated };
	}

	#bodyOf(fragment: Fragment): string | undefined {
		const text = this.textOf(fragment);
		return text !== undefined && fragment.mimeType === 'text/markdown' ? readFrontMatter(text).body : text;
	}
}

/** A document as a model reads it: what says what it is about. */
function embeddedFragment(fragment: Fragment): EmbeddedDocument {
	const { uri, title, description = '', tags, capabilities, useWhen } = fragment;
	const lines = [title, description, ...useWhen, ...capabilities, tags.join(', ')];
	return { id: uri, text: lines.join('\n') };
}
