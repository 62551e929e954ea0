/*
 * Words of other languages, from `data/translations.txt`: a query in one language finds what is
 * described in another. English is between them: a query is put into English, and an English
 * word matches its words in the other languages where the collection has them.
 *
 *     create: erstellen crear creer создать 创建 作成
 *
 * The list comes as text, so that this layer needs no files.
 */
import { stem } from '../text/stem.ts';
import { plainLetters, UNSPACED, wordsOf } from '../text/words.ts';
import type { Synonym } from './synonyms.ts';
import { brokenLine, listLines } from './word-list.ts';

/** Weight of a word in another language, beside the word itself. */
const TRANSLATED_FACTOR = 0.75;
const LINE = /^[a-z]+(?: [a-z]+)*: [^ :]+(?: [^ :]+)*$/;
const PLAIN = /^[\p{ASCII}]*$/u;

/** Words of these languages that say nothing, in a query that is not English. */
const fillers = new Set(
	`der die das den dem des ein eine einen einem einer in im auf mit von zu zum zur und fur aus an ist mir alle
	el la los las un una unos unas en de del con para por y al lo que mi
	le les une du dans sur avec pour et au aux est mon
	il gli uno della di per e nel mio
	o os as um uma no na do da com em
	het een van voor met op naar
	w z na do i dla`.split(/\s+/),
);

export class Translations {
	/** The English word of a word: by itself in Latin letters, where endings of English are something else, else by its stem. */
	readonly #english = new Map<string, string>();
	/** The words of other languages, as the index has them, by the stem of the English word. */
	readonly #others = new Map<string, Map<string, Synonym>>();
	/** Words of scripts without spaces, the longest first. */
	readonly #unspaced: RegExp;

	/** Throws `bad_input` for a text that is not a list of translations. */
	constructor(text: string) {
		const lines = [...listLines(text)].map(({ line, number }) => {
			if (LINE.test(line)) return line.split(': ');
			throw brokenLine({ list: 'translations', number }, 'is not of the form "english: words"');
		});
		const english = new Set(lines.flatMap(([meanings = '']) => meanings.split(' ').map(stem)));
		const unspaced: string[] = [];
		for (const [meanings = '', words = ''] of lines) {
			for (const word of plainLetters(words).split(' ')) {
				if (UNSPACED.test(word)) unspaced.push(word);
				// A form of an English word, `creation` or `remover`, needs no translation.
				if (!english.has(stem(word))) this.#read(word, meanings.split(' '));
			}
		}
		const longestFirst = unspaced.sort((a, b) => b.length - a.length);
		this.#unspaced = new RegExp(longestFirst.join('|') || '(?!)', 'gu');
	}

	/** The words of other languages for an English one. */
	of(word: string): Iterable<Synonym> {
		return this.#others.get(stem(word))?.values() ?? [];
	}

	/** The query with the English words of its foreign ones; foreign ones stay where `knows` has them. As it is when it has none. */
	toEnglish(query: string, knows: (word: string) => boolean): string {
		const spaced = PLAIN.test(query)
			? query
			: plainLetters(query).replace(this.#unspaced, (word) => ` ${this.#english.get(word) ?? ''} ${word} `);
		const words = wordsOf(spaced);
		const isForeign = spaced !== query || words.some((word) => this.#english.has(keyOf(word)));
		if (!isForeign) return query;
		return words
			.filter((word) => !fillers.has(word))
			.map((word) => {
				const meaning = UNSPACED.test(word) ? undefined : this.#english.get(keyOf(word));
				return meaning === undefined ? word : knows(word) ? `${word} ${meaning}` : meaning;
			})
			.join(' ');
	}

	#read(word: string, meanings: readonly string[]): void {
		const key = keyOf(word);
		if (!this.#english.has(key)) this.#english.set(key, meanings[0] ?? '');
		const other = { form: wordsOf(word).join(' '), factor: TRANSLATED_FACTOR };
		for (const english of meanings.map(stem)) {
			const others = this.#others.get(english) ?? new Map<string, Synonym>();
			this.#others.set(english, others.set(key, other));
		}
	}
}

function keyOf(word: string): string {
	return PLAIN.test(word) ? word : stem(word);
}
