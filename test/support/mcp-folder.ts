/* A project with real MCP servers, and a home of its own. */
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { type MctlResult, mctl } from './mctl.ts';
import { livingWith } from './programs.ts';
import { until } from './waiting.ts';
import { homeVariables, temporaryFolder, writeFiles } from './workspace.ts';

/** An MCP server in one file, without a library. Tests configure it under the short name `py`. */
export const callServer = {
	command: process.execPath,
	args: [resolve(import.meta.dirname, '../fixtures/servers/call-server.mjs')],
};

/** The same as a `stdio:` URI. */
export const callServerUri = `stdio:"${callServer.command}" "${callServer.args[0]}"`;

const require = createRequire(import.meta.url);
/** Written out, so that unused packages are found. */
const packages = {
	everything: () => require.resolve('@modelcontextprotocol/server-everything/package.json'),
	filesystem: () => require.resolve('@modelcontextprotocol/server-filesystem/package.json'),
	memory: () => require.resolve('@modelcontextprotocol/server-memory/package.json'),
};

/** A server of the MCP project, from node_modules. */
export function realServer(name: keyof typeof packages, ...args: string[]): object {
	return { command: process.execPath, args: [join(dirname(packages[name]()), 'dist/index.js'), ...args] };
}

export interface McpFolder {
	readonly cwd: string;
	readonly env: Record<string, string>;
	run(...words: string[]): Promise<MctlResult>;
}

/** A folder with these servers; everything that was started there is gone at the end of the test. */
export function mcpFolder(mcpServers: object, files: Record<string, string> = {}): McpFolder {
	const home = temporaryFolder();
	const cwd = join(home, 'work');
	writeFiles(cwd, { 'orchestra.json': JSON.stringify({ mcpServers }), ...files });
	const env = homeVariables(home);
	const run = (...words: string[]): Promise<MctlResult> => mctl(words, { cwd, env });
	onTestFinished(async () => {
		await run('hub', 'stop', '--all', '--force');
		await until('nothing with this home is left', () => livingWith('HOME', home).length === 0);
	});
	return { cwd, env, run };
}
