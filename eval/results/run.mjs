/*
 * `npm run eval -- results`: the tokens that an agent needs for the right answer about a long result,
 * with the whole result, with a client that cuts at 25,000 tokens, and with a budget and `look`.
 *
 * The corpus is real (`record.mjs`). Questions are made from each result by its form, with the
 * answer from the whole text. The asker has one policy: it reads what it got; when that was
 * shortened and does not hold the answer, it asks `look` once, in the words of the question.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { importSource } from '../source.mjs';

const BUDGET = 8000;
/** The limit of a client that cuts itself. */
const CLIENT_TOKENS = 25_000;
const CHARACTERS = 4;

/** Measure and print. Exits 1 when `look` answers less than the whole result does. */
export async function evaluateResults(flags) {
	const budget = flags.includes('--budget') ? Number(flags[flags.indexOf('--budget') + 1]) : BUDGET;
	const code = {
		...(await importSource('hub/results/shorten-result.ts')),
		...(await importSource('hub/results/look/answer-look.ts')),
		...(await importSource('hub/results/look/look-request.ts')),
		...(await importSource('hub/results/look/looked-document.ts')),
	};
	const corpus = JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, 'corpus.json.gz'))));
	const rows = new Map();
	for (const result of corpus) {
		const { text, json } = code.textOfResult(result);
		for (const question of questionsAbout(new code.LookedDocument(text))) {
			const asked = { text, json, question, budget, code };
			const answers = { whole: readAll(asked), cut: readCut(asked), look: readAndLook(asked) };
			const isLong = tokensOf(text) > budget;
			for (const name of ['all', ...(isLong ? ['long'] : []), result.server]) add(rows, name, answers);
		}
	}
	print(rows, corpus.length, budget);
	const { whole, look } = rows.get('all');
	if (look.right < whole.right) process.exitCode = 1;
}

/** Questions by the form of a result, with the answer and what to ask `look`. */
function questionsAbout(document) {
	const { records, lines } = document;
	const questions = [];
	if (records === undefined || records.items.length < 2) {
		const [rare, at] = rareWord(lines);
		if (rare !== undefined) {
			const count = lines.filter((line) => line.toLowerCase().includes(rare.toLowerCase())).length;
			questions.push({
				clue: rare,
				answer: lines[at].trim().slice(0, 80),
				ask: { op: 'grep', pattern: rare },
			});
			questions.push({ answer: String(count), isExact: true, ask: { op: 'count', pattern: rare } });
		}
		questions.push({ answer: lines.at(-1).trim().slice(-80), isLast: true, ask: { op: 'tail', lines: 1 } });
		return questions.filter(({ answer }) => answer !== '');
	}
	const { items, path } = records;
	const list = path === '' ? '[*]' : `${path}[*]`;
	questions.push({ answer: String(items.length), isExact: true, ask: { op: 'count', select: list } });
	questions.push({ answer: plain(items.at(-1)), isLast: true, ask: { op: 'tail', lines: 1 } });
	for (const name of plainKeys(items).slice(0, 2)) {
		const values = new Set(items.map((item) => JSON.stringify(item[name] ?? null)));
		const key = JSON.stringify(name);
		questions.push({
			answer: `${values.size} distinct`,
			isExact: true,
			ask: { op: 'distinct', select: `${path === '' ? '' : path}[].${key}` },
		});
	}
	return questions.filter(({ answer }) => answer !== '');
}

/** A word of one line in the second half of a text, and its line. */
function rareWord(lines) {
	for (let at = Math.floor(lines.length * 0.7); at < lines.length; at++) {
		for (const word of lines[at].match(/[\p{L}\d_-]{6,30}/gu) ?? [])
			if (lines.filter((line) => line.toLowerCase().includes(word.toLowerCase())).length === 1)
				return [word, at];
	}
	return [undefined, -1];
}

function plainKeys(items) {
	const [first] = items;
	if (typeof first !== 'object' || first === null || Array.isArray(first)) return [];
	return Object.keys(first).filter((name) => items.every((item) => typeof item?.[name] !== 'object'));
}

/** The first plain value of a record, as it must be in an answer. */
function plain(item) {
	if (typeof item !== 'object' || item === null) return String(item).trim().slice(0, 80);
	const value = Object.values(item).find((each) => typeof each === 'string' || typeof each === 'number');
	return value === undefined ? '' : JSON.stringify(String(value)).slice(1, -1).slice(0, 60);
}

/** Everything is there to be read. */
function readAll({ text }) {
	return { tokens: tokensOf(text), isRight: true };
}

/** Right when nothing was cut, or when what is asked for is in the part that is left. */
function readCut({ text, question: { answer, isExact, isLast } }) {
	const shown = text.slice(0, CLIENT_TOKENS * CHARACTERS);
	const isWhole = shown.length === text.length;
	return { tokens: tokensOf(shown), isRight: isWhole || (!isExact && !isLast && shown.includes(answer)) };
}

function readAndLook({ text, json, question, budget, code }) {
	if (tokensOf(text) <= budget) return { tokens: tokensOf(text), isRight: true };
	const handle = `r-${'0'.repeat(24)}`;
	const { shown, notice } = code.shortenText({ text, json }, budget, {
		handle,
		look: 'look',
		isError: false,
	});
	const first = tokensOf(shown) + tokensOf(notice);
	const { answer, isExact, isLast, clue, ask } = question;
	if (!isExact && !isLast && clue !== undefined && shown.includes(clue))
		return { tokens: first, isRight: shown.includes(answer) };
	const { text: found, about } = code.answerLook(text, code.readLookRequest(ask), budget * CHARACTERS);
	const tokens = first + tokensOf(JSON.stringify({ handle, ...ask })) + tokensOf(found) + tokensOf(about);
	const said = ask.op === 'distinct' ? about.replaceAll(',', '') : found;
	return { tokens, isRight: isExact && ask.op === 'count' ? found === answer : said.includes(answer) };
}

function tokensOf(text) {
	return Math.ceil(text.length / CHARACTERS);
}

function add(rows, name, answers) {
	const row = rows.get(name) ?? {};
	for (const [way, { tokens, isRight }] of Object.entries(answers)) {
		const sum = (row[way] ??= { questions: 0, right: 0, tokens: 0 });
		sum.questions++;
		sum.right += isRight ? 1 : 0;
		sum.tokens += tokens;
	}
	rows.set(name, row);
}

function print(rows, results, budget) {
	const number = (value) => Math.round(value).toLocaleString('en-US').padStart(9);
	console.log(`${results} results; tokens for each right answer (right answers)`);
	console.log(
		`${'server'.padEnd(8)}  questions  ${'whole result'.padStart(18)}  ${`cut at ${CLIENT_TOKENS}`.padStart(18)}  ${`budget ${budget} + look`.padStart(20)}`,
	);
	for (const [name, { whole, cut, look }] of rows) {
		const cell = ({ right, tokens, questions }) =>
			`${right === 0 ? '–'.padStart(9) : number(tokens / right)} (${String(Math.round((100 * right) / questions)).padStart(3)} %)`;
		console.log(
			`${name.padEnd(8)}  ${String(whole.questions).padStart(9)}  ${cell(whole).padStart(18)}  ${cell(cut).padStart(18)}  ${cell(look).padStart(20)}`,
		);
	}
}
