/* Real agents with a scripted model ask about a long result: the handle and the tool reach the model. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentProgram } from '../../support/agents.ts';
import { runScriptedAgent } from '../../support/scripted-agent.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

describe.each(['claude', 'codex'] as const)('%s', (agent) => {
	it.skipIf(agentProgram(agent) === undefined)(
		'asks about a long result by the handle in its notice',
		async () => {
			const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at + 1}`);
			const project = writeFiles(temporaryFolder(), { 'long.log': lines.join('\n') });
			let seen = '';
			const model = await scriptedModel([
				{
					tool: 'call_tool',
					input: () => ({ name: 'files__read_text_file', arguments: { path: join(project, 'long.log') } }),
				},
				{
					tool: 'look',
					input: (result) => {
						seen = result;
						return {
							handle: /"(?:\\+")?(r-[\da-f]{24})/.exec(result)?.[1],
							op: 'grep',
							pattern: '/^line 1999\\d$/',
						};
					},
				},
			]);
			const printed = await runScriptedAgent(agent, { project, model });
			expect(printed, JSON.stringify(model.listed)).toContain('19993: line 19993');
			expect(seen).toMatch(/line 1\\+nline 2\\+n/);
			expect(seen).toContain('[Shortened: ');
			expect(seen.length).toBeLessThan(8000 * 4 * 1.2); // every line break is escaped
		},
		90_000,
	);
});
