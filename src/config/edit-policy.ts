/*
 * Adds a rule before the others of a file, in place of a rule about the same tools and
 * clients. Every other character stays, comments too.
 *
 * The place is found by the line of the first rule. The new text is parsed and compared
 * with the old one before it is written: a file of an unusual form is not touched.
 * A file without rules gets the key `policy`.
 */
import { isDeepStrictEqual } from 'node:util';
import { OrchestraError } from '../errors.ts';
import { isObject } from '../wire/json.ts';
import type { PolicyAction } from './configuration.ts';
import { editConfigFile } from './edit/edit-config-file.ts';
import { removeJsonItem, setJsonKey } from './edit/json-edit.ts';
import { parseJsonc } from './jsonc.ts';
import { userFile } from './load.ts';

/** A rule to write. */
export interface NewRule {
	readonly tools: string;
	readonly clients: string;
	readonly action: PolicyAction;
	/** Whether the tools of a `deny` are left out of lists. */
	readonly hide?: true;
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
	const isAllowed = options.isPattern === true || isNameable(rule);
	const edit = (text: string): string => {
		const edited = isAllowed ? editedText(text, file, { rule, ruleText }) : undefined;
		if (edited !== undefined && isAsMeant(text, edited, { file, rule })) return edited;
		throw new OrchestraError('bad_input', `${file} could not be edited, so the rule was not written`, {
			hint: `Write it as the first one of "policy": ${ruleText}`,
			data: { file },
		});
	};
	const isOfUser = file === userFile(environment);
	return { text: ruleText, untrusted: await editConfigFile({ path: file, isOfUser }, edit, environment) };
}

/** Whether a rule can be for this tool and client alone: a name with a star would be a pattern, an escaped one another name. */
export function isNameable({ tools, clients }: Pick<NewRule, 'tools' | 'clients'>): boolean {
	return [tools, clients].every((name) => name !== '' && !/[*\\]/.test(name));
}

function editedText(
	text: string,
	file: string,
	{ rule, ruleText }: { rule: NewRule; ruleText: string },
): string | undefined {
	const rules = rulesOf(text, file);
	if (rules?.length === 0) return setJsonKey(text, ['policy'], [{ ...rule }]);
	const [first] = rules ?? [];
	const isThere = isReplaced(first, rule) && first['action'] === rule.action && rule.hide === undefined;
	if (isThere || isDeepStrictEqual(first, rule)) return text;
	const inserted = insertRule(text, file, ruleText);
	// The last one first, so that the places of the others stay.
	return [...(rules ?? []).entries()]
		.filter(([, each]) => isReplaced(each, rule))
		.reduceRight((left, [at]) => left && removeJsonItem(left, ['policy'], at + 1), inserted);
}

/** The rules of the file; undefined when they are not a list. */
function rulesOf(text: string, file: string): readonly unknown[] | undefined {
	const value = text.trim() === '' ? {} : parseJsonc(text, file).value;
	const rules = isObject(value) ? (value['policy'] ?? []) : undefined;
	return Array.isArray(rules) ? rules : undefined;
}

/** Whether a rule decides nothing any more when the new one stands before it, and says nothing else. */
function isReplaced(found: unknown, { tools, clients }: NewRule): found is Record<string, unknown> {
	if (!isObject(found)) return false;
	const { tools: ofTools = '*', clients: ofClients = '*', action: _action, ...others } = found;
	const isSame = isDeepStrictEqual([[ofTools].flat(), [ofClients].flat()], [[tools], [clients]]);
	return isSame && Object.keys(others).length === 0;
}

/** The rule is written on a line of its own above the first rule, or behind the bracket when they share a line. */
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

function isAsMeant(text: string, edited: string, { file, rule }: { file: string; rule: NewRule }): boolean {
	if (edited === text) return true;
	const before = text.trim() === '' ? {} : parseJsonc(text, file).value;
	const rules = rulesOf(text, file);
	if (!isObject(before) || rules === undefined) return false;
	const others = rules.filter((each) => !isReplaced(each, rule));
	return isDeepStrictEqual({ ...before, policy: [{ ...rule }, ...others] }, parseJsonc(edited, file).value);
}
