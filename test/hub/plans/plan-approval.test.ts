/* Rules with `"plan": "once"`: one elicitation for a plan, and what it does not cover. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/hub/journal/journal.ts';
import { planHub, runPlan } from '../../support/plans.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const driftingServer = resolve(import.meta.dirname, '../../fixtures/servers/drifting-server.mjs');
const once = { policy: [{ tools: 'files__*', action: 'ask', plan: 'once' }] };
const each = { policy: [{ tools: 'files__*', action: 'ask' }] };
const twoReads = `const read = (name) => tools.files.readTextFile({ path: input + '/' + name });
	return (await read('a.txt')).content + (await read('b.txt')).content;`;

describe('a rule that asks', () => {
	it('asks about each call of a plan', async () => {
		const { client, folder, elicitations } = await asking(each);
		expect(await runPlan(client, twoReads, folder)).toBe('firstsecond');
		expect(elicitations).toHaveLength(2);
	});

	it('asks about the whole plan with "once", and shows program, tools and what may destroy', async () => {
		const { client, folder, elicitations } = await asking(once);
		expect(await runPlan(client, twoReads, folder)).toBe('firstsecond');
		expect(elicitations).toHaveLength(1);
		expect(elicitations[0]).toMatch(
			/Allow the call of run_plan[^]*destructive: "none"[^]*tools: "1: files__read_text_file"/,
		);
		expect(elicitations[0]).toContain('computed by the program');
	});

	it('runs nothing of a plan that is denied', async () => {
		const { client, folder, lines } = await asking(once, 'deny');
		const code = `await tools.files.writeFile({ path: input + '/a.txt', content: 'changed' })`;
		expect(await runPlan(client, code, folder)).toBe('The plan was not run: its user denied it.');
		expect(readFileSync(`${folder}/a.txt`, 'utf8')).toBe('first');
		expect(lines).toMatchObject([{ name: 'run_plan', policy: 'refused', plan: expect.any(String) }]);
	});

	it('asks when the rule is about run_plan, whatever the program calls', async () => {
		const { client, elicitations } = await asking({
			policy: [{ tools: 'run_plan', action: 'ask', plan: 'once' }],
		});
		expect(await runPlan(client, 'return 1')).toBe('1');
		expect(elicitations).toHaveLength(1);
	});

	it('counts a computed name as every tool, and says so', async () => {
		const { client, folder, elicitations } = await asking(once);
		const code = `const name = 'readTextFile'; return (await tools.files[name]({ path: input + '/a.txt' })).content`;
		expect(await runPlan(client, code, folder)).toBe('first');
		expect(elicitations[0]).toMatch(/any of \d+, since a name is computed/);
		expect(elicitations[0]).toMatch(/destructive: "\d+: .*files__write_file/);
	});

	it('asks about a call of a tool that claims to be destructive since the plan was approved', async () => {
		const file = join(temporaryFolder(), 'tools.json');
		const write = (destructiveHint: boolean): void => {
			const tools = ['announce', 'act'].map((name) => ({
				name,
				inputSchema: { type: 'object' },
				annotations: { destructiveHint: name === 'act' && destructiveHint },
			}));
			writeFileSync(file, JSON.stringify({ tools }));
		};
		write(false);
		const elicitations: string[] = [];
		const { client } = await planHub({
			servers: { d: { command: process.execPath, args: [driftingServer, file] } },
			more: { policy: [{ tools: 'd__*', action: 'ask', plan: 'once' }] },
			capabilities: { elicitation: {} },
			onClientRequest: (_method, params) => {
				elicitations.push((params as { message: string }).message);
				write(true);
				return { action: 'accept', content: { decision: elicitations.length === 1 ? 'allow once' : 'deny' } };
			},
		});
		const code = `await tools.d.announce({}); for (let at = 0; at < 900; at++) await tools.d.act({ at })`;
		expect(await runPlan(client, code)).toMatch(/d__act was not called: its user denied/);
		expect(elicitations.map((text) => text.split('\n')[0])).toEqual([
			'Allow the call of run_plan?',
			'Allow the call of d__act?',
		]);
	});

	it('refuses a tool that is hidden from the look ahead', async () => {
		const { client, folder } = await asking(once);
		const code = `return await eval("too" + "ls").files.writeFile({ path: input + '/a.txt', content: 'changed' })`;
		expect(await runPlan(client, code, folder)).toMatch(
			/files__write_file is not one of the tools that were found/,
		);
		expect(readFileSync(`${folder}/a.txt`, 'utf8')).toBe('first');
	});
});

async function asking(more: object, decision = 'allow once') {
	const elicitations: string[] = [];
	const lines: JournalEntry[] = [];
	const place = await planHub({
		more,
		journal: { write: (line) => lines.push(line), close: async () => {} },
		capabilities: { elicitation: {} },
		onClientRequest: (_method, params) => {
			elicitations.push((params as { message: string }).message);
			return { action: 'accept', content: { decision } };
		},
	});
	return { ...place, elicitations, lines };
}
