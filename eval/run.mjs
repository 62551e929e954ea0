/*
 * `npm run eval`: how well the ranker finds what people ask for in their own
 * words, beside two baselines, and how well assembly uses its budget.
 * `--misses` lists the dev questions whose answer is not among the first five;
 * `--dev` leaves the held-out questions alone. `npm run eval -- tools` measures the
 * search for tools instead.
 */
import { rmSync } from 'node:fs';
import { Library, readFragment } from '../dist/library/index.js';
import { keywordCount, miniSearch } from './baselines.mjs';
import { grade, readFragments, readQueries, unpackFragments } from './labelled.mjs';

if (process.argv.includes('tools')) {
	const { evaluateTools } = await import('./tools/run.mjs');
	await evaluateTools(process.argv);
	process.exit(process.exitCode);
}
const BUDGET = 1_000;
const isDevOnly = process.argv.includes('--dev');
const splits = ['dev', 'dev-hard', ...(isDevOnly ? [] : ['held-out'])];
const root = unpackFragments();
const everydayRoot = unpackFragments('everyday');
const library = Library.open({ resources: root });
const everyday = Library.open({ resources: everydayRoot });
try {
	const fragments = indexed('fragments');
	const subjects = {
		orchestra: await ranker(library, splits),
		minisearch: miniSearch(fragments),
		'keyword count': keywordCount(fragments),
	};
	const counts = splits.map((split) => `${readQueries(split).length} ${split}`).join(' + ');
	console.log(
		`${fragments.length} fragments over ${new Set(readFragments().map(({ topic }) => topic)).size} topics, ${counts} questions\n`,
	);
	console.log('split      ranker          recall@1   recall@5   MRR');
	for (const split of splits)
		for (const [name, rank] of Object.entries(subjects)) report(split, name, grade(readQueries(split), rank));
	const others = indexed('everyday');
	const everydaySubjects = {
		orchestra: await ranker(everyday, ['everyday']),
		minisearch: miniSearch(others),
		'keyword count': keywordCount(others),
	};
	for (const [name, rank] of Object.entries(everydaySubjects))
		report('everyday', name, grade(readQueries('everyday'), rank));
	for (const kind of ['paraphrase', 'typo', 'two-topic']) reportKind(kind, subjects.orchestra);
	if (!isDevOnly) await reportBudget();
	if (process.argv.includes('--misses')) {
		reportMisses(['dev', 'dev-hard'], subjects.orchestra);
		reportMisses(['everyday'], everydaySubjects.orchestra);
	}
} finally {
	await Promise.all([library.close(), everyday.close()]);
	for (const folder of [root, everydayRoot]) rmSync(folder, { recursive: true, force: true });
}

/** Answers are looked up once, so that grading can ask synchronously. */
async function ranker(library, splits) {
	const answers = new Map();
	for (const split of splits) {
		for (const { query } of readQueries(split)) {
			const { matches } = await library.find(query, { maxResults: 10, maxTokens: 100_000 });
			answers.set(
				query,
				matches.map(({ fragment }) => fragment.name),
			);
		}
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

function report(split, name, { recall1, recall5, mrr }) {
	const cells = [recall1, recall5, mrr].map((value) => value.toFixed(3).padStart(8)).join('   ');
	console.log(`${split.padEnd(10)} ${name.padEnd(13)} ${cells}`);
}

function reportKind(kind, rank) {
	const queries = splits.flatMap((split) => readQueries(split)).filter((query) => query.kind === kind);
	report(kind, `orchestra (${queries.length})`, grade(queries, rank));
}

async function reportBudget() {
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

function reportMisses(splits, rank) {
	console.log(`\nmisses (${splits.join(', ')}):`);
	for (const { query, wanted } of splits.flatMap((split) => readQueries(split))) {
		const found = rank(query).slice(0, 5);
		const missing = wanted.filter((name) => !found.includes(name));
		if (missing.length > 0)
			console.log(`  ${query}\n    wanted ${missing.join(', ')}\n    found  ${found.join(', ')}`);
	}
}
