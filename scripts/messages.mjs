/*
 * `node scripts/messages.mjs`: every message that a user may see, as it stands in src/.
 *
 * Errors, wrong usage, log lines and lines of output are found by the name of the
 * call, and their arguments are cut by a small scanner that knows quotes, templates
 * and brackets (the compiler has no API to ask). Reading them one after the other
 * shows what no test sees: two words for one thing, a hint that is missing.
 * `--problems` prints only what is wrong, `--json` an array (test/messages.test.ts).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** Calls that carry a message: which argument has it, and which the details with the hint. */
const calls = [
	{ kind: 'error', pattern: /\bnew OrchestraError\(/g, code: 0, message: 1, details: 2 },
	{ kind: 'usage', pattern: /\busageError\(/g, message: 1, hasHint: true },
	{ kind: 'log', pattern: /\blog\.(?:info|warn|error|debug)\(/g, message: 0 },
	{ kind: 'output', pattern: /\bout\.(?:line|note)\(/g, message: 0 },
];

const messages = collectMessages();
const shown = process.argv.includes('--problems') ? findProblems(messages) : messages;
if (process.argv.includes('--json')) console.log(JSON.stringify(shown));
else {
	for (const message of shown) print(message);
	console.log(`${shown.length} of ${messages.length} messages`);
}

function print({ file, line, kind, code, text, hint, problem }) {
	console.log(`${file}:${line}  ${[kind, code, problem].filter(Boolean).join(' ')}`);
	console.log(`    ${text}${hint ? `\n    hint: ${hint}` : ''}`);
}

/** Every message: file, line, kind, code, text and hint, all as written in the source. */
function collectMessages() {
	return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts') && !file.includes(`${sep}gen${sep}`))
		.sort()
		.flatMap((file) => messagesOf(join(root, 'src', file)));
}

/** What is wrong with them, one sentence each. */
function findProblems(messages) {
	const errors = messages.filter(({ kind }) => kind === 'error' || kind === 'usage');
	return [
		...messages
			.filter(({ kind, text }) => kind !== 'output' && isBlank(text))
			.map((message) => ({ ...message, problem: 'is empty' })),
		...errors
			.filter(({ code, hint }) => /^'(?:not_found|bad_input)'$/.test(code) && hint === undefined)
			.map((message) => ({ ...message, problem: 'has no hint' })),
		...errors
			.filter((one) =>
				errors.some(
					(other) =>
						isLiteral(one.text) &&
						one.text === other.text &&
						one.file !== other.file &&
						one.hint !== other.hint,
				),
			)
			.map((message) => ({ ...message, problem: 'is in another file with another hint' })),
	];
}

function messagesOf(path) {
	const source = readFileSync(path, 'utf8');
	const file = relative(root, path).split(sep).join('/');
	return calls.flatMap((call) =>
		[...source.matchAll(call.pattern)]
			.filter(({ index }) => !source.slice(0, index).endsWith('function '))
			.map((match) => {
				const parts = argumentsAt(source, match.index + match[0].length);
				return {
					file,
					line: source.slice(0, match.index).split('\n').length,
					kind: call.kind,
					code: call.code === undefined ? '' : (parts[call.code] ?? ''),
					text: parts[call.message] ?? "''",
					hint: call.hasHint ? 'usage' : hintIn(parts[call.details]),
				};
			}),
	);
}

/** The source of the hint in `{ cause, hint: …, data }`; details that are no literal object may have one. */
function hintIn(details) {
	if (details === undefined) return undefined;
	if (!details.startsWith('{')) return `(${details})`;
	const fields = argumentsAt(details, 1);
	const field = fields.find((each) => /^(?:hint\b|\.\.\.)/.test(each));
	return field?.replace(/^hint:\s*/, '');
}

/** The arguments of a call, from behind its bracket to the one that closes it. */
function argumentsAt(source, start) {
	const parts = [];
	let depth = 0;
	let from = start;
	for (let at = start; at < source.length; at++) {
		const char = source[at];
		if (char === '/' && source[at + 1] === '/') at = source.indexOf('\n', at);
		else if (char === "'" || char === '"' || char === '`') at = endOfText(source, at);
		else if ('([{'.includes(char)) depth++;
		else if (')]}'.includes(char) && depth-- === 0) {
			parts.push(source.slice(from, at));
			break;
		} else if (char === ',' && depth === 0) {
			parts.push(source.slice(from, at));
			from = at + 1;
		}
	}
	return parts
		.map((part) =>
			part
				.replace(/^\s*\/\/.*$/gm, '')
				.trim()
				.replace(/\s+/g, ' '),
		)
		.filter((part) => part !== '');
}

/** Where a text ends that begins at `start`. A template may hold code, and code texts. */
function endOfText(source, start) {
	const quote = source[start];
	for (let at = start + 1; at < source.length; at++) {
		if (source[at] === '\\') at++;
		else if (source[at] === quote) return at;
		else if (quote === '`' && source[at] === '$' && source[at + 1] === '{') at = endOfCode(source, at + 2);
	}
	return source.length;
}

function endOfCode(source, start) {
	let depth = 0;
	for (let at = start; at < source.length; at++) {
		const char = source[at];
		if (char === "'" || char === '"' || char === '`') at = endOfText(source, at);
		else if (char === '{') depth++;
		else if (char === '}' && depth-- === 0) return at;
	}
	return source.length;
}

function isBlank(text) {
	return /^(['"`])\s*\1$/.test(text);
}

function isLiteral(text) {
	return /^['"`]/.test(text);
}
