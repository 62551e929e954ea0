/*
 * Names that clients see: at most 64 characters that agents accept, and the same for
 * the same configuration.
 */

/** Longest name of a tool that every agent accepts. */
export const NAME_CHARACTERS = 64;
/** The AI provider of a request that names none. */
export const DEFAULT_PROVIDER = 'claude';
const SEPARATOR = '__';
const HASH_CHARACTERS = 8;

/** `server__tool`. */
export function qualifiedName(backend: string, name: string): string {
	return `${backend}${SEPARATOR}${name}`;
}

/** The URI of a resource whose own URI belongs to another server: `orchestra+server:uri`. */
export function qualifiedUri(backend: string, uri: string): string {
	return `orchestra+${backend}:${uri}`;
}

/** The server's own URI: without its prefix. */
export function ownUri(backend: string, uri: string): string {
	const prefix = qualifiedUri(backend, '');
	return uri.startsWith(prefix) ? uri.slice(prefix.length) : uri;
}

/** The name; when it is too long, its beginning and a hash of the whole name. */
export function shortened(name: string): string {
	if (name.length <= NAME_CHARACTERS) return name;
	return `${name.slice(0, NAME_CHARACTERS - HASH_CHARACTERS - 1)}_${hashOf(name)}`;
}

/** The name; when agents would refuse a character of it, with `_` instead and a hash of the whole name. */
export function plainName(name: string): string {
	const plain = name.replaceAll(/[^\w.-]/gu, '_');
	return plain === name ? name : `${plain}_${hashOf(name)}`;
}

/** FNV-1a: fast, and `node:crypto` need not be loaded at start. */
function hashOf(text: string): string {
	let hash = 0x811c9dc5;
	for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
	return (hash >>> 0).toString(16).padStart(HASH_CHARACTERS, '0');
}
