/*
 * The list of concepts on disk. Like the table of word vectors it comes with the
 * package and is read by whoever searches first.
 */
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OrchestraError } from '../errors.ts';
import { Concepts } from '../search/concepts.ts';
import type { WordVectors } from '../search/word-vectors.ts';
import { CONCEPTS_LIMIT_BYTES } from './limits.ts';

/** The list that comes with the package. */
export function bundledConcepts(): string {
	return fileURLToPath(new URL('../../data/concepts.txt', import.meta.url));
}

/** Throws `not_found` for a file that cannot be read, `bad_input` for one that is no list. */
export function readConcepts(file: string, vectors?: WordVectors): Concepts {
	return new Concepts(textOf(file), vectors);
}

function textOf(file: string): string {
	try {
		const { size } = statSync(file);
		if (size <= CONCEPTS_LIMIT_BYTES) return readFileSync(file, 'utf8');
	} catch (cause) {
		const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
		throw new OrchestraError('not_found', `the list of concepts cannot be read (${code})`, {
			cause,
			hint: 'Install the package again.',
		});
	}
	throw new OrchestraError('bad_input', `the list of concepts is larger than ${CONCEPTS_LIMIT_BYTES} bytes`);
}
