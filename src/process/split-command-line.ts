/*
 * The arguments of a command line, without a shell. Pure.
 *
 * A quote at the start of an argument, or after `=` inside one, protects spaces up to
 * the closing quote; elsewhere a quote is a plain character, so that JSON needs no
 * escaping: `stdio:echo {"bye":true}`.
 */
import { OrchestraError } from '../errors.ts';

/** The arguments of a command line. Throws `bad_input` for an unclosed quote. @param shown what the line is, for the error */
export function splitCommandLine(text: string, shown = `"${text}"`): string[] {
	const args: string[] = [];
	let word: string | undefined;
	for (let at = 0; at < text.length; at++) {
		const char = text[at] ?? '';
		const opensQuote = (char === '"' || char === "'") && (word === undefined || word.endsWith('='));
		if (opensQuote) {
			const end = closingQuote(text, at, shown);
			word = (word ?? '') + unescapeQuoted(text.slice(at + 1, end), char);
			at = end;
		} else if (/\s/.test(char)) {
			if (word !== undefined) args.push(word);
			word = undefined;
		} else word = (word ?? '') + char;
	}
	return word === undefined ? args : [...args, word];
}

function closingQuote(text: string, start: number, shown: string): number {
	const quote = text[start];
	for (let at = start + 1; at < text.length; at++) {
		if (text[at] === '\\' && quote === '"') at++;
		else if (text[at] === quote) return at;
	}
	throw new OrchestraError('bad_input', `${shown} has a ${quote} that is never closed`, {
		hint: 'Close the quote. Your shell removes its own quotes: quote the whole URI with the other kind.',
	});
}

function unescapeQuoted(text: string, quote: string): string {
	return quote === '"' ? text.replace(/\\(["\\])/g, '$1') : text;
}
