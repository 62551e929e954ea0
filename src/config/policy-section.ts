/*
 * The `policy` of one file. A rule with a mistake is not skipped, since that would allow
 * what it refuses: it becomes a rule that denies, with the mistake as its reason.
 */
import { isObject } from '../wire/json.ts';
import { claimNames, type PolicyAction, type PolicyRule, type ToolClaims } from './configuration.ts';
import { type Field, type FieldSource, onlyKeys } from './field.ts';

const ruleNames = ['tools', 'clients', 'when', 'action', 'reason', 'hide'];
const actions: readonly PolicyAction[] = ['allow', 'ask', 'deny'];

/** Read the rules, in order. */
export function readPolicy(field: Field, source: FieldSource): PolicyRule[] {
	if (Array.isArray(field.value)) return field.items().map((item) => readRule(item, source));
	field.report('an array of rules');
	return [denyAll(field, source, source.problems.length - 1)];
}

function readRule(field: Field, source: FieldSource): PolicyRule {
	const before = source.problems.length;
	onlyKeys(field, ruleNames);
	const tools = readPatterns(field.at('tools'));
	const clients = readPatterns(field.at('clients'));
	const when = readWhen(field.at('when'));
	const action = readAction(field.at('action'), when !== undefined);
	const hide = field.at('hide').flag() ?? false;
	if (hide && action !== 'deny') field.at('hide').report('true only with "action": "deny"');
	const reason = field.at('reason').text();
	const place = { file: source.file, line: field.line };
	if (source.problems.length > before) {
		return { ...denyAll(field, source, before), tools: tools ?? ['*'] };
	}
	return { tools: tools ?? ['*'], clients: clients ?? ['*'], when, action, reason, hide, ...place };
}

/** @param at the index of the mistake */
function denyAll({ line }: Field, { file, problems }: FieldSource, at: number): PolicyRule {
	const reason = `the policy has a mistake: ${problems[at]?.message ?? file}`;
	const all = { tools: ['*'], clients: ['*'], when: undefined };
	return { ...all, action: 'deny', reason, hide: false, file, line };
}

/** A pattern or an array of patterns; undefined when absent or wrong. */
function readPatterns(field: Field): string[] | undefined {
	if (typeof field.value === 'string') {
		const text = field.text();
		return text === undefined ? undefined : [text];
	}
	if (!field.isPresent) return undefined;
	const isList = Array.isArray(field.value) && field.value.length > 0;
	if (!isList) return field.report('a pattern, or an array of patterns');
	return field.items().flatMap((item) => {
		if (typeof item.value !== 'string') item.report('a pattern');
		return item.text() ?? [];
	});
}

function readWhen(field: Field): Partial<ToolClaims> | undefined {
	if (!field.isPresent) return undefined;
	onlyKeys(field, claimNames);
	const claims = claimNames.flatMap((name): [string, boolean][] => {
		const value = field.at(name).flag();
		return value === undefined ? [] : [[name, value]];
	});
	const isEmpty = isObject(field.value) && Object.keys(field.value).length === 0;
	if (isEmpty) field.report(`an object with one of ${claimNames.join(', ')}`);
	return Object.fromEntries(claims);
}

/** With `when`, which a server can influence, a rule cannot allow. */
function readAction(field: Field, hasWhen: boolean): PolicyAction {
	const action = actions.find((each) => each === field.value);
	if (action === undefined) field.report('"allow", "ask" or "deny"');
	else if (hasWhen && action === 'allow') field.report('"ask" or "deny" in a rule with "when"');
	return action ?? 'deny';
}
