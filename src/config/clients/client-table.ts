/*
 * The known MCP clients, and where each has its configuration.
 *
 * `{home}`, `{project}` and the folders below stand for folders of the machine. A path
 * that ends in `/*` is a folder of configuration files. The first rows of a client are
 * the user's files, in which its one entry of ours is written.
 */
import { posix, win32 } from 'node:path';

export type ClientId =
	| 'claude-code'
	| 'claude-desktop'
	| 'cursor'
	| 'vscode'
	| 'windsurf'
	| 'codex'
	| 'gemini'
	| 'zed'
	| 'continue'
	| 'opencode'
	| 'cline';

/** Whether a file counts for all projects of the user, or for one project. */
export type ClientScope = 'user' | 'project';

export interface KnownClient {
	readonly id: ClientId;
	readonly title: string;
	/** The key of the servers in its file. */
	readonly key: string;
	/** It is started from a desktop, where PATH has no folders of the shell. */
	readonly isDesktop: boolean;
	/** It shows a server twice when both its files have it. */
	readonly showsBoth?: boolean;
}

const clients: readonly KnownClient[] = [
	{ id: 'claude-code', title: 'Claude Code', key: 'mcpServers', isDesktop: false },
	{ id: 'claude-desktop', title: 'Claude Desktop', key: 'mcpServers', isDesktop: true },
	{ id: 'cursor', title: 'Cursor', key: 'mcpServers', isDesktop: true },
	{ id: 'vscode', title: 'VS Code', key: 'servers', isDesktop: true },
	{ id: 'windsurf', title: 'Windsurf', key: 'mcpServers', isDesktop: true },
	{ id: 'codex', title: 'Codex', key: 'mcp_servers', isDesktop: false },
	{ id: 'gemini', title: 'Gemini CLI', key: 'mcpServers', isDesktop: false },
	{ id: 'zed', title: 'Zed', key: 'context_servers', isDesktop: true },
	{ id: 'continue', title: 'Continue', key: 'mcpServers', isDesktop: true, showsBoth: true },
	{ id: 'opencode', title: 'OpenCode', key: 'mcp', isDesktop: false },
	{ id: 'cline', title: 'Cline', key: 'mcpServers', isDesktop: true },
];

/** The clients by the names that commands take. */
export const clientIds: readonly ClientId[] = clients.map(({ id }) => id);

/** Paths on Linux, macOS and Windows; one text when all are the same. */
type Paths = string | readonly [linux: string, macos: string, windows: string];

const STORAGE = 'Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';

const rows: readonly (readonly [ClientId, ClientScope, Paths])[] = [
	['claude-code', 'user', '{claude}/.claude.json'],
	['claude-code', 'project', '{project}/.mcp.json'],
	['claude-desktop', 'user', applicationPaths('Claude/claude_desktop_config.json')],
	['cursor', 'user', '{home}/.cursor/mcp.json'],
	['cursor', 'project', '{project}/.cursor/mcp.json'],
	['vscode', 'user', applicationPaths('Code/User/mcp.json')],
	['vscode', 'project', '{project}/.vscode/mcp.json'],
	['windsurf', 'user', '{home}/.codeium/windsurf/mcp_config.json'],
	['codex', 'user', '{codex}/config.toml'],
	['codex', 'project', '{project}/.codex/config.toml'],
	['gemini', 'user', '{home}/.gemini/settings.json'],
	['gemini', 'project', '{project}/.gemini/settings.json'],
	[
		'zed',
		'user',
		['{config}/zed/settings.json', '{home}/.config/zed/settings.json', '{appdata}/Zed/settings.json'],
	],
	['zed', 'project', '{project}/.zed/settings.json'],
	['continue', 'user', '{home}/.continue/config.yaml'],
	['continue', 'user', '{home}/.continue/mcpServers/*'],
	['continue', 'project', '{project}/.continue/mcpServers/*'],
	['opencode', 'user', '{config}/opencode/opencode.json'],
	['opencode', 'user', '{config}/opencode/opencode.jsonc'],
	['opencode', 'project', '{project}/opencode.json'],
	['opencode', 'project', '{project}/opencode.jsonc'],
	['cline', 'user', applicationPaths(STORAGE)],
	['cline', 'user', '{home}/.cline/data/settings/cline_mcp_settings.json'],
];

/** The folder of applications: XDG on Linux, Application Support on macOS, Roaming on Windows. */
function applicationPaths(path: string): Paths {
	return [`{config}/${path}`, `{home}/Library/Application Support/${path}`, `{appdata}/${path}`];
}

/** The machine, passed in so that all systems are tested on one. */
export interface Machine {
	readonly platform: NodeJS.Platform;
	readonly home: string;
	/** The folder of the project. */
	readonly project: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
}

export interface ClientLocation {
	readonly client: KnownClient;
	readonly scope: ClientScope;
	/** Absolute; ends in `/*` for a folder of files. */
	readonly path: string;
}

/** The files that clients may have on this machine, in the order of the table. */
export function clientLocations(machine: Machine): ClientLocation[] {
	return rows.map(([id, scope, paths]) => ({
		client: clientOf(id),
		scope,
		path: pathOn(machine, paths),
	}));
}

export function clientOf(id: ClientId): KnownClient {
	const client = clients.find((each) => each.id === id);
	if (client === undefined) throw new TypeError(`no client ${id}`);
	return client;
}

function pathOn(machine: Machine, paths: Paths): string {
	const [linux, macos, windows] = typeof paths === 'string' ? [paths, paths, paths] : paths;
	const isWindows = machine.platform === 'win32';
	const template = isWindows ? windows : machine.platform === 'darwin' ? macos : linux;
	const path = template.replace(/\{(\w+)\}/, (_, name: string) => folderOf(machine, name));
	return isWindows ? win32.normalize(path) : posix.normalize(path);
}

function folderOf({ platform, home, project, environment }: Machine, name: string): string {
	switch (name) {
		case 'project':
			return project;
		case 'config':
			return (platform !== 'win32' && environment['XDG_CONFIG_HOME']) || `${home}/.config`;
		case 'appdata':
			return environment['APPDATA'] || `${home}/AppData/Roaming`;
		case 'claude':
			return environment['CLAUDE_CONFIG_DIR'] || home;
		case 'codex':
			return environment['CODEX_HOME'] || `${home}/.codex`;
		default:
			return home;
	}
}
