/* The word lists that ship with the package: concepts and synonyms. */
import { type ConceptList, conceptListSteps } from '../../search/concepts/concept-list.ts';
import { Concepts } from '../../search/concepts/concepts.ts';
import { Synonyms } from '../../search/concepts/synonyms.ts';
import { Translations } from '../../search/concepts/translations.ts';
import type { WordVectors } from '../../search/vectors/word-vectors.ts';
import { bundledFile, readBundled } from './bundled-file.ts';
import { WORD_LIST_LIMIT_BYTES } from './library-limits.ts';

/** The list of translations of this package. Throws as `readConcepts` does. */
export function readTranslations(): Translations {
	return new Translations(readWordList(bundledFile('translations.txt'), 'translations'));
}

/** Throws `not_found` for a file that cannot be read, `bad_input` for a file that is not a list of concepts. */
export function readConcepts(file: string = bundledFile('concepts.txt'), vectors?: WordVectors): Concepts {
	return new Concepts(readWordList(file, 'concepts'), vectors);
}

/** One list of several files, in steps: half of the work. Throws as `readConcepts` does. */
export function readConceptSteps(files: readonly string[]): Generator<void, ConceptList> {
	return conceptListSteps(files.map((file) => readWordList(file, 'concepts')).join('\n'));
}

/** Throws `not_found` for a file that cannot be read, `bad_input` for a file that is not a list of synonyms. */
export function readSynonyms(file: string = bundledFile('synonyms.txt')): Synonyms {
	return new Synonyms(readWordList(file, 'synonyms'));
}

function readWordList(file: string, content: string): string {
	return readBundled(file, `the list of ${content}`, WORD_LIST_LIMIT_BYTES).toString('utf8');
}
