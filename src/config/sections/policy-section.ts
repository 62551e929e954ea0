/*
 * The `policy` of one file. A rule with a mistake is not skipped, since that would allow
 * what it refuses: it becomes a rule that denies, with the mistake as its reason.
 */
import { isObject } from '../../wire/json.ts';
import type { PolicyAction, PolicyRule } from '../configuration.ts';
import { type Field, type FieldSource, onlyKeys } from '../field.ts';
import {
	flag,
	key,
	mapped,
	object,
	type Place,
	readMembers,
	type Shape,
	schemaOf,
	text,
	word,
} from '../key.ts';

export const actions = ['allow', 'ask', 'deny'] as const;
const ACTIONS = '"allow", "ask" or "deny"';

/** A pattern or an array of patterns; undefined when absent or wrong. */
const patterns: Shape<readonly string[]> = {
	read: readPatterns,
	schema: { anyOf: [text.schema, { type: 'array', items: text.schema, minItems: 1 }] },
};

export const claimKeys = {
	readOnly: key(flag, 'whether it says that it changes nothing'),
	destructive: key(flag, 'whether it says that it destroys'),
	openWorld: key(flag, 'whether it says that it reaches others'),
	idempotent: key(flag, 'whether it says that a second call changes nothing more'),
};

const claims = mapped(object(claimKeys), (found, field) => {
	const isEmpty = isObject(field.value) && Object.keys(field.value).length === 0;
	return isEmpty ? field.report(`an object with one of ${Object.keys(claimKeys).join(', ')}`) : found;
});

export const policyRuleKeys = {
	tools: key(patterns, 'pattern of tool names as clients see them, or several; default: all', {
		empty: ['*'],
	}),
	clients: key(patterns, 'pattern of client names, or several; default: all', { empty: ['*'] }),
	when: key(claims, 'matches only tools with these claims of their servers'),
	action: key(
		{ read: (field) => readAction(field), schema: { enum: actions } },
		'`"allow"`, `"ask"` or `"deny"`; the first rule of a file that matches counts, of several files the strictest',
		{ required: ACTIONS },
	),
	plan: key(
		word(['once'] as const),
		'of `"ask"`: `"once"` asks about a [plan](plans.md) as a whole, before it runs; default: about each of its calls',
	),
	reason: key(text, 'shown to the caller of a refused call'),
	hide: key(flag, 'leave the tools of a `"deny"` out of lists', { byDefault: false, empty: false }),
};

/** The rules of one file. */
export const policy: Shape<readonly (readonly PolicyRule[])[]> = {
	read: (field, place) => (field.isPresent ? [readPolicy(field, place)] : undefined),
	schema: { type: 'array', items: schemaOf(policyRuleKeys) },
	members: policyRuleKeys,
};

/** Read the rules, in order. */
function readPolicy(field: Field, place: Place): PolicyRule[] {
	if (Array.isArray(field.value)) return field.items().map((item) => readRule(item, place));
	field.report('an array of rules');
	return [denyAll(field, place.source, place.source.problems.length - 1)];
}

function readRule(field: Field, place: Place): PolicyRule {
	const { source } = place;
	const before = source.problems.length;
	onlyKeys(field, Object.keys(policyRuleKeys));
	const rule = readMembers(policyRuleKeys, field, place);
	const { tools, when, action = 'deny', plan, hide } = rule;
	// A server can influence what `when` sees.
	if (when !== undefined && action === 'allow')
		field.at('action').report('"ask" or "deny" in a rule with "when"');
	if (hide && action !== 'deny') field.at('hide').report('true only with "action": "deny"');
	if (plan !== undefined && action !== 'ask') field.at('plan').report('"once" only with "action": "ask"');
	if (source.problems.length > before) return { ...denyAll(field, source, before), tools };
	return { ...rule, action, file: source.file, line: field.line };
}

/** @param at the index of the mistake */
function denyAll({ line }: Field, { file, problems }: FieldSource, at: number): PolicyRule {
	const reason = `the policy has a mistake: ${problems[at]?.message ?? file}`;
	const all = { tools: ['*'], clients: ['*'] };
	return { ...all, action: 'deny', reason, hide: false, file, line };
}

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

function readAction(field: Field): PolicyAction | undefined {
	return actions.find((each) => each === field.value) ?? field.report(ACTIONS);
}
