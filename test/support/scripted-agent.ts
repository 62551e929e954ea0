/* A real agent with a scripted model, whose one server is `mctl serve` with the official servers for files and memory. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runAgent } from './agents.ts';
import { main } from './mctl.ts';
import type { ScriptedModel } from './scripted-model.ts';
import { temporaryFolder, writeFiles } from './workspace.ts';

const { resolve } = createRequire(import.meta.url);

export interface ScriptedRun {
	readonly project: string;
	readonly model: Pick<ScriptedModel, 'url'>;
	/** Of the project, beside its servers. */
	readonly settings?: object;
}

/** Run an agent in a project; what it printed. */
export function runScriptedAgent(
	agent: keyof typeof agentArgs,
	{ project, model: { url }, settings = {} }: ScriptedRun,
): Promise<string> {
	const home = temporaryFolder();
	const official = (name: string, ...args: string[]): object => ({
		command: process.execPath,
		args: [resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
		env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') },
	});
	const mcpServers = { files: official('filesystem', project), memory: official('memory') };
	const variables = { ORCHESTRA_TRUST: 'all', HOME: home, XDG_STATE_HOME: join(home, 'state') };
	const server = { command: process.execPath, args: [main, 'serve'], env: variables };
	writeFiles(project, {
		'orchestra.json': JSON.stringify({ toolList: { expose: 'search' }, ...settings, mcpServers }),
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
		...['--allowedTools', 'mcp__orchestra'],
	],
	codex: () => [
		...['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
		'Do the task',
	],
};
