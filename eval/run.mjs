/*
 * `npm run eval`: how well the ranker finds what people ask for in their own
 * words, beside two baselines, and how well assembly uses its budget.
 * `--misses` lists the dev questions whose answer is not among the first five;
 * `--dev` leaves the held-out questions alone. `npm run eval -- tools` measures the
 * search for tools instead, `npm run eval -- results` what long results cost,
 * `npm run eval -- plans` what plans save.
 */
import { rmSync } from 'node:fs';
import { readArgs } from '../scripts/read-args.mjs';
import { keywordCount, miniSearch } from './baselines.mjs';
import { readFragments, readQueries, unpackFragments } from './labelled.mjs';
import { heading, line, measure, splitOf } from './measure.mjs';
import { importSource } from './source.mjs';

const flag = { type: 'boolean' };
const value = { type: 'string' };
const { values, positionals } = readArgs({
	usage: [
		'npm run eval -- [--dev] [--misses]',
		'npm run eval -- tools [--dev] [--misses] [--parts] [--json] [--floor SHARE] [--set FILE]',
		'npm run eval -- results [--misses] [--budget TOKENS]',
		'npm run eval -- plans',
	].join('\n'),
	options: { dev: flag, misses: flag, parts: flag, json: flag, floor: value, set: value, budget: value },
	names: ['tools', 'results', 'plans'],
	kind: 'evaluation',
});
if (positionals.includes('tools')) {
	const { evaluateTools } = await import('./tools/run.mjs');
	await evaluateTools(values);
	process.exit(process.exitCode);
}
if (positionals.includes('plans')) {
	const { evaluatePlans } = await import('./plans/run.mjs');
	await evaluatePlans();
	process.exit(process.exitCode);
}
if (positionals.includes('results')) {
	const { evaluateResults } = await import('./results/run.mjs');
	await evaluateResults(values);
	process.exit(process.exitCode);
}
const { Library } = await importSource('library/library.ts');
const { readFragment } = await importSource('library/files/fragment.ts');
const BUDGET = 1_000;
const isDevOnly = values.dev === true;
/** Collections, and the queries of each. Those of `trades` are split by hash. */
const sets = [
	{ fragments: 'fragments', splits: ['dev', 'dev-hard', ...(isDevOnly ? [] : ['held-out'])] },
	{ fragments: 'everyday', splits: ['everyday'] },
	{ fragments: 'trades', splits: ['trades dev', ...(isDevOnly ? [] : ['trades held-out'])] },
];

console.log(heading('questions'));
for (const { fragments: set, splits } of sets) {
	const root = unpackFragments(set);
	const library = Library.open({ resources: root });
	try {
		const fragments = indexed(set);
		for (const split of splits) await reportSplit(split, library, fragments);
		if (splits.includes('held-out')) await reportBudget(library);
	} finally {
		await library.close();
		rmSync(root, { recursive: true, force: true });
	}
}

async function reportSplit(split, library, fragments) {
	const queries = queriesOf(split);
	const subjects = {
		orchestra: await ranker(library, queries),
		minisearch: miniSearch(fragments),
		'keyword count': keywordCount(fragments),
	};
	for (const [name, rank] of Object.entries(subjects))
		console.log(
			line(name === 'orchestra' ? `${split} (${queries.length})` : `    ${name}`, measure(queries, rank)),
		);
	for (const kind of new Set(queries.map((query) => query.kind))) {
		const chosen = queries.filter((query) => query.kind === kind);
		console.log(line(`    ${kind} (${chosen.length})`, measure(chosen, subjects.orchestra)));
	}
	if (values.misses && !split.endsWith('held-out')) reportMisses(queries, subjects.orchestra);
}

function queriesOf(split) {
	const read = (name) =>
		readQueries(name).map((query) => ({ ...query, wanted: query.wanted.map((each) => [each]) }));
	if (!split.startsWith('trades')) return read(split);
	return read('trades').filter(({ query }) => `trades ${splitOf(query)}` === split);
}

/** Answers are looked up once, so that grading can ask synchronously. */
async function ranker(library, queries) {
	const answers = new Map();
	for (const { query } of queries) {
		const { matches } = await library.find(query, { maxResults: 10, maxTokens: 100_000 });
		answers.set(
			query,
			matches.map(({ fragment }) => fragment.name),
		);
	}
	return (query) => answers.get(query) ?? [];
}

/** The same metadata for everyone. */
function indexed(set) {
	return readFragments(set).map(({ name, text }) => {
		const { fragment } = readFragment({ file: `${name}.md`, text, size: text.length });
		return { ...fragment, body: text };
	});
}

async function reportBudget(library) {
	let used = 0;
	let wantedTokens = 0;
	let held = 0;
	const queries = readQueries('held-out');
	for (const { query, wanted } of queries) {
		const { tokens, matches } = await library.find(query, { mode: 'full', maxTokens: BUDGET });
		const good = matches.filter(({ fragment }) => wanted.includes(fragment.name));
		used += tokens / BUDGET;
		held += good.length / wanted.length;
		wantedTokens += good.reduce((sum, { fragment }) => sum + fragment.tokens, 0) / tokens;
	}
	const share = (sum) => `${((100 * sum) / queries.length).toFixed(1)} %`;
	console.log(
		`\nassembly in ${BUDGET} tokens (held-out): ${share(used)} of the budget used, ${share(held)} of the wanted fragments in it, ${share(wantedTokens)} of the text is wanted`,
	);
}

function reportMisses(queries, rank) {
	for (const { query, wanted } of queries) {
		const found = rank(query).slice(0, 5);
		const missing = wanted.flat().filter((name) => !found.includes(name));
		if (missing.length > 0)
			console.log(`  ${query}\n    wanted ${missing.join(', ')}\n    found  ${found.join(', ')}`);
	}
}
