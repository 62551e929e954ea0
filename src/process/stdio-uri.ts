/*
 * `stdio:` URIs: the command line of a program, without a shell.
 *
 * Percent-escapes are decoded first, so `%20` separates arguments like a space. A
 * quote at the start of an argument, or after `=` inside one, protects spaces up to
 * the closing quote; elsewhere a quote is a plain character, so that JSON needs no
 * escaping: `stdio:echo {"bye":true}`.
 */
import { attempt, OrchestraError } from '../errors.ts';
import type { SpawnRecord } from './spawn-record.ts';

const SCHEME = 'stdio:';

/** Parse a `stdio:` URI. Throws `bad_input` for another scheme, a missing command or an unclosed quote. */
export function parseStdioUri(uri: string): SpawnRecord {
	if (!uri.startsWith(SCHEME)) {
		throw new OrchestraError('bad_input', `"${uri}" is not a stdio: URI`, {
			hint: `Write ${SCHEME} and the command line, for example ${SCHEME}python3 server.py`,
		});
	}
	const [command, ...args] = splitWords(percentDecode(uri.slice(SCHEME.length)), uri);
	if (command === undefined || command === '') {
		throw new OrchestraError('bad_input', `the URI "${uri}" names no command`, {
			hint: `Write the command after the colon, for example ${SCHEME}cat`,
		});
	}
	return { command, args };
}

/** Invalid escapes, such as the `%s` of a date format, are kept. */
function percentDecode(text: string): string {
	return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
		// What is not UTF-8 is no escape.
		return attempt(() => decodeURIComponent(escapes), escapes);
	});
}

function splitWords(text: string, uri: string): string[] {
	const words: string[] = [];
	let word: string | undefined;
	for (let at = 0; at < text.length; at++) {
		const char = text[at] ?? '';
		const opensQuote = (char === '"' || char === "'") && (word === undefined || word.endsWith('='));
		if (opensQuote) {
			const end = closingQuote(text, at, uri);
			word = (word ?? '') + unescapeQuoted(text.slice(at + 1, end), char);
			at = end;
		} else if (/\s/.test(char)) {
			if (word !== undefined) words.push(word);
			word = undefined;
		} else word = (word ?? '') + char;
	}
	return word === undefined ? words : [...words, word];
}

function closingQuote(text: string, start: number, uri: string): number {
	const quote = text[start];
	for (let at = start + 1; at < text.length; at++) {
		if (text[at] === '\\' && quote === '"') at++;
		else if (text[at] === quote) return at;
	}
	throw new OrchestraError('bad_input', `the URI "${uri}" has a ${quote} that is never closed`, {
		hint: 'Close the quote. Your shell removes its own quotes: quote the whole URI with the other kind.',
	});
}

function unescapeQuoted(text: string, quote: string): string {
	return quote === '"' ? text.replace(/\\(["\\])/g, '$1') : text;
}
