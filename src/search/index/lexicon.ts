/*
 * Every word of the collection, by spelling and by stem.
 *
 * A spelling leads straight to its posting, so a word is stemmed once. Spellings are also shelved by first letter: slips of the
 * finger seldom hit the first letter, and that keeps the search for a mistyped
 * word to a small part of the vocabulary.
 */
import { editDistance } from '../text/edit-distance.ts';
import { stem } from '../text/stem.ts';
import { stopWords } from '../text/stop-words.ts';
import { wordsOf } from '../text/words.ts';
import { Posting } from './posting.ts';
import type { WordRow } from './word-row.ts';
import { WordTable } from './word-table.ts';

/** Words shorter than this are never taken for a slip of another word. */
export const TYPO_LEAST_CHARACTERS = 4;
/** Words of this length and more may have two slips. */
export const TWO_TYPOS_LEAST_CHARACTERS = 8;
/** Shortest word that may stand for the longer words it begins. */
export const PREFIX_LEAST_CHARACTERS = 3;

export interface NearWord {
	posting: Posting;
	/** The spelling in the collection that was met. */
	form: string;
	kind: 'typo' | 'prefix';
	/** Slips between the words, or letters missing at the end. */
	distance: number;
}

export class Lexicon {
	readonly #table = new WordTable((form) => this.#add(form));
	readonly #byStem = new Map<string, Posting>();
	readonly #shelves = new Map<string, Map<string, Posting>>();
	readonly #byNumber: Array<Posting | undefined> = [undefined];
	readonly #freeNumbers: number[] = [];

	/** Append the numbers of the postings of all words of a text to `row`; words without a subject are left out. */
	read(text: string, row: WordRow, limit: number): void {
		if (this.#table.read(text, row, limit)) return;
		for (const word of wordsOf(text, limit - row.length)) {
			const number = this.#table.number(word);
			if (number !== 0) row.push(number);
		}
	}

	/** The posting of a word or of another form of it. */
	find(form: string): Posting | undefined {
		return this.#byStem.get(stem(form));
	}

	get highestNumber(): number {
		return this.#byNumber.length - 1;
	}

	byNumber(number: number): Posting | undefined {
		return this.#byNumber[number];
	}

	/** Forget a stem that no document holds any more. */
	drop(posting: Posting): void {
		for (const form of posting.forms) {
			this.#table.forget(form);
			this.#shelf(form).delete(form);
		}
		this.#byStem.delete(posting.stem);
		this.#byNumber[posting.number] = undefined;
		this.#freeNumbers.push(posting.number);
	}

	/** Words that `word` may have been meant to be: near in spelling, or longer words it begins. */
	near(word: string): NearWord[] {
		const bound = slipsAllowed(word);
		const found: NearWord[] = [];
		for (const shelf of this.#shelvesFor(word)) {
			for (const [form, posting] of shelf) {
				const near = compare(word, form, bound);
				if (near) found.push({ posting, form, ...near });
			}
		}
		return found.sort((a, b) => a.distance - b.distance || (a.form < b.form ? -1 : 1));
	}

	/** A word is met for the first time. */
	#add(form: string): number {
		if (stopWords.has(form)) return 0;
		const root = stem(form);
		const posting = this.#byStem.get(root) ?? this.#create(root);
		posting.forms.push(form);
		this.#shelf(form).set(form, posting);
		return posting.number;
	}

	#create(root: string): Posting {
		const number = this.#freeNumbers.pop() ?? this.#byNumber.length;
		const posting = new Posting(number, root);
		this.#byNumber[number] = posting;
		this.#byStem.set(root, posting);
		return posting;
	}

	#shelf(form: string): Map<string, Posting> {
		const letter = form.charAt(0);
		let shelf = this.#shelves.get(letter);
		if (!shelf) this.#shelves.set(letter, (shelf = new Map()));
		return shelf;
	}

	/** The first letter, and the second in case the two were swapped. */
	#shelvesFor(word: string): Array<Map<string, Posting>> {
		const letters = new Set([word.charAt(0), word.charAt(1)]);
		return [...letters].flatMap((letter) => this.#shelves.get(letter) ?? []);
	}
}

function slipsAllowed(word: string): number {
	if (word.length < TYPO_LEAST_CHARACTERS) return 0;
	return word.length < TWO_TYPOS_LEAST_CHARACTERS ? 1 : 2;
}

function compare(word: string, form: string, bound: number): Pick<NearWord, 'kind' | 'distance'> | undefined {
	if (word.length >= PREFIX_LEAST_CHARACTERS && form.length > word.length && form.startsWith(word)) {
		return { kind: 'prefix', distance: form.length - word.length };
	}
	if (bound === 0 || Math.abs(form.length - word.length) > bound) return undefined;
	const distance = editDistance(word, form, bound);
	return distance <= bound ? { kind: 'typo', distance } : undefined;
}
