/*
 * `npm run eval -- results`: the tokens that an agent needs for the right answer about a result, with the
 * whole result, with a client that cuts at 25,000 tokens, and with a budget and `look`.
 *
 * The corpus is recorded (`record.mjs`), the questions are written by hand (`questions.txt`), the asker has one
 * policy for all of them (`asker.mjs`). With `look` an answer is right when the asker has read its literal, and a
 * number that must be counted when the hub counted it. The whole result is taken to be read without an error. The definition
 * of `look` and its sentences in the instructions are counted for every question, also where nothing was shortened.
 * `--misses` prints the questions of the first half that were answered wrong.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { importSource } from '../source.mjs';
import { askAbout } from './asker.mjs';

const BUDGET = 8000;
/** The limit of a client that cuts itself. */
const CLIENT_TOKENS = 25_000;
const HANDLE = `r-${'0'.repeat(24)}`;

/** Measure and print. Exits 1 when `look` needs more tokens for a right answer about long results than the whole. */
export async function evaluateResults(flags) {
	const budget = Number(flags.budget ?? BUDGET);
	const code = {
		...(await importSource('hub/results/shorten-result.ts')),
		...(await importSource('hub/results/look/answer-look.ts')),
		...(await importSource('hub/results/look/look-request.ts')),
		...(await importSource('hub/results/look/look-tool.ts')),
		...(await importSource('library/match/tokens.ts')),
		...(await importSource('library/files/library-limits.ts')),
	};
	const corpus = JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, 'corpus.json.gz'))));
	const fixed =
		code.estimateTokens(JSON.stringify(code.lookTool('look'))) + code.estimateTokens(code.lookGuide('look'));
	const rows = new Map();
	const lookCounts = [0, 0, 0, 0, 0];
	for (const [at, { result, question, answer }] of questionsAbout(corpus).entries()) {
		const whole = code.textOfResult(result);
		const asked = { ...whole, question, answer, budget, fixed, code };
		const isLong = code.estimateTokens(whole.text) > budget;
		const half = at % 2 === 0 ? 'chosen with' : 'held out';
		const answers = { whole: readAll(asked), cut: readCut(asked), look: readAndLook(asked) };
		const names = ['all', ...(isLong ? ['longer', `longer, ${half}`] : ['shorter']), result.server];
		for (const name of names) add(rows, name, answers);
		if (isLong) lookCounts[answers.look.looks]++;
		if (flags.misses && at % 2 === 0 && !answers.look.isRight)
			printMiss(result, question, answer, answers.look);
	}
	print(rows, corpus.length, budget);
	console.log(
		`\nlook: ${fixed} tokens for its definition and instructions, in every row. Looks at longer results: ${lookCounts.map((count, looks) => `${looks}: ${count}`).join(', ')}`,
	);
	const { whole, look } = rows.get('longer');
	if (look.tokens / look.right > whole.tokens / whole.right) process.exitCode = 1;
}

function questionsAbout(corpus) {
	const found = [];
	let result;
	for (const line of readFileSync(join(import.meta.dirname, 'questions.txt'), 'utf8').split('\n')) {
		if (line.startsWith('## ')) result = corpus.find(({ name }) => name === line.slice(3));
		else if (line !== '' && !line.startsWith('#')) {
			const [question, answer] = line.split(' => ');
			if (result === undefined || answer === undefined)
				throw new Error(`questions.txt: no result or answer for ${line}`);
			found.push({ result, question, answer });
		}
	}
	return found;
}

/** Everything is there to be read. */
function readAll({ text, code }) {
	return { tokens: code.estimateTokens(text), isRight: true };
}

/** Right when nothing was cut, or when the literal is in the part that is left. */
function readCut({ text, answer, code }) {
	const shown = text.slice(0, CLIENT_TOKENS * code.CHARACTERS_PER_TOKEN);
	return {
		tokens: code.estimateTokens(shown),
		isRight: shown.length === text.length || holds(answer, [shown]),
	};
}

function readAndLook({ text, json, question, answer, budget, fixed, code }) {
	if (code.estimateTokens(text) <= budget)
		return { tokens: fixed + code.estimateTokens(text), isRight: true, looks: 0 };
	const { shown, notice } = code.shortenText({ text, json }, budget, {
		handle: HANDLE,
		look: 'look',
		isError: false,
	});
	const read = [shown];
	const counted = [notice];
	const requests = [];
	let tokens = fixed + code.estimateTokens(shown) + code.estimateTokens(notice);
	const look = (request) => {
		requests.push(request);
		const found = answerOf(text, request, budget, code);
		tokens += code.estimateTokens(JSON.stringify({ handle: HANDLE, ...request }));
		tokens += code.estimateTokens(found.text) + code.estimateTokens(found.about);
		(request.op === 'count' ? counted : read).push(found.text);
		return found;
	};
	askAbout({ question, shown, notice, look });
	const isRight = answer.startsWith('= ') ? hasNumber(answer.slice(2), counted) : holds(answer, read);
	return { tokens, isRight, looks: requests.length, requests };
}

/** A wrong expression is an answer too: the agent reads why. */
function answerOf(text, request, budget, code) {
	try {
		return code.answerLook(text, code.readLookRequest(request), budget * code.CHARACTERS_PER_TOKEN);
	} catch (error) {
		return { text: '', about: error.message };
	}
}

/** The answer, one way of writing it, or the other, is in what was read. */
function holds(answer, texts) {
	return texts.some((text) => answer.split(/(?<! )\|/).some((way) => text.includes(way)));
}

/** In the answer of `count`, or in the shape that the notice tells. */
function hasNumber(number, texts) {
	return texts.some(
		(text) => text === number || text.includes(`[${Number(number).toLocaleString('en-US')} × `),
	);
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
	const number = (value) => Math.round(value).toLocaleString('en-US').padStart(7);
	console.log(`${results} results; tokens for each right answer (right answers)`);
	const columns = ['whole result', `cut at ${CLIENT_TOKENS}`, `budget ${budget} and look`].map((each) =>
		each.padStart(22),
	);
	console.log(`${'results'.padEnd(20)}  questions${columns.join('')}`);
	for (const [name, { whole, cut, look }] of rows) {
		const cells = [whole, cut, look].map(({ right, tokens, questions }) =>
			`${right === 0 ? '–' : number(tokens / right)} (${((100 * right) / questions).toFixed(0).padStart(3)} %)`.padStart(
				22,
			),
		);
		console.log(`${name.padEnd(20)}  ${String(whole.questions).padStart(9)}${cells.join('')}`);
	}
}

function printMiss({ name }, question, answer, { requests }) {
	console.log(`${name.slice(0, 60)}: ${question} => ${answer}`);
	for (const request of requests) console.log(`    ${JSON.stringify(request)}`);
}
