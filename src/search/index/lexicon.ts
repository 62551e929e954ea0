/*
 * Every word of the collection, by spelling and by stem.
 *
 * A spelling leads straight to its posting list, so a word is stemmed once. Spellings
 * are also grouped by first letter: typos seldom hit it, so the search for a
 * mistyped word scans a small part of the vocabulary.
 */
import { editDistance } from '../../edit-distance.ts';
import {
	PREFIX_LEAST_CHARACTERS,
	TWO_TYPOS_LEAST_CHARACTERS,
	TYPO_LEAST_CHARACTERS,
} from '../search-limits.ts';
import { stem } from '../text/stem.ts';
import { stopWords } from '../text/stop-words.ts';
import { wordsOf } from '../text/words.ts';
import { PostingList } from './posting-list.ts';
import type { WordRow } from './word-row.ts';
import { WordTable } from './word-table.ts';

export interface NearWord {
	posting: PostingList;
	/** The spelling in the collection. */
	form: string;
	kind: 'typo' | 'prefix';
	/** Edit distance, or letters missing at the end. */
	distance: number;
}

export class Lexicon {
	readonly #table = new WordTable((form) => this.#add(form));
	readonly #byStem = new Map<string, PostingList>();
	readonly #byFirstLetter = new Map<string, Map<string, PostingList>>();
	readonly #byNumber: Array<PostingList | undefined> = [undefined];
	readonly #freeNumbers: number[] = [];

	/** Append the numbers of the posting lists of all words of a text to `row`, without stop words. */
	read(text: string, row: WordRow, limit: number): void {
		if (this.#table.read(text, row, limit)) return;
		for (const word of wordsOf(text, limit - row.length)) {
			const number = this.#table.number(word);
			if (number !== 0) row.push(number);
		}
	}

	/** The posting list of a word or of another form of it. */
	find(form: string): PostingList | undefined {
		return this.#byStem.get(stem(form));
	}

	get highestNumber(): number {
		return this.#byNumber.length - 1;
	}

	byNumber(number: number): PostingList | undefined {
		return this.#byNumber[number];
	}

	/** Remove a stem that no document has any more. */
	drop(posting: PostingList): void {
		for (const form of posting.forms) {
			this.#table.forget(form);
			this.#groupOf(form).delete(form);
		}
		this.#byStem.delete(posting.stem);
		this.#byNumber[posting.number] = undefined;
		this.#freeNumbers.push(posting.number);
	}

	/** Words within the edit distance of `word`, and longer words that it is a prefix of. */
	near(word: string): NearWord[] {
		const bound = editsAllowed(word);
		const found: NearWord[] = [];
		for (const group of this.#groupsFor(word)) {
			for (const [form, posting] of group) {
				const near = compare(word, form, bound);
				if (near) found.push({ posting, form, ...near });
			}
		}
		return found.sort((a, b) => a.distance - b.distance || (a.form < b.form ? -1 : 1));
	}

	/** The number of a new spelling. */
	#add(form: string): number {
		if (stopWords.has(form)) return 0;
		const root = stem(form);
		const posting = this.#byStem.get(root) ?? this.#create(root);
		posting.forms.push(form);
		this.#groupOf(form).set(form, posting);
		return posting.number;
	}

	#create(root: string): PostingList {
		const number = this.#freeNumbers.pop() ?? this.#byNumber.length;
		const posting = new PostingList(number, root);
		this.#byNumber[number] = posting;
		this.#byStem.set(root, posting);
		return posting;
	}

	#groupOf(form: string): Map<string, PostingList> {
		const letter = form.charAt(0);
		let group = this.#byFirstLetter.get(letter);
		if (!group) this.#byFirstLetter.set(letter, (group = new Map()));
		return group;
	}

	/** The first letter, and the second in case the two were swapped. */
	#groupsFor(word: string): Array<Map<string, PostingList>> {
		const letters = new Set([word.charAt(0), word.charAt(1)]);
		return [...letters].flatMap((letter) => this.#byFirstLetter.get(letter) ?? []);
	}
}

function editsAllowed(word: string): number {
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
