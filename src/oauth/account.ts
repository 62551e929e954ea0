/*
 * Which stored sign-in a server uses.
 *
 * One URL may have several accounts. An entry of the configuration has one of its own, so
 * that an entry that never signed in does not act as the account of another one. Entries
 * share an account on purpose with `oauth.account`. A URL without an entry, as programs
 * use it, has the account `default`.
 */
import { pathWithoutLinks } from '../files/path-without-links.ts';
import { sha256 } from '../files/sha256.ts';
import { ACCOUNT_NAME_CHARACTERS } from './auth-limits.ts';

/** The account of a URL that no entry names. */
export const DEFAULT_ACCOUNT = 'default';

const HASH_CHARACTERS = 12;

/** The allowed keys, in prose. */
export const ACCOUNT_KEY_FORM = 'letters, digits, ".", "_", "@" and "-", at most 64, not with "-" first';

/** True for a text that may be the key of an account. */
export function isAccountKey(text: string): boolean {
	return /^[\w.@][\w.@-]{0,63}$/.test(text);
}

/** The location of an entry of the configuration. */
export interface EntryPlace {
	readonly file: string;
	/** Its name or id there. */
	readonly name: string;
}

/** One sign-in at one URL. */
export interface Account {
	readonly url: string;
	/** Unique at this URL; a value of `oauth.account`. */
	readonly key: string;
	/** The entry that uses it; undefined for a URL without one. */
	readonly entry?: EntryPlace | undefined;
}

/** The sources of the account of a server. */
export interface AccountSource {
	readonly url: string;
	readonly name?: string | undefined;
	/** The file with the entry. */
	readonly file?: string | undefined;
	readonly oauth?: { readonly account?: string | undefined } | undefined;
}

/** The account that a server uses. */
export function accountOf({ url, name, file, oauth }: AccountSource): Account {
	const entry = file === undefined || name === undefined ? undefined : { file: pathWithoutLinks(file), name };
	const key = oauth?.account ?? (entry ? keyOf(entry, url) : DEFAULT_ACCOUNT);
	return { url, key, entry };
}

/** An entry in prose. */
export function describeEntry({ file, name }: EntryPlace): string {
	return `${name} in ${file}`;
}

/** The name is for users; the hash makes it unique. */
function keyOf({ file, name }: EntryPlace, url: string): string {
	const shown = name.replace(/[^\w.]/g, '_').slice(0, ACCOUNT_NAME_CHARACTERS);
	return `${shown}-${sha256(JSON.stringify([file, name, url])).slice(0, HASH_CHARACTERS)}`;
}

/** True when the headers have an `Authorization`, which is sent as it is and replaces OAuth. */
export function hasAuthorizationHeader(headers: Readonly<Record<string, unknown>>): boolean {
	return Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
}
