/*
 * The labelled set: fragments as files in a folder, questions with the
 * fragments that answer them. Questions are split: `dev` may be looked at while
 * the ranker is changed, and so may `dev-hard`, most of which share no telling
 * word with their answer; `held-out` is only ever measured. The set `everyday` has
 * fragments and questions of its own, about cooking, law, history and the like: what
 * is tuned to one trade must not cost another.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const here = import.meta.dirname;

/** Write every fragment as a file into a temporary resources folder; the caller removes it. */
export function unpackFragments(set = 'fragments') {
	const root = mkdtempSync(join(tmpdir(), 'orchestra-eval-'));
	for (const { name, text } of readFragments(set)) {
		const file = join(root, `${name}.md`);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	}
	return root;
}

/** Each topic file holds fragments one after another, headed by `=== name`. */
export function readFragments(set = 'fragments') {
	const folder = join(here, set);
	return readdirSync(folder)
		.sort()
		.flatMap((file) => {
			const parts = readFileSync(join(folder, file), 'utf8')
				.split(/^=== (.+)\n/m)
				.slice(1);
			return Array.from({ length: parts.length / 2 }, (_, index) => ({
				topic: file.replace('.txt', ''),
				name: parts[2 * index],
				text: `${parts[2 * index + 1].trim()}\n`,
			}));
		});
}

/** Lines of `kind | question | wanted, wanted`. */
export function readQueries(split) {
	const lines = readFileSync(join(here, `queries-${split}.txt`), 'utf8').split('\n');
	return lines
		.filter((line) => line !== '' && !line.startsWith('#'))
		.map((line) => {
			const [kind, query, wanted] = line.split(' | ');
			return { kind, query, wanted: wanted.split(', ') };
		});
}

/** Shares over all questions: the wanted that are first, among five, and the mean of one over the first rank. */
export function grade(queries, rank) {
	const sums = { recall1: 0, recall5: 0, mrr: 0 };
	for (const { query, wanted } of queries) {
		const found = rank(query);
		const first = found.findIndex((name) => wanted.includes(name));
		sums.recall1 += wanted.includes(found[0]) ? 1 : 0;
		sums.recall5 += wanted.filter((name) => found.slice(0, 5).includes(name)).length / wanted.length;
		sums.mrr += first === -1 ? 0 : 1 / (first + 1);
	}
	const share = (sum) => sum / Math.max(1, queries.length);
	return { recall1: share(sums.recall1), recall5: share(sums.recall5), mrr: share(sums.mrr) };
}
