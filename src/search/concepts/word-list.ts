/*
 * The grammar that the word lists in `data/` share: one entry per line, `#` for
 * comments, commas between phrases, spaces between the words of a phrase, small
 * letters and digits only.
 */
import { OrchestraError } from '../../errors.ts';

const PHRASE = '[a-z0-9]+(?: [a-z0-9]+)*';
const LIST = `${PHRASE}(?:, ${PHRASE})*`;
const PHRASES = new RegExp(`^(?:${LIST}(?: > ${LIST})?|${PHRASE}(?: = ${PHRASE})+)$`);

/** Where a line is, for an error about it. */
export interface ListLine {
	/** What the list is of. */
	list: string;
	/** The number of the line, from 1. */
	number: number;
}

/** Every entry of a list, without comments and blank lines. */
export function* listLines(text: string): Generator<{ line: string; number: number }> {
	let number = 0;
	for (const raw of text.split('\n')) {
		const line = raw.trim();
		number++;
		if (line !== '' && !line.startsWith('#')) yield { line, number };
	}
}

/** Throws `bad_input` for a line that is not made of phrases. */
export function checkPhrases(line: string, place: ListLine & { form: string }): void {
	if (!PHRASES.test(line)) throw brokenLine(place, `is not of the form "${place.form}"`);
}

/** The error about a line that cannot be read. */
export function brokenLine({ list, number }: ListLine, problem: string): OrchestraError {
	return new OrchestraError('bad_input', `line ${number} of the list of ${list} ${problem}`, {
		hint: 'Install the package again.',
	});
}
