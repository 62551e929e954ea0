/* Real agents with a scripted model solve tasks by a plan, through `mctl serve` as their server. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentProgram, runAgent } from '../../support/agents.ts';
import { main } from '../../support/mctl.ts';
import { scriptedModel } from '../../support/scripted-model.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const { resolve } = createRequire(import.meta.url);
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
			const model = await scriptedModel('run_plan', { code, input: project });
			const printed = await ask(agent, project, model.url);
			expect(printed, JSON.stringify(model.listed)).toMatch(answer);
			if (code.includes('all.txt'))
				expect(readFileSync(join(project, 'all.txt'), 'utf8')).toBe('one two|three four five|six');
			expect(model.listed.flat().join()).toContain('run_plan');
			expect(model.listed.flat().join()).not.toContain('read_text_file');
		},
		90_000,
	);
});

/** Run an agent in a project with plans; what it printed. */
function ask(agent: keyof typeof agentArgs, project: string, url: string): Promise<string> {
	const home = temporaryFolder();
	const official = (name: string, ...args: string[]): object => ({
		command: process.execPath,
		args: [resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
		env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') },
	});
	const settings = {
		plans: true,
		toolList: { expose: 'search' },
		mcpServers: { files: official('filesystem', project), memory: official('memory') },
	};
	const variables = { ORCHESTRA_TRUST: 'all', HOME: home, XDG_STATE_HOME: join(home, 'state') };
	const server = { command: process.execPath, args: [main, 'serve'], env: variables };
	writeFiles(project, {
		'orchestra.json': JSON.stringify(settings),
		'a.txt': 'one two',
		'b.txt': 'three four five',
		'c.txt': 'six',
	});
	writeFiles(home, {
		'mcp.json': JSON.stringify({ mcpServers: { orchestra: server } }),
		'codex/config.toml': `
			model = "scripted"
			model_provider = "scripted"
			model_providers.scripted = { name = "scripted", base_url = "${url}/v1", wire_api = "responses", env_key = "KEY" }
			mcp_servers.orchestra.command = ${JSON.stringify(server.command)}
			mcp_servers.orchestra.args = ${JSON.stringify(server.args)}
			mcp_servers.orchestra.env = { ORCHESTRA_TRUST = "all", XDG_STATE_HOME = ${JSON.stringify(variables.XDG_STATE_HOME)} }`,
	});
	const env = {
		KEY: 'none',
		CODEX_HOME: join(home, 'codex'),
		CLAUDE_CONFIG_DIR: join(home, 'claude'),
		ANTHROPIC_API_KEY: 'none',
		ANTHROPIC_BASE_URL: url,
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
	};
	return runAgent(agent, agentArgs[agent](home), { home, project, env });
}

const agentArgs: Record<'claude' | 'codex', (home: string) => string[]> = {
	claude: (home) => [
		...['-p', 'Do the task', '--mcp-config', join(home, 'mcp.json'), '--strict-mcp-config'],
		...['--allowedTools', 'mcp__orchestra__run_plan'],
	],
	codex: () => [
		...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
		'Do the task',
	],
};
