/*
 * A stemmer for English: migrate, migrates, migrating, migration and migrations all
 * become `migr`.
 *
 * A few suffixes are removed in three steps. It prefers to remove too little: two words
 * that are merged wrongly give a wrong hit, two forms that stay apart only a weaker one.
 * Thousands of words are stemmed before the first search, by code that V8 has not
 * optimized yet, so the last letter selects the suffixes to test.
 */

const SHORTEST_STEM = 3;
const VOWEL = /[aeiouy]/;
/** Words of Russian and its relatives: endings of nouns, adjectives and verbs, behind four letters at least. */
const CYRILLIC = /^[а-я]+$/;
const CYRILLIC_ENDING =
	/(?<=.{4})(?:иями|ями|ами|ого|его|ому|ему|ыми|ими|ует|уют|ать|ить|ять|еть|ает|яет|ют|ет|ит|ия|ии|ие|ию|ей|ой|ый|ий|ая|яя|ое|ее|ые|ую|юю|ом|ем|ам|ям|ах|ях|ов|ев|ть|ы|и|а|я|о|е|у|ю|ь|й)$/;
/** Letters that are doubled before an ending. */
const DOUBLING = 'bdfgkmnprtz';

type Ending = readonly [ending: string, least: number];

/** Endings that make one word of another, by their last letter; the first that fits is taken. */
const derived: Readonly<Record<string, readonly Ending[]>> = {
	c: [['atic', 4]],
	e: [
		['able', 4],
		['ible', 4],
		['ance', 5],
		['ence', 5],
		['ive', 5],
		['ize', 4],
		['ise', 5],
	],
	l: [
		['ful', 4],
		['al', 5],
	],
	s: [
		['fulness', 4],
		['ness', 4],
	],
	t: [
		['ment', 4],
		['ent', 5],
	],
	y: [
		['ability', 4],
		['ibility', 4],
		['ally', 4],
		['ancy', 5],
		['ency', 5],
		['ity', 5],
		['ly', 4],
	],
};

/** Endings of tense and of who does it, by their last letter. */
const tenses: Readonly<Record<string, Ending>> = {
	g: ['ing', SHORTEST_STEM],
	d: ['ed', SHORTEST_STEM],
	r: ['er', 4],
};

/** The stem of a lower-case word; numbers, short words and scripts other than Latin and Cyrillic stay as they are. */
export function stem(word: string): string {
	if (word.length <= SHORTEST_STEM) return word;
	if (!/^[a-z]+$/.test(word)) return CYRILLIC.test(word) ? word.replace(CYRILLIC_ENDING, '') : word;
	const single = word.endsWith('s') ? withoutPlural(word) : word;
	const plain = withoutTense(single);
	return tidy(plain === single ? withoutDerivation(single) : withoutFormer(plain), plain !== single);
}

function withoutPlural(word: string): string {
	if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
	if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
	return /[sui]s$/.test(word) ? word : word.slice(0, -1);
}

function withoutTense(word: string): string {
	const tense = tenses[word.at(-1) ?? ''];
	if (!tense || !word.endsWith(tense[0])) return word;
	const rest = word.slice(0, -tense[0].length);
	return rest.length >= tense[1] && VOWEL.test(rest) ? withoutDouble(rest) : word;
}

function withoutDerivation(word: string): string {
	const last = word.at(-1) ?? '';
	if (last === 'n') return withoutIon(word);
	if (last === 'r') return /[st]or$/.test(word) && word.length >= 6 ? withoutAt(word.slice(0, -2)) : word;
	if (word.endsWith('ically') && word.length >= 10) return withoutDerivation(word.slice(0, -4));
	if (word.endsWith('ate') && word.length >= 7) return word.slice(0, -3);
	for (const [ending, least] of derived[last] ?? []) {
		if (word.endsWith(ending) && word.length - ending.length >= least) return word.slice(0, -ending.length);
	}
	return word;
}

function withoutIon(word: string): string {
	if (word.length < 6 || !/[st]ion$/.test(word)) return word;
	return /i[sz]ation$/.test(word) && word.length >= 11 ? word.slice(0, -7) : withoutAt(word.slice(0, -3));
}

/** A word that lost its tense also lost the `e` that would tell `migrat` from `combat`. */
function withoutFormer(word: string): string {
	if (/[^aeiou]at$/.test(word) && word.length >= 6) return word.slice(0, -2);
	if (/i[sz]$/.test(word) && word.length >= 7) return word.slice(0, -2);
	if (word.endsWith('ell') && word.length >= 6) return word.slice(0, -1);
	return withoutDerivation(word);
}

function withoutAt(word: string): string {
	const root = word.endsWith('at') && word.length >= 6 ? word.slice(0, -2) : word;
	return root.endsWith('ment') && root.length >= 8 ? root.slice(0, -4) : root;
}

/** Make the ends of related forms meet: cache and cach, query and queri. */
function tidy(word: string, lostTense: boolean): string {
	if (word.length <= SHORTEST_STEM) return word;
	if (word.endsWith('e')) return word.slice(0, -1);
	if (word.endsWith('y') && !/[aeiou]y$/.test(word)) return `${word.slice(0, -1)}i`;
	return lostTense ? withoutDouble(word) : word;
}

/** `plann` to `plan`. */
function withoutDouble(word: string): string {
	const last = word.at(-1) ?? '';
	return word.at(-2) === last && DOUBLING.includes(last) ? word.slice(0, -1) : word;
}
