/*
 * Adds a rule before the others of a file. Every other character stays, comments too.
 *
 * The place is found by the line of the first rule. The new text is parsed and compared
 * with the old one before it is written: a file of an unusual form is not touched.
 * A file without rules gets the key `policy`.
 */
import { isDeepStrictEqual } from 'node:util';
import { OrchestraError } from '../errors.ts';
import { readIfPresent, replaceFile } from '../files/replace-file.ts';
import { isObject } from '../wire/json.ts';
import type { PolicyAction } from './configuration.ts';
import { setJsonKey } from './edit/json-edit.ts';
import { parseJsonc } from './jsonc.ts';
import { userFile } from './load.ts';
import { trustEdit } from './trust/trust-edit.ts';

/** A rule to write. */
export interface NewRule {
	readonly tools: string;
	readonly clients: string;
	readonly action: PolicyAction;
}

export interface AddedRule {
	/** The rule as it was written. */
	readonly text: string;
	/** Why a project file is not trusted afterwards. */
	readonly untrusted: string | undefined;
}

/**
 * Write the rule as the first one of `file`. Throws `bad_input` with the text when the file cannot be edited.
 *
 * @param options `isPattern`: a star in the rule is meant; default false, because names of tools and clients are strangers'
 */
export async function addPolicyRule(
	file: string,
	rule: NewRule,
	environment: Readonly<NodeJS.ProcessEnv>,
	options: { readonly isPattern?: boolean } = {},
): Promise<AddedRule> {
	const members = Object.entries(rule).map(
		([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
	);
	const ruleText = `{ ${members.join(', ')} }`;
	const before = readIfPresent(file);
	const text = before?.toString('utf8') ?? '';
	const isAllowed = options.isPattern === true || isExactName(rule);
	const edited = isAllowed ? editedText(text, file, { rule, ruleText }) : undefined;
	if (edited === undefined || !isOnlyAdded(text, edited, { file, rule })) {
		throw new OrchestraError('bad_input', `${file} could not be edited, so the rule was not written`, {
			hint: `Write it as the first one of "policy": ${ruleText}`,
			data: { file },
		});
	}
	const after = Buffer.from(edited);
	const isOfUser = file === userFile(environment);
	const untrusted = isOfUser ? undefined : await trustEdit({ path: file, before, after }, environment);
	replaceFile(file, after, { expected: { bytes: before }, mode: isOfUser ? 0o600 : 0o644 });
	return { text: ruleText, untrusted };
}

/** A name with a star would be a pattern, and an escaped one is not the name of the tool. */
function isExactName({ tools, clients }: NewRule): boolean {
	return [tools, clients].every((name) => name !== '' && !/[*\\]/.test(name));
}

function editedText(
	text: string,
	file: string,
	{ rule, ruleText }: { rule: NewRule; ruleText: string },
): string | undefined {
	const value = text.trim() === '' ? {} : parseJsonc(text, file).value;
	const rules = isObject(value) ? (value['policy'] ?? []) : undefined;
	if (Array.isArray(rules) && rules.length === 0) return setJsonKey(text, ['policy'], [{ ...rule }]);
	return insertRule(text, file, ruleText);
}

/** On a line of its own above the first rule, or behind the bracket when they share a line. */
function insertRule(text: string, file: string, ruleText: string): string | undefined {
	const lines = text.split('\n');
	const at = parseJsonc(text, file).lineOf(['policy', '0']) - 1;
	const line = lines[at] ?? '';
	const [, indent] = /^([ \t]*)\{/.exec(line) ?? [];
	const ending = line.endsWith('\r') ? '\r' : '';
	if (indent !== undefined && at > 0)
		return lines.toSpliced(at, 0, `${indent}${ruleText},${ending}`).join('\n');
	const changed = line.replace(
		/("policy"\s*:\s*\[)(\s*)(?=\{)/,
		(_all, open: string, gap: string) => `${open}${gap}${ruleText},${gap || ' '}`,
	);
	return changed === line ? undefined : lines.with(at, changed).join('\n');
}

function isOnlyAdded(text: string, edited: string, { file, rule }: { file: string; rule: NewRule }): boolean {
	const [before, after] = [text.trim() === '' ? '{}' : text, edited].map(
		(each): unknown => parseJsonc(each, file).value,
	);
	if (!isObject(before)) return false;
	const { policy: rules = [] } = before;
	if (!Array.isArray(rules)) return false;
	return isDeepStrictEqual({ ...before, policy: [{ ...rule }, ...rules] }, after);
}
