/*
 * The measures of a ranking, the same for tools and documents: recall@1, @5, @10, MRR and
 * nDCG@5, each with a 95 % confidence interval by bootstrap over the queries. Queries are
 * split into dev and held-out by a hash of their text, so that nobody chooses.
 */
import { createHash } from 'node:crypto';

/** Samples of the bootstrap. */
const SAMPLES = 1000;
export const measures = ['recall@1', 'recall@5', 'recall@10', 'MRR', 'nDCG@5'];

/** `dev` or `held-out`, half of the queries each. */
export function splitOf(query) {
	return createHash('sha256').update(query).digest()[0] % 2 === 0 ? 'dev' : 'held-out';
}

/** Lines of `kind | query | wanted/another that does it, second wanted`. */
export function readQueryLines(text) {
	return text
		.split('\n')
		.filter((line) => line !== '' && !line.startsWith('#'))
		.map((line) => {
			const [kind, query, wanted] = line.split(' | ');
			return { kind, query, wanted: wanted.split(', ').map((each) => each.split('/')) };
		});
}

/**
 * Each measure with its interval: `{ 'recall@5': { value, low, high }, … }`. A query wants one or more things,
 * each of them any of several names.
 */
export function measure(queries, rank) {
	const rows = queries.map(({ query, wanted }) => scoresOf(wanted, rank(query)));
	return Object.fromEntries(measures.map((name, at) => [name, interval(rows.map((row) => row[at]))]));
}

function scoresOf(wanted, found) {
	const ranks = wanted.map((any) => found.findIndex((name) => any.includes(name)));
	const within = (count) => ranks.filter((rank) => rank !== -1 && rank < count).length / wanted.length;
	const first = Math.min(...ranks.map((rank) => (rank === -1 ? Number.POSITIVE_INFINITY : rank)));
	const gain = (rank) => 1 / Math.log2(rank + 2);
	const ideal = wanted.slice(0, 5).reduce((sum, _, rank) => sum + gain(rank), 0);
	const gained = ranks.reduce((sum, rank) => sum + (rank === -1 || rank > 4 ? 0 : gain(rank)), 0);
	return [within(1), within(5), within(10), 1 / (first + 1), Math.min(1, gained / ideal)];
}

/** Mean and the middle 95 % of the means of samples; the samples are the same in every run. */
function interval(values) {
	const mean = (list) => list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length);
	let seed = 1;
	const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
	const means = Array.from({ length: SAMPLES }, () =>
		mean(values.map(() => values[Math.floor(random() * values.length)])),
	).sort((a, b) => a - b);
	return {
		value: mean(values),
		low: means[Math.floor(0.025 * SAMPLES)],
		high: means[Math.floor(0.975 * SAMPLES)],
	};
}

export function heading(first = 'set') {
	return `${first.padEnd(34)} ${measures.map((name) => name.padStart(9)).join(' ')}   95 % of recall@5`;
}

export function line(label, measured) {
	const cells = measures.map((name) => measured[name].value.toFixed(3).padStart(9)).join(' ');
	const { low, high } = measured['recall@5'];
	return `${label.padEnd(34)} ${cells}   ${low.toFixed(3)} … ${high.toFixed(3)}`;
}
