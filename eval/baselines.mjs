/*
 * What the ranker is compared with, in the same run and on the same documents:
 * plain minisearch as it comes, and a scorer that counts keywords.
 */
import MiniSearch from 'minisearch';

/** minisearch with its defaults over the same fields. */
export function miniSearch(fragments) {
	const fields = ['title', 'tags', 'useWhen', 'capabilities', 'description', 'body'];
	const engine = new MiniSearch({ idField: 'name', fields });
	engine.addAll(fragments.map((fragment) => ({ ...fragment, ...joined(fragment) })));
	return (query) => engine.search(query).map(({ id }) => id);
}

/** Keywords counted: tags 15 exact and 10 partial, capabilities 12 and 8, useWhen 5, a pair of words 20. */
export function keywordCount(fragments) {
	return (query) => {
		const words = query.toLowerCase().match(/[a-z0-9]{2,}/g) ?? [];
		const pairs = words.slice(1).map((word, index) => `${words[index]} ${word}`);
		return fragments
			.map((fragment) => ({ name: fragment.name, score: keywordScore(fragment, words, pairs) }))
			.filter(({ score }) => score > 0)
			.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
			.map(({ name }) => name);
	};
}

function keywordScore(fragment, words, pairs) {
	const { tags, capabilities, useWhen } = fragment;
	const lower = (list) => list.map((text) => text.toLowerCase());
	const text = [fragment.title, ...tags, ...capabilities, ...useWhen].join(' ').toLowerCase();
	let score = 0;
	for (const word of words) {
		for (const tag of lower(tags)) score += tag === word ? 15 : tag.includes(word) ? 10 : 0;
		for (const line of lower(capabilities))
			score += line.split(/\W+/).includes(word) ? 12 : line.includes(word) ? 8 : 0;
		for (const line of lower(useWhen)) score += line.includes(word) ? 5 : 0;
	}
	return score + 20 * pairs.filter((pair) => text.includes(pair)).length;
}

function joined({ tags, useWhen, capabilities }) {
	return { tags: tags.join(' '), useWhen: useWhen.join('\n'), capabilities: capabilities.join('\n') };
}
