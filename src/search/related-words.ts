/*
 * Abbreviations and near synonyms of the trade, in both directions. Kept small
 * on purpose: `npm run eval` is the judge of every group.
 */

const groups = [
	'auth authentication login signin',
	'db database',
	'k8s kubernetes',
	'repo repository',
	'config configuration settings',
	'env environment',
	'docs documentation',
	'ts typescript',
	'js javascript',
	'py python',
	'perf performance',
	'slow latency performance',
	'crash failure',
	'bug defect',
	'delete remove',
	'picture image photo',
	'speed performance',
	'error failure exception',
	'password credential secret',
	'url link',
	'folder directory',
	'function method',
];

const related = new Map<string, string[]>();
for (const group of groups) {
	const words = group.split(' ');
	for (const word of words) {
		const others = words.filter((other) => other !== word);
		related.set(word, [...(related.get(word) ?? []), ...others]);
	}
}

/** Words that `word` is often used for. */
export function relatedWords(word: string): readonly string[] {
	return related.get(word) ?? [];
}
