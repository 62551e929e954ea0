import { describe, expect, it } from 'vitest';
import { type ClientId, clientLocations } from '../../../src/config/clients/client-table.ts';

type Row = [ClientId, 'user' | 'project', string];

const APPS = 'Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';

const everywhere: Row[] = [
	['claude-code', 'user', '~/.claude.json'],
	['claude-code', 'project', '/p/.mcp.json'],
	['cursor', 'user', '~/.cursor/mcp.json'],
	['cursor', 'project', '/p/.cursor/mcp.json'],
	['vscode', 'project', '/p/.vscode/mcp.json'],
	['windsurf', 'user', '~/.codeium/windsurf/mcp_config.json'],
	['codex', 'user', '~/.codex/config.toml'],
	['codex', 'project', '/p/.codex/config.toml'],
	['gemini', 'user', '~/.gemini/settings.json'],
	['gemini', 'project', '/p/.gemini/settings.json'],
	['zed', 'project', '/p/.zed/settings.json'],
	['continue', 'user', '~/.continue/config.yaml'],
	['continue', 'user', '~/.continue/mcpServers/*'],
	['continue', 'project', '/p/.continue/mcpServers/*'],
	['opencode', 'user', '~/.config/opencode/opencode.json'],
	['opencode', 'user', '~/.config/opencode/opencode.jsonc'],
	['opencode', 'project', '/p/opencode.json'],
	['opencode', 'project', '/p/opencode.jsonc'],
	['cline', 'user', '~/.cline/data/settings/cline_mcp_settings.json'],
];

const only: Record<'linux' | 'darwin' | 'win32', Row[]> = {
	linux: [
		['claude-desktop', 'user', '~/.config/Claude/claude_desktop_config.json'],
		['vscode', 'user', '~/.config/Code/User/mcp.json'],
		['zed', 'user', '~/.config/zed/settings.json'],
		['cline', 'user', `~/.config/${APPS}`],
	],
	darwin: [
		['claude-desktop', 'user', '~/Library/Application Support/Claude/claude_desktop_config.json'],
		['vscode', 'user', '~/Library/Application Support/Code/User/mcp.json'],
		['zed', 'user', '~/.config/zed/settings.json'],
		['cline', 'user', `~/Library/Application Support/${APPS}`],
	],
	win32: [
		['claude-desktop', 'user', '~/AppData/Roaming/Claude/claude_desktop_config.json'],
		['vscode', 'user', '~/AppData/Roaming/Code/User/mcp.json'],
		['zed', 'user', '~/AppData/Roaming/Zed/settings.json'],
		['cline', 'user', `~/AppData/Roaming/${APPS}`],
	],
};

describe.each([
	['linux', '/home/me', '/p'],
	['darwin', '/Users/me', '/p'],
	['win32', 'C:\\Users\\me', 'D:\\p'],
] as const)('the files of the clients on %s', (platform, home, project) => {
	const locations = clientLocations({ platform, home, project, environment: {} });

	it.each([...everywhere, ...only[platform]])('%s has a %s file %s', (id, scope, path) => {
		const whole = path.replace(/^~/, home).replace(/^\/p/, project);
		const expected = platform === 'win32' ? whole.replaceAll('/', '\\') : whole;
		expect(locations.map(({ client, ...rest }) => [client.id, rest.scope, rest.path])).toContainEqual([
			id,
			scope,
			expected,
		]);
	});

	it('are these and no others', () => {
		expect(locations).toHaveLength(everywhere.length + only[platform].length);
	});
});

describe('variables of the environment', () => {
	it('move the folders of the clients that read them', () => {
		const environment = {
			XDG_CONFIG_HOME: '/x',
			CLAUDE_CONFIG_DIR: '/c',
			CODEX_HOME: '/o',
			APPDATA: 'E:\\A',
		};
		const paths = (platform: NodeJS.Platform): string[] =>
			clientLocations({ platform, home: '/h', project: '/p', environment }).map(({ path }) => path);
		expect(paths('linux')).toEqual(
			expect.arrayContaining([
				'/x/Code/User/mcp.json',
				'/x/opencode/opencode.json',
				'/c/.claude.json',
				'/o/config.toml',
			]),
		);
		expect(paths('win32')).toContain('E:\\A\\Code\\User\\mcp.json');
	});
});
