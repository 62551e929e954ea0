import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addPolicyRule, type NewRule } from '../../src/config/edit-policy.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const rule: NewRule = { tools: 'write', clients: 'agent', action: 'allow' };
const added = '{ "tools": "write", "clients": "agent", "action": "allow" }';

describe('addPolicyRule', () => {
	it.each([
		[
			'{\n\t// mine\n\t"policy": [\n\t\t// first\n\t\t{ "action": "ask" }, // asks\n\t],\n}\n',
			`\t\t// first\n\t\t${added},\n\t\t{ "action": "ask" }, // asks`,
		],
		['{ "policy": [{ "action": "ask" }] }', `[${added}, { "action": "ask" }]`],
		['{ "policy": [ { "action": "ask" } ] }', `[ ${added}, { "action": "ask" } ]`],
		[
			'{\r\n  "policy": [\r\n    {\r\n      "action": "ask"\r\n    }\r\n  ]\r\n}',
			`    ${added},\r\n    {\r\n`,
		],
	])('writes the rule first and keeps the rest: %j', async (text, expected) => {
		const file = fileWith(text);
		chmodSync(file, 0o640);
		expect(await addPolicyRule(file, rule, { ORCHESTRA_TRUST: 'all' })).toMatchObject({ text: added });
		const edited = readFileSync(file, 'utf8');
		expect(edited).toContain(expected);
		expect(edited.length).toBeGreaterThan(text.length);
		expect(statSync(file).mode & 0o777).toBe(0o640);
	});

	it.each([
		[
			'{\n\t"policy": [\n\t\t{ "tools": "x", "action": "ask" },\n\t\t// mine\n\t\t{ "tools": ["write"], "clients": "agent", "action": "deny" }\n\t]\n}\n',
			`{\n\t"policy": [\n\t\t${added},\n\t\t{ "tools": "x", "action": "ask" }\n\t\t// mine\n\t]\n}\n`,
		],
		[
			`{ "policy": [${added.replace('allow', 'ask')}, ${added.replace('allow', 'deny')}] }`,
			`{ "policy": [${added}] }`,
		],
		[`{ "policy": [{ "action": "ask" }, ${added}] }`, `{ "policy": [${added}, { "action": "ask" }] }`],
		[`{ "policy": [${added}, { "action": "ask" }] }`, `{ "policy": [${added}, { "action": "ask" }] }`],
		[
			`{ "policy": [${added.replace(' }', ', "reason": "r" }')}] }`,
			`{ "policy": [${added}, ${added.replace(' }', ', "reason": "r" }')}] }`,
		],
	])('replaces a rule about the same tools and clients: %j', async (text, expected) => {
		const file = fileWith(text);
		const { mtimeMs } = statSync(file);
		await addPolicyRule(file, rule, { ORCHESTRA_TRUST: 'all' });
		expect(readFileSync(file, 'utf8')).toBe(expected);
		expect(statSync(file).mtimeMs).toEqual(text === expected ? mtimeMs : expect.any(Number));
	});

	it.each(['', '{}', '{\n\t"mcpServers": {}, // mine\n}\n', '{ "policy": [] }'])(
		'gives rules to a file without them, with a pattern where one is meant: %j',
		async (text) => {
			const file = fileWith(text);
			const wanted: NewRule = { tools: 'py__*', clients: '*', action: 'ask' };
			await addPolicyRule(file, wanted, { ORCHESTRA_TRUST: 'all' }, { isPattern: true });
			const { configuration, problems } = loadConfiguration({ cwd: '/', file, environment: {} });
			expect(problems).toEqual([]);
			expect(configuration.policy).toMatchObject([[{ tools: ['py__*'], clients: ['*'], action: 'ask' }]]);
			expect(readFileSync(file, 'utf8').includes('// mine')).toBe(text.includes('// mine'));
		},
	);

	it.each([
		['{ "policy": /* none */ [ { "action": "ask" } ] }', rule],
		['{ "policy": 5 }', rule],
		['{ "policy": [{ "action": "ask" }] }', { ...rule, tools: 'a*' }],
		['{ "policy": [{ "action": "ask" }] }', { ...rule, clients: '' }],
	])('leaves a file alone that it cannot edit, and says what to write: %s', async (text, wanted) => {
		const file = fileWith(text);
		await expect(addPolicyRule(file, wanted, {})).rejects.toThrow('could not be edited');
		expect(readFileSync(file, 'utf8')).toBe(text);
	});
});

function fileWith(text: string): string {
	const folder = temporaryFolder();
	writeFiles(folder, { 'orchestra.json': text });
	return join(folder, 'orchestra.json');
}
