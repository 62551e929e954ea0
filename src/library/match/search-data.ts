/* Load the data files of the ranker into an index. Without one of them the search has fewer signals. */
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { ConceptList } from '../../search/concepts/concept-list.ts';
import { Concepts } from '../../search/concepts/concepts.ts';
import type { SearchIndex } from '../../search/index/search-index.ts';
import type { WordVectors } from '../../search/vectors/word-vectors.ts';
import {
	bundledConcepts,
	bundledSynonyms,
	readConceptLines,
	readSynonyms,
} from '../files/word-list-files.ts';
import { bundledWordVectors, readWordVectors } from '../files/word-vectors-file.ts';

/** Files in place of those of this package. */
export interface SearchDataFiles {
	readonly wordVectors?: string | undefined;
	readonly concepts?: string | undefined;
}

/** Synonyms, word vectors and concepts for `index`. A file that cannot be used is logged. */
export function loadSearchData(index: SearchIndex, log: Log, files: SearchDataFiles = {}): void {
	for (const load of searchDataSteps(index, log, files)) load();
}

/** The same in steps of some ten milliseconds, in this order. */
export function searchDataSteps(
	index: SearchIndex,
	log: Log,
	files: SearchDataFiles = {},
): readonly (() => void)[] {
	const { wordVectors = bundledWordVectors(), concepts = bundledConcepts() } = files;
	const attempt = (otherwise: string, load: () => void): void => {
		try {
			load();
		} catch (error) {
			log.warn(`searching ${otherwise}: ${messageOf(error)}`);
		}
	};
	let vectors: WordVectors | undefined;
	let list: ConceptList | undefined;
	const steps: readonly [string, () => void][] = [
		['without synonyms', () => index.useSynonyms(readSynonyms(bundledSynonyms()))],
		[
			'by words alone',
			() => {
				vectors = readWordVectors(wordVectors);
				index.useVectors(vectors);
			},
		],
		[
			'without concepts',
			() => {
				list = vectors && readConceptLines(concepts);
			},
		],
		['without concepts', () => list && index.useConcepts(new Concepts(list, vectors))],
	];
	return steps.map(
		([otherwise, load]) =>
			() =>
				attempt(otherwise, load),
	);
}
