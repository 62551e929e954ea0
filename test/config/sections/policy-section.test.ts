import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../../../src/config/configuration.ts';
import { loadConfiguration } from '../../../src/config/load.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

describe('the policy of the configuration', () => {
	it('has its rules in order, with their lines', () => {
		const { rules, problems } = load(`{ "policy": [
			{ "tools": "files__write*", "clients": ["claude*", "cursor"], "action": "ask" },
			{ "when": { "destructive": true }, "action": "deny", "reason": "no", "hide": true }
		] }`);
		expect(problems).toEqual([]);
		expect(rules).toMatchObject([
			{ tools: ['files__write*'], clients: ['claude*', 'cursor'], action: 'ask', hide: false, line: 2 },
			{ tools: ['*'], clients: ['*'], when: { destructive: true }, reason: 'no', hide: true, line: 3 },
		]);
	});

	it.each([
		['{ "action": "allow", "tool": "x" }', 'policy.0.tool', 'an unknown key'],
		['{ "action": "maybe" }', 'policy.0.action', '"maybe"'],
		['{ "tools": "x" }', 'policy.0.action', 'missing'],
		['{ "tools": 5, "action": "ask" }', 'policy.0.tools', '5'],
		['{ "tools": [], "action": "ask" }', 'policy.0.tools', '[]'],
		['{ "when": { "safe": true }, "action": "ask" }', 'policy.0.when.safe', 'an unknown key'],
		['{ "when": { "readOnly": "yes" }, "action": "ask" }', 'policy.0.when.readOnly', '"yes"'],
		['{ "when": { "readOnly": true }, "action": "allow" }', 'policy.0.action', '"allow"'],
		['{ "action": "ask", "hide": true }', 'policy.0.hide', 'true'],
	])('denies by a rule with a mistake and names the mistake: %s', (text, key, found) => {
		const { rules, problems } = load(`{\n"policy": [\n${text} ] }`);
		expect(problems[0]).toMatchObject({ key, line: 3 });
		expect(problems[0]?.found).toContain(found);
		expect(rules[0]?.action).toBe('deny');
		expect(rules[0]?.when).toBeUndefined();
		expect(rules[0]?.reason).toContain(key);
	});

	it('denies everything when it is no array', () => {
		const { rules, problems } = load('{ "policy": { "tools": "*" } }');
		expect(problems[0]).toMatchObject({ key: 'policy', allowed: 'an array of rules' });
		expect(rules).toMatchObject([{ tools: ['*'], action: 'deny' }]);
	});
});

function load(text: string): {
	rules: readonly PolicyRule[];
	problems: ReturnType<typeof loadConfiguration>['problems'];
} {
	const cwd = temporaryFolder();
	writeFiles(cwd, { 'orchestra.json': text });
	const { configuration, problems } = loadConfiguration({
		cwd,
		environment: { HOME: join(cwd, 'home'), ORCHESTRA_TRUST: 'all' },
	});
	return { rules: configuration.policy.flat(), problems };
}
