/*
 * A rare word of the question in a title is the surest sign there is: somebody named
 * the thing. Meaning and guesses add up over many documents and could outweigh it. So
 * a document with such a title never ranks below one that does not hold the word,
 * unless that one holds about as much of the other telling words of the question.
 */
import { isCommonWord } from './common-words.ts';
import type { Posting } from './posting.ts';
import type { QueryWord } from './query.ts';

/** A word is rare when at most this part of the documents holds it, or two of them. */
const RARE_SHARE = 0.01;
const RARE_DOCUMENTS = 2;
/** A document that holds so much of the telling words, beside what the lifted one holds, is left where it is. */
const OUTWEIGHS_SHARE = 0.75;
/** Keeps the order among those that are lifted to one height. */
const TIE_BREAK = 1e-6;

interface Row {
	/** Numbers of postings in reading order. */
	row: Uint32Array;
	/** Where each field starts in the row, and the end. */
	starts: readonly number[];
}

interface Found {
	document: Row & { id: string };
	exact: number;
}

/** A word that the question says itself and that has a subject. */
interface TellingWord {
	posting: Posting;
	rarity: number;
	isRare: boolean;
}

export class RareTitles {
	readonly #telling: readonly TellingWord[];
	readonly #titleField: number;

	constructor(words: readonly QueryWord[], documents: number, titleField: number) {
		const most = Math.max(RARE_DOCUMENTS, RARE_SHARE * documents);
		this.#titleField = titleField;
		this.#telling = words.flatMap(({ text, alternatives: [own] }) => {
			if (own?.kind !== 'word' || isCommonWord(text)) return [];
			return [{ posting: own.posting, rarity: own.rarity, isRare: own.posting.count <= most }];
		});
	}

	/** Slots of documents with a rare word anywhere; there are few. */
	slots(): Set<number> {
		const slots = new Set<number>();
		for (const { posting, isRare } of this.#telling) {
			for (let at = 0; isRare && at < posting.end; at += 2) slots.add(posting.entries[at] ?? 0);
		}
		return slots;
	}

	/** Sorts the best first, documents with a rare word in the title where they belong. */
	sort<Ranked extends Found>(found: readonly Ranked[]): Ranked[] {
		const rare = this.#telling.filter(({ isRare }) => isRare);
		const lifted = found.map((one) => {
			const named = rare.filter(({ posting }) => this.#isInTitle(one.document, posting));
			return named.length === 0 ? one : this.#lift(one, named, found);
		});
		return lifted.sort((a, b) => b.exact - a.exact || (a.document.id < b.document.id ? -1 : 1));
	}

	#lift<Ranked extends Found>(one: Ranked, named: readonly TellingWord[], found: readonly Ranked[]): Ranked {
		const held = OUTWEIGHS_SHARE * this.#heldBy(one.document);
		let floor = 0;
		for (const { document, exact } of found) {
			const isWithout = exact > floor && !named.some(({ posting }) => document.row.includes(posting.number));
			if (isWithout && this.#heldBy(document) < held) floor = exact;
		}
		return one.exact > floor ? one : { ...one, exact: floor + one.exact * TIE_BREAK };
	}

	/** Worth of the telling words that a document holds. */
	#heldBy({ row }: Row): number {
		return this.#telling.reduce(
			(sum, { posting, rarity }) => sum + (row.includes(posting.number) ? rarity : 0),
			0,
		);
	}

	#isInTitle({ row, starts }: Row, { number }: Posting): boolean {
		return row.subarray(starts[this.#titleField] ?? 0, starts[this.#titleField + 1] ?? 0).includes(number);
	}
}
