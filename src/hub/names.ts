/*
 * Names that clients see: stable, at most 64 characters, the same for the same
 * configuration.
 */
import { createHash } from 'node:crypto';

/** Longest name of a tool that every agent accepts. */
export const NAME_CHARACTERS = 64;
const SEPARATOR = '__';
const HASH_CHARACTERS = 8;

/** `server__tool`. */
export function qualifiedName(backend: string, name: string): string {
	return `${backend}${SEPARATOR}${name}`;
}

/** The name itself, or its beginning and a hash of the whole when it is too long. */
export function shortened(name: string): string {
	if (name.length <= NAME_CHARACTERS) return name;
	const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS);
	return `${name.slice(0, NAME_CHARACTERS - HASH_CHARACTERS - 1)}_${hash}`;
}
