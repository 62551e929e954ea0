/*
 * The table of word vectors on disk. It comes with the package and is read by
 * whoever searches first, so that nobody else waits for it.
 */
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { OrchestraError } from '../errors.ts';
import { WordVectors } from '../search/word-vectors.ts';
import { WORD_VECTORS_LIMIT_BYTES } from './limits.ts';

/** The table that comes with the package. */
export function bundledWordVectors(): string {
	return fileURLToPath(new URL('../../data/word-vectors.bin', import.meta.url));
}

/** Throws `not_found` for a file that cannot be read, `bad_input` for one that is no table. */
export function readWordVectors(file: string): WordVectors {
	return new WordVectors(bytesOf(file));
}

function bytesOf(file: string): Uint8Array {
	try {
		const { size } = statSync(file);
		if (size <= WORD_VECTORS_LIMIT_BYTES) return readFileSync(file);
	} catch (cause) {
		const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
		throw new OrchestraError('not_found', `the table of word vectors cannot be read (${code})`, {
			cause,
			hint: 'Install the package again.',
		});
	}
	throw new OrchestraError(
		'bad_input',
		`the table of word vectors is larger than ${WORD_VECTORS_LIMIT_BYTES} bytes`,
	);
}
