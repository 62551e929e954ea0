/* Load the data files of the ranker into an index. Without one of them the search has fewer signals. */
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { SearchIndex } from '../../search/index/search-index.ts';
import { bundledConcepts, bundledSynonyms, readConcepts, readSynonyms } from '../files/word-list-files.ts';
import { bundledWordVectors, readWordVectors } from '../files/word-vectors-file.ts';

/** Files in place of those of this package. */
export interface SearchDataFiles {
	readonly wordVectors?: string | undefined;
	readonly concepts?: string | undefined;
}

/** Synonyms, word vectors and concepts for `index`. A file that cannot be used is logged. */
export function loadSearchData(index: SearchIndex, log: Log, files: SearchDataFiles = {}): void {
	const { wordVectors = bundledWordVectors(), concepts = bundledConcepts() } = files;
	const attempt = (otherwise: string, load: () => void): void => {
		try {
			load();
		} catch (error) {
			log.warn(`searching ${otherwise}: ${messageOf(error)}`);
		}
	};
	attempt('without synonyms', () => index.useSynonyms(readSynonyms(bundledSynonyms())));
	attempt('by words alone', () => {
		const vectors = readWordVectors(wordVectors);
		index.useVectors(vectors);
		attempt('without concepts', () => index.useConcepts(readConcepts(concepts, vectors)));
	});
}
