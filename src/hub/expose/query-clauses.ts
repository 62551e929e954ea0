/* The clauses of a query that asks for several things. */
import { stopWords } from '../../search/text/stop-words.ts';
import { wordsOf } from '../../search/text/words.ts';
import { QUERY_CLAUSE_LIMIT } from './expose-limits.ts';

/**
 * The clauses of a query that asks for several things; the query alone when it asks for one. A part without a word
 * that means something belongs to the part before it; "retry it" is a clause, and the context says what it retries.
 */
export function clausesOf(query: string): string[] {
	const parts = query
		.replace(/"[^"]*"/g, (quoted) => quoted.replace(SEPARATOR, ' '))
		.split(SEPARATOR)
		.map((part) => part.trim())
		.filter((part) => part !== '');
	const clauses: string[] = [];
	for (const part of parts) {
		const last = clauses.at(-1);
		if (last !== undefined && (isEmpty(part) || isEmpty(last)))
			clauses[clauses.length - 1] = `${last} ${part}`;
		else clauses.push(part);
	}
	return clauses.length < 2 ? [query] : clauses.slice(0, QUERY_CLAUSE_LIMIT);
}

/** Between letters only: not within `4.2`, `a.txt` and `12:30`. */
const SEPARATOR = /[,;:.!?](?=\s|$)|\n+|\s(?:and then|and|then|und|dann|y|luego|et|puis|e poi)\s/gi;

function isEmpty(part: string): boolean {
	return !wordsOf(part).some((word) => !stopWords.has(word) && /\p{L}{2}/u.test(word));
}
