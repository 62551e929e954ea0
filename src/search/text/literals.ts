/*
 * What a query quotes and does not ask for: numbers, ids, paths, addresses, names of people
 * and places. A tool or document is not about `invoice-4711.pdf` or Zlatibor; such a
 * literal must not count against what is, nor be taken for a typo of another word. What
 * kind of thing it is does count: a path is a file, an address with `://` is a URL.
 */
import { stopWords } from './stop-words.ts';
import { wordsOf } from './words.ts';

const URL = /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi;
const MAIL = /\b[\w.+-]+@[\w-]+\.[\w.-]+/g;
/** A path: it begins with a slash or a dot, or has a dot before its end. */
const PATH = /(?:^|(?<=\s))(?:~|\.{1,2})?\/[\w.@/-]+|\b[\w-]+(?:\/[\w.-]+)*\.[a-z][a-z0-9]{1,4}\b/gi;
/** An owner and a repository, as code hosts write them. */
const SLUG = /(?:^|(?<=\s))[\w-]+\/[\w-]+(?:\.js)?(?=[\s,;:?!]|$)/g;
const QUOTED = /"[^"\n]{1,200}"|“[^”\n]{1,200}”|«[^»\n]{1,200}»/g;

/**
 * The query without its literals, as far as the collection does not know their words; as it is when nothing
 * else is left.
 * @param knows true for a word that occurs in the collection
 */
export function withoutLiterals(query: string, knows: (word: string) => boolean): string {
	const plain = query
		.replace(URL, ' url ')
		.replace(MAIL, ' email ')
		.replace(SLUG, (slug) => (slug.endsWith('.js') || !wordsOf(slug).every(knows) ? ' repository ' : slug))
		.replace(PATH, (path) => ` file ${/\.([a-z0-9]+)$/i.exec(path)?.[1] ?? ''} `);
	const unquoted = plain.replace(QUOTED, ' ');
	const base = significantIn(unquoted, knows) > 1 ? unquoted : plain;
	const remaining = base
		.split(/\s+/)
		.filter((token, at) => token !== '' && !isLiteral(token, at === 0, knows))
		.join(' ');
	return significantIn(remaining, knows) > 0 ? remaining : query;
}

/** A token with digits or, within the query, a capital, of which the collection knows nothing. */
function isLiteral(token: string, isFirst: boolean, knows: (word: string) => boolean): boolean {
	const hasDigits = /\d/.test(token);
	const isCapital = !isFirst && /^[^\p{L}]*\p{Lu}/u.test(token);
	if (!hasDigits && !isCapital) return false;
	return !wordsOf(token).some((word) => word.length > 1 && knows(word));
}

function significantIn(text: string, knows: (word: string) => boolean): number {
	return wordsOf(text).filter((word) => !stopWords.has(word) && knows(word)).length;
}
