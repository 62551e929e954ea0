/* The table of word vectors on disk. */
import { WordVectors } from '../../search/vectors/word-vectors.ts';
import { bundledFile, readBundled } from './bundled-file.ts';
import { WORD_VECTORS_LIMIT_BYTES } from './library-limits.ts';

/** The table in a file, that of this package by default. Throws `not_found` for a file that cannot be read, `bad_input` for a file that is no table. */
export function readWordVectors(file: string = bundledFile('word-vectors.bin')): WordVectors {
	return new WordVectors(readBundled(file, 'the table of word vectors', WORD_VECTORS_LIMIT_BYTES));
}
