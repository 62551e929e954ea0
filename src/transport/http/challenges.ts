/*
 * The `WWW-Authenticate` header (RFC 9110, section 11.6.1).
 *
 * One header may hold several challenges, and the comma separates both challenges and
 * parameters: `Basic realm="a, b", Bearer scope="x y"`. So it is scanned token by token;
 * a search for `scope=` would also find it inside a quoted description.
 */
import { CHALLENGES_HEADER_CHARACTERS } from './http-client-limits.ts';

/** One challenge: a scheme and its parameters. */
export interface Challenge {
	/** The scheme in lower case, for example `bearer`. */
	readonly scheme: string;
	/** Names in lower case; values without quotes and escapes. The first of repeated names counts. */
	readonly parameters: ReadonlyMap<string, string>;
}

const piece = /([!#$%&'*+.^_`|~\w-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\[^])*)"|([!#$%&'*+.^_`|~\w/:=-]*)))?/y;

/** Every challenge of a header, in order. Text that breaks the grammar is skipped. */
export function parseChallenges(header: string): Challenge[] {
	const text = header.slice(0, CHALLENGES_HEADER_CHARACTERS);
	const found: { scheme: string; parameters: Map<string, string> }[] = [];
	for (let at = 0; at < text.length; ) {
		piece.lastIndex = at;
		const match = piece.exec(text);
		if (match === null) {
			at++;
			continue;
		}
		at = piece.lastIndex;
		const [, word = '', quoted, plain] = match;
		const value = quoted === undefined ? plain : quoted.replaceAll(/\\([^])/g, '$1');
		const parameters = found.at(-1)?.parameters;
		// A word without `=` is a scheme, or the token68 of the scheme before it, which no scheme of ours has.
		if (value === undefined) found.push({ scheme: word.toLowerCase(), parameters: new Map() });
		else if (parameters && !parameters.has(word.toLowerCase())) parameters.set(word.toLowerCase(), value);
	}
	return found;
}
