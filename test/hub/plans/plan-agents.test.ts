/* Real agents with a scripted model solve tasks by a plan, through `mctl serve` as their server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentProgram } from '../../support/agents.ts';
import { runScriptedAgent } from '../../support/scripted-agent.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const readAll = `const read = async (name) => (await tools.files.readTextFile({ path: input + '/' + name + '.txt' })).content;
	const texts = await Promise.all(['a', 'b', 'c'].map(read));`;

const tasks: readonly [task: string, code: string, answer: RegExp][] = [
	[
		'counts in files',
		`${readAll} return 'words: ' + texts.map((text) => text.split(' ').length).join()`,
		/words: 2,3,1/,
	],
	[
		'writes what it read',
		`${readAll} await tools.files.writeFile({ path: input + '/all.txt', content: texts.join('|') }); return 'written'`,
		/written/,
	],
	[
		'takes data from one server to another',
		`${readAll} const entities = texts.map((text, at) => ({ name: 'file ' + at, entityType: 'file', observations: [text] }));
		await tools.memory.createEntities({ entities });
		return 'known: ' + (await tools.memory.readGraph()).entities.map(({ name }) => name).join()`,
		/known: file 0,file 1,file 2/,
	],
];

describe.each(['claude', 'codex'] as const)('%s', (agent) => {
	it.skipIf(agentProgram(agent) === undefined).each(tasks)(
		'%s by a plan',
		async (_, code, answer) => {
			const project = temporaryFolder();
			const texts = { 'a.txt': 'one two', 'b.txt': 'three four five', 'c.txt': 'six' };
			writeFiles(project, texts);
			const model = await scriptedModel([{ tool: 'run_plan', input: () => ({ code, input: project }) }]);
			const printed = await runScriptedAgent(agent, { project, model, settings: { plans: true } });
			expect(printed, JSON.stringify(model.listed)).toMatch(answer);
			if (code.includes('all.txt'))
				expect(readFileSync(join(project, 'all.txt'), 'utf8')).toBe('one two|three four five|six');
			expect(model.listed.flat().join()).toContain('run_plan');
			expect(model.listed.flat().join()).not.toContain('read_text_file');
		},
		90_000,
	);
});
