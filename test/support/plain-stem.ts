/* The rules of the stemmer written plainly, one after another: what the fast one is held against. */

const SHORTEST_STEM = 3;
const VOWEL = /[aeiouy]/;
const DOUBLED = /([bdfgkmnprtz])\1$/;

/** Endings that make one word of another; the first that fits is taken. */
const derived: ReadonlyArray<readonly [ending: string, least: number]> = [
	['ability', 4],
	['ibility', 4],
	['fulness', 4],
	['able', 4],
	['ible', 4],
	['ment', 4],
	['ness', 4],
	['ally', 4],
	['atic', 4],
	['ance', 5],
	['ence', 5],
	['ancy', 5],
	['ency', 5],
	['ent', 5],
	['ive', 5],
	['ize', 4],
	['ise', 5],
	['ity', 5],
	['ful', 4],
	['ly', 4],
	['al', 5],
];

/** The stem of a lower-case word. */
export function plainStem(word: string): string {
	if (word.length <= SHORTEST_STEM || !/^[a-z]+$/.test(word)) return word;
	const single = withoutPlural(word);
	const plain = withoutTense(single);
	return tidy(plain === single ? withoutDerivation(single) : withoutFormer(plain), plain !== single);
}

function withoutPlural(word: string): string {
	if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
	if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
	if (word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
	return word;
}

function withoutTense(word: string): string {
	for (const ending of ['ing', 'ed', 'er']) {
		const rest = word.slice(0, -ending.length);
		const least = ending === 'er' ? 4 : SHORTEST_STEM;
		if (word.endsWith(ending) && rest.length >= least && VOWEL.test(rest)) return rest.replace(DOUBLED, '$1');
	}
	return word;
}

function withoutDerivation(word: string): string {
	if (/i[sz]ation$/.test(word) && word.length >= 11) return word.slice(0, -7);
	if (word.endsWith('ically') && word.length >= 10) return withoutDerivation(word.slice(0, -4));
	if (/[st]ion$/.test(word) && word.length >= 6) return withoutAt(word.slice(0, -3));
	if (/[st]or$/.test(word) && word.length >= 6) return withoutAt(word.slice(0, -2));
	if (word.endsWith('ate') && word.length >= 7) return word.slice(0, -3);
	for (const [ending, least] of derived) {
		if (word.endsWith(ending) && word.length - ending.length >= least) return word.slice(0, -ending.length);
	}
	return word;
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
	return lostTense ? word.replace(DOUBLED, '$1') : word;
}
