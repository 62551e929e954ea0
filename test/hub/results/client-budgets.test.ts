import { describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../../src/config/load.ts';
import { ClientBudgets } from '../../../src/hub/results/client-budgets.ts';
import { AGENT_BUDGET_TOKENS } from '../../../src/hub/results/result-limits.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const gitLog = { name: 'git__git_log', server: 'git', tool: 'git_log' };
const gitShow = { name: 'git__git_show', server: 'git', tool: 'git_show' };

describe('ClientBudgets', () => {
	it('gives known agents a budget, and no other client', () => {
		const budgets = budgetsOf({});
		const agents = [
			'claude-code',
			'codex-mcp-client',
			'Cursor',
			'Visual Studio Code',
			'Visual-Studio-Code - Insiders',
		];
		for (const agent of [
			...agents,
			'Windsurf',
			'zed',
			'Roo-Code',
			'qwen-cli-mcp-client-files',
			'@librechat/api-client',
		])
			expect(budgets.ofClient(agent)).toBe(AGENT_BUDGET_TOKENS);
		for (const other of [
			'mcp',
			'mctl',
			'dashboard',
			'',
			'not claude-code',
			'comXraycast.macos',
			'python-poller',
		])
			expect(budgets.ofClient(other)).toBe(0);
		expect(budgets.charactersOf(budgets.usual('mcp', gitLog))).toBe(1024 * 1024);
		expect(budgets.charactersOf(budgets.usual('claude-code', gitLog))).toBe(4 * AGENT_BUDGET_TOKENS);
	});

	it('takes the setting of the tool before that of the server, the client and all clients', () => {
		const budgets = budgetsOf({
			results: { budgetTokens: 4000, tools: { git__git_log: 500 } },
			clients: { Codex: { results: { budgetTokens: 3000 } }, quiet: { results: { budgetTokens: 0 } } },
			mcpServers: { git: { command: 'git-server', results: { budgetTokens: 1000 } } },
		});
		expect(budgets.usual('Codex', gitLog)).toBe(500);
		expect(budgets.usual('Codex', gitShow)).toBe(1000);
		expect(budgets.usual('Codex', undefined)).toBe(3000);
		expect(budgets.usual('anybody', undefined)).toBe(4000);
		expect(budgets.usual('quiet', gitLog)).toBe(0);
		expect(budgets.usual('mctl', gitLog)).toBe(0);
	});

	it('refuses a budget that has no room for the notice', () => {
		const { problems } = loaded({ results: { budgetTokens: 20 } });
		expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('at least 200 tokens')]);
	});
});

function budgetsOf(configuration: object): ClientBudgets {
	const { configuration: read } = loaded(configuration);
	return new ClientBudgets(() => read);
}

function loaded(configuration: object): ReturnType<typeof loadConfiguration> {
	const text = JSON.stringify(configuration);
	const home = writeFiles(temporaryFolder(), { 'orchestra/config.json': text });
	return loadConfiguration({ cwd: temporaryFolder(), environment: { XDG_CONFIG_HOME: home } });
}
