/*
 * Answer a match request as text, in the mode it asks for. Bodies come from the
 * disk at that moment, so what is assembled is never older than the files.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { WordVectors } from '../../search/vectors/word-vectors.ts';
import { bundledConcepts, readConcepts } from '../files/concepts-file.ts';
import type { Folder } from '../files/folder.ts';
import type { Fragment } from '../files/fragment.ts';
import { readFrontMatter } from '../files/front-matter.ts';
import type { Shelf } from '../files/shelf.ts';
import { readWordVectors } from '../files/word-vectors-file.ts';
import { assemble } from './assemble.ts';
import { type Match, matchFragments } from './match.ts';
import type { MatchRequest } from './match-request.ts';
import { listMatches, nothingFound } from './match-text.ts';
import type { CountTokens } from './tokens.ts';

export interface FoundFragment {
	request: MatchRequest;
	/** What `text` shows, best first. */
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
	shelf: Shelf;
	folder: Folder | undefined;
	log: Log;
	countTokens: CountTokens | undefined;
	/** File of word vectors. */
	wordVectors: string;
	/** File of concepts. Default: the one of this package. */
	concepts?: string | undefined;
}

/** How long nothing else runs while documents are filed and read for their meaning. */
const PREPARE_MS = 8;

export class Finder {
	readonly #options: FinderOptions;
	#isTaught = false;

	constructor(options: FinderOptions) {
		this.#options = options;
	}

	/** Get ready to find by meaning, a little at a time, so that others are served meanwhile. */
	async prepare(): Promise<void> {
		this.#learnMeaning();
		await this.settle();
	}

	/** Finish what is under way in the index, a little at a time. */
	async settle(): Promise<void> {
		while (!this.#options.shelf.index.prepare(PREPARE_MS)) await new Promise((next) => setImmediate(next));
	}

	find(request: MatchRequest): FoundFragment {
		const { shelf, log, countTokens } = this.#options;
		this.#learnMeaning();
		const found = matchFragments(shelf, request);
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

	/** The table is read when it is needed for the first time; without it words have to do. */
	#learnMeaning(): void {
		if (this.#isTaught) return;
		this.#isTaught = true;
		const { shelf, log, wordVectors } = this.#options;
		try {
			const vectors = readWordVectors(wordVectors);
			shelf.index.understand(vectors);
			this.#learnConcepts(vectors);
		} catch (error) {
			log.warn(`searching by words alone: ${messageOf(error)}`);
		}
	}

	#learnConcepts(vectors: WordVectors): void {
		const { shelf, log, concepts = bundledConcepts() } = this.#options;
		try {
			shelf.index.learn(readConcepts(concepts, vectors));
		} catch (error) {
			log.warn(`searching without concepts: ${messageOf(error)}`);
		}
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
