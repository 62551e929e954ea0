/*
 * What each word weighs in a document: its occurrences, by the worth of the
 * field. Repetition counts less and less within each field, so a long text that
 * says a word a hundred times stays behind a title that says it.
 *
 * The columns are as long as the vocabulary and empty again after each document.
 */
import type { SearchField } from './document.ts';

/** How fast repetition in one field stops to count. */
const FIELD_SATURATION = 1;
/** How much of the length of a field is held against it: 0 nothing, 1 all. */
const LENGTH_SHARE = 0.5;

export interface WordNumbers {
	/** Numbers of postings in reading order; 0 ends an item. */
	numbers: Uint32Array;
	/** Where each field starts, and the end. */
	starts: readonly number[];
}

export class FieldWeights {
	readonly #fields: readonly SearchField[];
	#weights = new Float64Array(1024);
	/** Occurrences in the field that is being weighed. */
	#counts = new Float64Array(1024);

	constructor(fields: readonly SearchField[]) {
		this.#fields = fields;
	}

	/** @param take is given every word of the document once, with its weight */
	weigh(words: WordNumbers, highest: number, take: (number: number, weight: number) => void): void {
		this.#makeRoom(highest + 1);
		for (let field = 0; field < this.#fields.length; field++) this.#weighField(words, field);
		const weights = this.#weights;
		weights[0] = 0;
		const end = words.starts.at(-1) ?? 0;
		for (let at = 0; at < end; at++) {
			const number = words.numbers[at] ?? 0;
			const weight = weights[number] ?? 0;
			if (weight === 0) continue;
			weights[number] = 0;
			take(number, weight);
		}
	}

	#weighField({ numbers, starts }: WordNumbers, field: number): void {
		const { weight = 1, typicalWords = 1 } = this.#fields[field] ?? {};
		const start = starts[field] ?? 0;
		const end = starts[field + 1] ?? 0;
		const one = 1 / (1 - LENGTH_SHARE + (LENGTH_SHARE * (end - start)) / typicalWords);
		const weights = this.#weights;
		const counts = this.#counts;
		for (let at = start; at < end; at++) {
			const number = numbers[at] ?? 0;
			counts[number] = (counts[number] ?? 0) + one;
		}
		for (let at = start; at < end; at++) {
			const number = numbers[at] ?? 0;
			const count = counts[number] ?? 0;
			if (count === 0) continue;
			counts[number] = 0;
			weights[number] =
				(weights[number] ?? 0) + (weight * count * (FIELD_SATURATION + 1)) / (count + FIELD_SATURATION);
		}
	}

	#makeRoom(wanted: number): void {
		if (wanted <= this.#weights.length) return;
		this.#weights = new Float64Array(2 * wanted);
		this.#counts = new Float64Array(2 * wanted);
	}
}
