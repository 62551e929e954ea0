import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicyAction, PolicyRule } from '../../src/config/configuration.ts';
import { claimsOf, Policy } from '../../src/trust/policy.ts';
import { type NamedTool, ServerNames } from '../../src/trust/tool-name.ts';
import { matchesWildcard } from '../../src/trust/wildcard.ts';

const strictness = { allow: 0, ask: 1, deny: 2 };

describe('Policy', () => {
	it('allows a call that no rule matches', () => {
		expect(decide([rule({ tools: ['db__*'], action: 'deny' })], 'files__read').action).toBe('allow');
	});

	it('lets the first matching rule decide', () => {
		const rules = [rule({ tools: ['a*'], action: 'allow' }), rule({ action: 'deny' })];
		expect(decide(rules, 'abc')).toEqual({ action: 'allow', rule: rules[0] });
		expect(decide(rules, 'xyz')).toEqual({ action: 'deny', rule: rules[1] });
	});

	it('matches the client as well', () => {
		const rules = [rule({ clients: ['claude*'], action: 'deny' })];
		expect(decide(rules, 'a', {}, 'claude-code').action).toBe('deny');
		expect(decide(rules, 'a', {}, 'cursor').action).toBe('allow');
	});

	it('does not let a claim of the server make a later rule laxer', () => {
		const rules = [
			rule({ when: { destructive: true }, action: 'ask' }),
			rule({ tools: ['db__drop*'], action: 'deny' }),
		];
		expect(decide(rules, 'db__drop_table', { destructiveHint: true }).action).toBe('deny');
		expect(decide(rules, 'db__drop_table', { readOnlyHint: true }).action).toBe('deny');
		expect(decide(rules, 'db__insert', { destructiveHint: true }).action).toBe('ask');
	});

	it('takes the strictest decision of all files', () => {
		const project = [rule({ action: 'allow' })];
		const user = [rule({ tools: ['rm'], action: 'deny' })];
		const policy = new Policy([project, user]);
		expect(policy.decide({ tool: named('rm'), client: '', annotations: {} })).toEqual({
			action: 'deny',
			rule: user[0],
		});
	});

	it('reads annotations that are absent as the dangerous case', () => {
		expect(claimsOf(undefined)).toEqual({
			readOnly: false,
			destructive: true,
			openWorld: true,
			idempotent: false,
		});
		expect(claimsOf({ readOnlyHint: true })).toMatchObject({ readOnly: true, destructive: false });
	});

	it('is never laxer with rules that read claims than without them, and equals the first match without them', () => {
		fc.assert(
			fc.property(fc.array(anyRule), anyName, anyAnnotations, (rules, tool, annotations) => {
				const plain = rules.filter(({ when }) => when === undefined);
				const first = plain.find(({ tools }) => tools.some((pattern) => matchesWildcard(pattern, tool)));
				const without = decide(plain, tool, annotations);
				expect(without.action).toBe(first?.action ?? 'allow');
				const decided = decide(rules, tool, annotations).action;
				expect(strictness[decided]).toBeGreaterThanOrEqual(strictness[without.action]);
			}),
		);
	});

	it('retains an earlier rule without claims, whatever comes after it', () => {
		fc.assert(
			fc.property(
				anyAction,
				fc.array(anyRule),
				anyName,
				anyAnnotations,
				(action, later, tool, annotations) => {
					expect(decide([rule({ action }), ...later], tool, annotations).action).toBe(action);
				},
			),
		);
	});

	it('has one version for the same rules, and another one for other rules', () => {
		const version = (rules: PolicyRule[]): string => new Policy([rules]).version;
		expect(version([rule({ line: 1 })])).toBe(version([rule({ line: 2 })]));
		expect(version([rule({ action: 'ask' })])).not.toBe(version([rule({ action: 'deny' })]));
	});
});

const anyAction = fc.constantFrom<PolicyAction>('allow', 'ask', 'deny');
const anyName = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 });
const anyAnnotations = fc.record(
	{ readOnlyHint: fc.boolean(), destructiveHint: fc.boolean(), openWorldHint: fc.boolean() },
	{ requiredKeys: [] },
);
const anyRule = fc
	.record({
		tools: fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 4 }), {
			minLength: 1,
			maxLength: 2,
		}),
		when: fc.option(fc.record({ readOnly: fc.boolean(), destructive: fc.boolean() }), { nil: undefined }),
		action: anyAction,
	})
	.map(({ when, action, ...fields }) =>
		rule({ ...fields, when, action: when && action === 'allow' ? 'ask' : action }),
	);

function rule(fields: Partial<PolicyRule>): PolicyRule {
	const all = { tools: ['*'], clients: ['*'], when: undefined, reason: undefined, hide: false };
	return { ...all, action: 'ask', file: 'orchestra.json', line: 1, ...fields };
}

function decide(
	rules: readonly PolicyRule[],
	tool: string,
	annotations: Record<string, unknown> = {},
	client = '',
): ReturnType<Policy['decide']> {
	return new Policy([rules]).decide({ tool: named(tool), client, annotations });
}

/** A tool without a server in its name. */
function named(tool: string): NamedTool {
	return new ServerNames([]).read(tool);
}
