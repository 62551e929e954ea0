/*
 * A rare query word in a title is the strongest evidence of relevance. Cosine similarity
 * and expansion terms add up over many documents and could outweigh it. So a document with
 * such a title never ranks below one without the word, unless that one has about as
 * much of the other significant words of the query (docs/decisions/0011).
 */
import { isCommonWord } from '../text/common-words.ts';
import type { PostingList } from './posting-list.ts';
import type { QueryWord } from './query.ts';
import type { WordPlaces } from './word-row.ts';

/** A word is rare when at most this part of the documents has it, or two of them. */
const RARE_SHARE = 0.01;
const RARE_DOCUMENTS = 2;
/** A document that has so much of the significant words, beside those of the lifted one, is left where it is. */
const OUTWEIGHS_SHARE = 0.6;
/** Keeps the order among those that are lifted to one height. */
const TIE_BREAK = 1e-6;

interface Found {
	document: WordPlaces & { id: string };
	exact: number;
}

/** A word that the query says itself and that has a subject. */
interface SignificantWord {
	posting: PostingList;
	rarity: number;
	isRare: boolean;
}

export class RareTitles {
	readonly #significant: readonly SignificantWord[];
	readonly #titleField: number;
	/** Keyed by the number of the posting. */
	readonly #bits: ReadonlyMap<number, number>;

	constructor(words: readonly QueryWord[], documents: number, titleField: number) {
		const most = Math.max(RARE_DOCUMENTS, RARE_SHARE * documents);
		this.#titleField = titleField;
		this.#significant = words.flatMap(({ text, alternatives: [own] }) => {
			if (own?.kind !== 'word' || isCommonWord(text)) return [];
			return [{ posting: own.posting, rarity: own.rarity, isRare: own.posting.count <= most }];
		});
		this.#bits = new Map(this.#significant.map(({ posting }, at) => [posting.number, 1 << at]));
	}

	/** Slots of documents with a rare word in the title. */
	slots(documentAt: (slot: number) => WordPlaces | undefined): Set<number> {
		const slots = new Set<number>();
		for (const { posting, isRare } of this.#significant) {
			for (let at = 0; isRare && at < posting.end; at += 2) {
				const document = documentAt(posting.entries[at] ?? 0);
				if (document && this.#isInTitle(document, posting)) slots.add(posting.entries[at] ?? 0);
			}
		}
		return slots;
	}

	/** Sorts the best first, documents with a rare word in the title where they belong. */
	sort<Ranked extends Found>(found: readonly Ranked[]): Ranked[] {
		const named = found.map(({ document }) => this.#namedBy(document));
		const lifted = named.every((bits) => bits === 0) ? [...found] : this.#lift(found, named);
		return lifted.sort((a, b) => b.exact - a.exact || (a.document.id < b.document.id ? -1 : 1));
	}

	#lift<Ranked extends Found>(found: readonly Ranked[], named: readonly number[]): Ranked[] {
		const matched = found.map(({ document }) => this.#matchesOf(document));
		const worth = matched.map((bits) => this.#worthOf(bits));
		return found.map((one, at) => {
			const own = named[at] ?? 0;
			if (own === 0) return one;
			const most = OUTWEIGHS_SHARE * (worth[at] ?? 0);
			let floor = 0;
			for (const [other, { exact }] of found.entries()) {
				const isWithout = ((matched[other] ?? 0) & own) === 0 && (worth[other] ?? 0) < most;
				if (isWithout && exact > floor) floor = exact;
			}
			return one.exact > floor ? one : { ...one, exact: floor + one.exact * TIE_BREAK };
		});
	}

	/** The rare words in the title of a document, a bit each; a query has at most 30 words. */
	#namedBy(document: WordPlaces): number {
		return this.#significant.reduce(
			(bits, { posting, isRare }, at) =>
				isRare && this.#isInTitle(document, posting) ? bits | (1 << at) : bits,
			0,
		);
	}

	/** The significant words that a document has, a bit each. One pass: a document may have 50,000 words. */
	#matchesOf({ row }: WordPlaces): number {
		let bits = 0;
		for (const number of row) bits |= this.#bits.get(number) ?? 0;
		return bits;
	}

	#worthOf(bits: number): number {
		return this.#significant.reduce(
			(sum, { rarity }, at) => sum + ((bits & (1 << at)) === 0 ? 0 : rarity),
			0,
		);
	}

	#isInTitle({ row, starts }: WordPlaces, { number }: PostingList): boolean {
		return row.subarray(starts[this.#titleField] ?? 0, starts[this.#titleField + 1] ?? 0).includes(number);
	}
}
