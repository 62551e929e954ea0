/*
 * The problems of the configuration for users: one line for each server or plugin that
 * cannot be used, and for each other problem. A command says those of what it uses.
 */
import type { ConfigProblem } from '../config/problem.ts';
import { OrchestraError } from '../errors.ts';
import { printable } from '../printable.ts';
import { qualifiedName } from '../trust/tool-name.ts';
import type { Output } from './terminal/output.ts';

/** The sections that a call uses, whatever it calls. */
const CALL_SECTIONS = new Set(['', 'tools', 'limits', 'pin', 'policy']);

/** A sentence, and what to do about it. */
export interface ProblemLine {
	readonly text: string;
	readonly fix: string;
}

/** One sentence for the variables of a server or plugin that are not set, and one for a tool. */
export function problemLines(problems: readonly ConfigProblem[]): ProblemLine[] {
	const groups = new Map<string, ConfigProblem[]>();
	for (const problem of problems) {
		const { entry, unset, file, message } = problem;
		const isOne = entry !== undefined && (unset !== undefined || entry.section === 'tool');
		const key = isOne ? JSON.stringify([file, entry]) : message;
		groups.set(key, [...(groups.get(key) ?? []), problem]);
	}
	return [...groups.values()].map(lineOf);
}

/** Print them beside the answer. */
export function printProblems(problems: readonly ConfigProblem[], out: Pick<Output, 'info'>): void {
	for (const { text } of problemLines(problems)) out.info(`mctl: ${printable(text)}`);
}

/** The problems that matter to a call of anything. */
export function problemsOfCalls(problems: readonly ConfigProblem[]): ConfigProblem[] {
	return problems.filter(({ key }) => CALL_SECTIONS.has(key.split('.')[0] ?? ''));
}

/** The names of the servers that are not used, with their problems, in the order of the files. */
export function unusedServers(
	problems: readonly ConfigProblem[],
	used: readonly { readonly name: string }[],
): Map<string, ConfigProblem[]> {
	const unused = new Map<string, ConfigProblem[]>();
	for (const problem of problems) {
		const { entry } = problem;
		// A file that counts less may have an entry of this name that is right.
		if (entry?.section !== 'mcpServers' || used.some(({ name }) => name === entry.name)) continue;
		unused.set(entry.name, [...(unused.get(entry.name) ?? []), problem]);
	}
	return unused;
}

/** The reason why a server cannot be used, in a few words: `needs ${TOKEN}`. */
export function unusedState(problems: readonly ConfigProblem[]): string {
	const names = variablesOf(problems);
	return names.length === 0 ? 'invalid' : `needs ${names.join(', ')}`;
}

/** Throws `bad_input` when the argument names a server that is not used, or a tool of it. */
export function refuseUnused(
	arg: string,
	problems: readonly ConfigProblem[],
	used: readonly { readonly name: string }[],
): void {
	for (const [name, own] of unusedServers(problems, used)) {
		if (arg !== name && !arg.startsWith(qualifiedName(name, ''))) continue;
		const lines = problemLines(own);
		const message = lines.map(({ text }) => text).join('\n');
		throw new OrchestraError('bad_input', message, { hint: lines[0]?.fix });
	}
}

function lineOf(problems: readonly ConfigProblem[]): ProblemLine {
	const [first] = problems;
	if (first === undefined) throw new OrchestraError('internal', 'a line without a problem');
	const { file, line, message, entry, hint } = first;
	const names = variablesOf(problems);
	if (entry?.section === 'tool') {
		const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
		return { text: message + more, fix: `Correct ${file}, then run: mctl check ${file}` };
	}
	if (entry === undefined || names.length === 0)
		return { text: message, fix: hint ?? `Correct line ${line} of ${file}.` };
	const what = entry.section === 'plugins' ? 'the plugin' : 'the server';
	const text = `${file}:${line}: ${what} ${entry.name} needs ${names.join(', ')}, not set${placeOf(problems)}`;
	const set = names.length === 1 ? `Set ${names[0]?.slice(2, -1)}` : 'Set them';
	return { text, fix: `${set}, or write a default as in ${names[0]?.slice(0, -1)}:-value}.` };
}

function variablesOf(problems: readonly ConfigProblem[]): string[] {
	return [...new Set(problems.flatMap(({ unset = [] }) => unset))].map((name) => `\${${name}}`);
}

/** The environment that was searched, when it is another than ours. */
function placeOf([problem]: readonly ConfigProblem[]): string {
	return /, not set( in .*)$/.exec(problem?.found ?? '')?.[1] ?? '';
}
