/* Problems of a configuration file, with everything that is needed to fix them. */
import { messageOf, OrchestraError, systemCode } from '../errors.ts';
import { PROBLEM_CHARACTERS } from './config-limits.ts';

/** One problem and its location. The rest of the file is still used. */
export interface ConfigProblem {
	readonly file: string;
	readonly line: number;
	/** Dotted path of the key; empty for the whole file. */
	readonly key: string;
	readonly found: string;
	readonly allowed: string;
	/** The problem as one sentence. */
	readonly message: string;
	/** The server, the plugin or the tool that is not used because of it; undefined for a problem of anything else. */
	readonly entry?: { readonly section: 'mcpServers' | 'plugins' | 'tool'; readonly name: string } | undefined;
	/** The variables that are not set, when that is the problem. */
	readonly unset?: readonly string[] | undefined;
	/** How to fix it, when it is not this line that has to be corrected. */
	readonly hint?: string | undefined;
}

export function configProblem(facts: Omit<ConfigProblem, 'message'>): ConfigProblem {
	const { file, line, key, found, allowed } = facts;
	const what = key === '' ? 'the file' : key;
	return { ...facts, message: `${file}:${line}: ${what} is ${found}; allowed: ${allowed}` };
}

/** The problem of a file or folder that could not be read or parsed. */
export function unreadableProblem(file: string, error: unknown): ConfigProblem {
	const isOurs = OrchestraError.is(error);
	const text = isOurs ? error.message : `${file} cannot be read (${systemCode(error) ?? messageOf(error)})`;
	const { line = 1, found = text, allowed = 'a file that can be read' } = isOurs ? error.data : {};
	const hint = isOurs ? error.hint : `Make ${file} readable for you.`;
	const facts = { file, line: Number(line), key: '', found: String(found), allowed: String(allowed) };
	return { ...facts, message: text, hint };
}

/** A value and its type, for an error message. */
export function describeValue(value: unknown): string {
	if (value === undefined) return 'missing';
	if (value === null) return 'null';
	const text = JSON.stringify(value);
	const shown = text.length > PROBLEM_CHARACTERS ? `${text.slice(0, PROBLEM_CHARACTERS)}…` : text;
	return `${shown} (${kindOf(value)})`;
}

/** Only the type, for values that may be secrets. */
export function kindOf(value: unknown): string {
	if (value === undefined || value === null) return String(value);
	if (Array.isArray(value)) return 'an array';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
