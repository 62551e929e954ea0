/* The list of concepts on disk. */
import { Concepts } from '../../search/concepts/concepts.ts';
import type { WordVectors } from '../../search/vectors/word-vectors.ts';
import { bundledFile, readBundled } from './bundled-file.ts';
import { CONCEPTS_LIMIT_BYTES } from './library-limits.ts';

/** The list that comes with the package. */
export function bundledConcepts(): string {
	return bundledFile('concepts.txt');
}

/** Throws `not_found` for a file that cannot be read, `bad_input` for one that is no list. */
export function readConcepts(file: string, vectors?: WordVectors): Concepts {
	const text = readBundled(file, 'the list of concepts', CONCEPTS_LIMIT_BYTES).toString('utf8');
	return new Concepts(text, vectors);
}
