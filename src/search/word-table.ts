/*
 * Spelling to number, straight from the characters of a text.
 *
 * Loading a large collection is mostly this: millions of words, nearly all of
 * them met before. A hash table of our own finds them without cutting each one
 * out of the text as a string, and with one look into memory: a word is known by
 * two independent hashes of 32 bits and its length, side by side with its
 * number. Two words that agree in all of it do not occur in practice, and would
 * only make one be found for the other.
 */
import type { WordRow } from './word-row.ts';
import { WORD_LIMIT_CHARACTERS } from './words.ts';

const FIRST_ROOM = 1024;
/** First hash, second hash, length, number. */
const CELLS = 4;
const PLUS = 0x2b;
const SHARP = 0x23;
/** In place of a number: the word was forgotten. */
const FORGOTTEN = -1;

/** Lower-case code of each ASCII character that is part of a word, else 0. */
const letters: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
	const character = String.fromCharCode(code).toLowerCase();
	return /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0;
});

export class WordTable {
	readonly #create: (word: string) => number;
	#cells: Int32Array = new Int32Array(FIRST_ROOM * CELLS);
	#count = 0;

	/** @param create gives the number of a word that is met for the first time */
	constructor(create: (word: string) => number) {
		this.#create = create;
	}

	/** The number of a lower-case word. */
	number(word: string): number {
		return this.#numberAt(this.#find(word), word);
	}

	/** Append the numbers of the words of an ASCII text to `row`; 0 is left out. */
	read(text: string, row: WordRow, limit: number): void {
		let start = -1;
		let hash = 0;
		let second = 0;
		for (let at = 0; at <= text.length && row.length < limit; at++) {
			const raw = at < text.length ? text.charCodeAt(at) : 0;
			const code = letters[raw] ?? 0;
			if (code !== 0) {
				if (start === -1) start = at;
				hash = Math.imul(hash ^ code, 0x01000193);
				second = Math.imul(second + code, 0x85ebca6b) ^ (second >>> 13);
			} else if (start !== -1) {
				const isMarked = raw === PLUS || raw === SHARP;
				const number = isMarked
					? this.#marked(text, start, at)
					: this.#cut(text, start, at, this.#place(hash, second, at - start));
				if (number !== 0) row.push(number);
				start = -1;
				hash = 0;
				second = 0;
			}
		}
	}

	/** Give a word a new number when it is met again. */
	forget(word: string): void {
		const place = this.#find(word);
		if (this.#cells[place + 2] !== 0) this.#cells[place + 3] = FORGOTTEN;
	}

	#cut(text: string, start: number, end: number, place: number): number {
		const number = this.#cells[place + 3] ?? 0;
		if (this.#cells[place + 2] !== 0 && number !== FORGOTTEN) return number;
		return end - start > WORD_LIMIT_CHARACTERS ? 0 : this.number(text.slice(start, end).toLowerCase());
	}

	/** c++, c#: the marks belong to the word when nothing follows them directly. */
	#marked(text: string, start: number, end: number): number {
		const [word = ''] =
			/^[a-z0-9]+(?:[+#]{1,2}(?![a-z0-9+#]))?/.exec(text.slice(start, end + 3).toLowerCase()) ?? [];
		return word.length > WORD_LIMIT_CHARACTERS ? 0 : this.number(word);
	}

	#find(word: string): number {
		let hash = 0;
		let second = 0;
		for (let at = 0; at < word.length; at++) {
			const code = word.charCodeAt(at);
			hash = Math.imul(hash ^ code, 0x01000193);
			second = Math.imul(second + code, 0x85ebca6b) ^ (second >>> 13);
		}
		return this.#place(hash, second, word.length);
	}

	/** Where the word is, or where it would be put. */
	#place(hash: number, second: number, length: number): number {
		const cells = this.#cells;
		const last = cells.length - 1;
		let place = (Math.imul(hash ^ (hash >>> 15), CELLS) >>> 0) & last & ~(CELLS - 1);
		while (cells[place + 2] !== 0) {
			if (cells[place] === hash && cells[place + 1] === second && cells[place + 2] === length) return place;
			place = (place + CELLS) & last;
		}
		cells[place] = hash;
		cells[place + 1] = second;
		return place;
	}

	#numberAt(place: number, word: string): number {
		const isKnown = this.#cells[place + 2] !== 0;
		const known = this.#cells[place + 3] ?? 0;
		if (isKnown && known !== FORGOTTEN) return known;
		const number = this.#create(word);
		this.#cells[place + 2] = word.length;
		this.#cells[place + 3] = number;
		if (!isKnown && ++this.#count * 2 * CELLS > this.#cells.length) this.#grow();
		return number;
	}

	#grow(): void {
		const old = this.#cells;
		this.#cells = new Int32Array(old.length * 2);
		for (let at = 0; at < old.length; at += CELLS) {
			const [hash = 0, second = 0, length = 0, number = 0] = old.subarray(at, at + CELLS);
			if (length === 0) continue;
			const place = this.#place(hash, second, length);
			this.#cells[place + 2] = length;
			this.#cells[place + 3] = number;
		}
	}
}
