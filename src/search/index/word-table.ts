/*
 * A hash table from spelling to number that reads words directly from the bytes of a
 * text.
 *
 * Loading a large collection looks up millions of words, nearly all of them known. This
 * table finds them without creating a string for each, and with one cache miss: the key
 * of a word is two independent 32-bit hashes and its length, adjacent to its number. A
 * collision of all three does not occur in practice, and would only merge two words.
 * The text is copied to bytes first, because access to single characters of a string
 * costs several times as much. Words with other characters than ASCII letters and
 * digits are left to `wordsOf`.
 */
import { WORD_LIMIT_CHARACTERS } from '../search-limits.ts';
import { copyString } from '../text/copy-string.ts';
import {
	BEYOND_ASCII,
	continuesWord,
	extraByte,
	hasHump,
	isPunctuation,
	letters,
} from '../text/word-bytes.ts';
import { wordsOf } from '../text/words.ts';
import type { WordRow } from './word-row.ts';

const FIRST_ROOM = 1024;
/** First hash, second hash, length, number. */
const CELLS = 4;
/** The mark of a word that was forgotten, in place of its number. */
const FORGOTTEN = -1;
/** A text with more than one byte beyond ASCII for so many characters is not read here. */
const CHARACTERS_FOR_ONE = 8;
const encoder = new TextEncoder();

export class WordTable {
	readonly #create: (word: string) => number;
	#cells: Int32Array = new Int32Array(FIRST_ROOM * CELLS);
	#bytes: Uint8Array = new Uint8Array(FIRST_ROOM);
	#count = 0;

	/** @param create returns the number of a new word */
	constructor(create: (word: string) => number) {
		this.#create = create;
	}

	/** The number of a lower-case word. */
	number(word: string): number {
		return this.#numberAt(this.#find(word), word);
	}

	/** Append the numbers of the words of a text to `row`, 0 left out. False when little of it is ASCII, and nothing is done. */
	read(text: string, row: WordRow, limit: number): boolean {
		const end = this.#encode(text);
		if ((end - text.length) * CHARACTERS_FOR_ONE > text.length) return false;
		const bytes = this.#bytes;
		let at = 0;
		/** How many bytes more than characters there were so far. */
		let ahead = 0;
		while (row.length < limit) {
			for (; at < end && letters[bytes[at] ?? 0] === 0; at++) {
				if ((bytes[at] ?? 0) < BEYOND_ASCII) continue;
				if (!isPunctuation(bytes, at)) break;
				at += 2;
				ahead += 2;
			}
			if (at >= end) break;
			const start = at;
			let hash = 0;
			let second = 0;
			let capitals = 0;
			for (;;) {
				const raw = bytes[at] ?? 0;
				const code = letters[raw] ?? 0;
				if (code === 0) break;
				hash = Math.imul(hash ^ code, 0x01000193);
				second = Math.imul(second + code, 0x85ebca6b) ^ (second >>> 13);
				capitals |= raw ^ code;
				at++;
			}
			if (continuesWord(bytes, at) || (capitals !== 0 && hasHump(bytes, start, at))) {
				const from = start - ahead;
				for (; letters[bytes[at] ?? 0] !== 0 || continuesWord(bytes, at); at++)
					ahead += extraByte(bytes[at] ?? 0);
				this.#spell(text.slice(from, at - ahead), row, limit);
				continue;
			}
			const place = this.#place(hash, second, at - start);
			const number = this.#knownAt(place) ?? this.#meet(text.slice(start - ahead, at - ahead));
			if (number !== 0) row.push(number);
		}
		return true;
	}

	/** Forget a word: it gets a new number when it is read again. */
	forget(word: string): void {
		const place = this.#find(word);
		if (this.#cells[place + 2] !== 0) this.#cells[place + 3] = FORGOTTEN;
	}

	/** Copy a text to `#bytes`, zero-terminated. Returns the number of bytes. */
	#encode(text: string): number {
		for (let room = text.length + 1; ; room = 3 * text.length + 1) {
			if (this.#bytes.length < room) this.#bytes = new Uint8Array(Math.max(2 * this.#bytes.length, room));
			const { read, written } = encoder.encodeInto(text, this.#bytes);
			if (read < text.length || written === this.#bytes.length) continue;
			this.#bytes[written] = 0;
			return written;
		}
	}

	/** Undefined for a word that is not known at this place. */
	#knownAt(place: number): number | undefined {
		const number = this.#cells[place + 3];
		return this.#cells[place + 2] === 0 || number === FORGOTTEN ? undefined : number;
	}

	#meet(word: string): number {
		return word.length > WORD_LIMIT_CHARACTERS ? 0 : this.number(copyString(word).toLowerCase());
	}

	/** Append the words of a piece of text that takes more than a look at its letters. */
	#spell(piece: string, row: WordRow, limit: number): void {
		for (const word of wordsOf(copyString(piece), limit - row.length)) {
			const number = this.number(word);
			if (number !== 0) row.push(number);
		}
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
		const known = this.#knownAt(place);
		if (known !== undefined) return known;
		const isNew = this.#cells[place + 2] === 0;
		const number = this.#create(word);
		this.#cells[place + 2] = word.length;
		this.#cells[place + 3] = number;
		if (isNew && ++this.#count * 2 * CELLS > this.#cells.length) this.#grow();
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
