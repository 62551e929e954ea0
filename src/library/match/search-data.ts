/* Load the data files of the ranker into an index. Without one of them the search has fewer signals. */
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { Concepts } from '../../search/concepts/concepts.ts';
import type { SearchIndex } from '../../search/index/search-index.ts';
import { bundledFile } from '../files/bundled-file.ts';
import { readConceptSteps, readSynonyms, readTranslations } from '../files/word-list-files.ts';
import { readWordVectors } from '../files/word-vectors-file.ts';

/** Files in place of those of this package. */
export interface SearchDataFiles {
	readonly wordVectors?: string | undefined;
	readonly concepts?: string | undefined;
	/** Read after the concepts: lines for one kind of documents. */
	readonly moreConcepts?: string | undefined;
}

/** Synonyms, word vectors and concepts for `index`. A file that cannot be used is logged. */
export function loadSearchData(index: SearchIndex, log: Log, files: SearchDataFiles = {}): void {
	for (const _ of searchDataSteps(index, log, files));
}

/** The same in steps of some ten milliseconds. */
export function* searchDataSteps(
	index: SearchIndex,
	log: Log,
	files: SearchDataFiles = {},
): Generator<void, void> {
	const { wordVectors, concepts = bundledFile('concepts.txt'), moreConcepts } = files;
	const warn = (otherwise: string, error: unknown): void =>
		log.warn(`searching ${otherwise}: ${messageOf(error)}`);
	const tried = <T>(otherwise: string, read: () => T): T | undefined => {
		try {
			return read();
		} catch (error) {
			warn(otherwise, error);
			return undefined;
		}
	};
	tried('without synonyms', () => index.useSynonyms(readSynonyms()));
	yield;
	tried('without translations', () => index.useTranslations(readTranslations()));
	yield;
	const vectors = tried('by words alone', () => readWordVectors(wordVectors));
	if (vectors === undefined) return;
	index.useVectors(vectors);
	yield;
	try {
		const list = yield* readConceptSteps(moreConcepts === undefined ? [concepts] : [concepts, moreConcepts]);
		yield;
		index.useConcepts(new Concepts(list, vectors));
	} catch (error) {
		warn('without concepts', error);
	}
}
