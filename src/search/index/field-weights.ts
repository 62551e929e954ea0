/*
 * The weight of each word in a document: its occurrences, weighted by field. Term
 * frequency saturates within each field, so a long text that repeats a word a hundred
 * times ranks below a title that has it.
 *
 * The table has one entry per word of the vocabulary and is cleared after each
 * document. Both numbers of a word are adjacent: one cache line.
 */
import type { SearchField } from '../document.ts';
import type { WordPlaces } from './word-row.ts';

/** How fast repetition in one field stops to count. */
const FIELD_SATURATION = 1;
/** How much of the length of a field counts against it: 0 nothing, 1 all. */
const LENGTH_SHARE = 0.5;

export class FieldWeights {
	readonly #fields: readonly SearchField[];
	/** Each word has its weight so far, and its occurrences in the field that is being weighed. */
	#table = new Float64Array(2048);

	constructor(fields: readonly SearchField[]) {
		this.#fields = fields;
	}

	/** @param take is given every word of the document once, with its weight */
	weigh(words: WordPlaces, highest: number, take: (number: number, weight: number) => void): void {
		this.#makeRoom(highest + 1);
		for (let field = 0; field < this.#fields.length; field++) this.#weighField(words, field);
		const table = this.#table;
		table[0] = 0;
		const end = words.starts.at(-1) ?? 0;
		for (let at = 0; at < end; at++) {
			const number = words.row[at] ?? 0;
			const weight = table[2 * number] ?? 0;
			if (weight === 0) continue;
			table[2 * number] = 0;
			take(number, weight);
		}
	}

	#weighField({ row, starts }: WordPlaces, field: number): void {
		const { weight = 1, typicalWords = 1 } = this.#fields[field] ?? {};
		const start = starts[field] ?? 0;
		const end = starts[field + 1] ?? 0;
		const one = 1 / (1 - LENGTH_SHARE + (LENGTH_SHARE * (end - start)) / typicalWords);
		const table = this.#table;
		for (let at = start; at < end; at++) {
			const place = 2 * (row[at] ?? 0) + 1;
			table[place] = (table[place] ?? 0) + one;
		}
		for (let at = start; at < end; at++) {
			const place = 2 * (row[at] ?? 0);
			const count = table[place + 1] ?? 0;
			if (count === 0) continue;
			table[place + 1] = 0;
			table[place] =
				(table[place] ?? 0) + (weight * count * (FIELD_SATURATION + 1)) / (count + FIELD_SATURATION);
		}
	}

	#makeRoom(wanted: number): void {
		if (2 * wanted > this.#table.length) this.#table = new Float64Array(4 * wanted);
	}
}
