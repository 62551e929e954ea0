/* Real MCP clients that may be installed: on PATH, or in the folder that ORCHESTRA_AGENTS names. */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { ClientHome } from './client-home.ts';

export type AgentName = 'claude' | 'codex' | 'gemini' | 'opencode';

/** The path of an agent; undefined when it is not installed. */
export function agentProgram(name: AgentName): string | undefined {
	const folders = [process.env['ORCHESTRA_AGENTS'], ...(process.env['PATH'] ?? '').split(delimiter)];
	return folders
		.filter((folder) => folder !== undefined && folder !== '')
		.map((folder) => join(folder ?? '', name))
		.find(isExecutable);
}

/** Run an agent in the project of a home, and return what it printed. Rejects when it fails. */
export async function runAgent(
	name: AgentName,
	args: readonly string[],
	{ home, project, env }: Pick<ClientHome, 'home' | 'project' | 'env'>,
): Promise<string> {
	const options = {
		cwd: project,
		env: { ...env, HOME: home, PATH: process.env['PATH'] ?? '', CI: '1' },
		timeout: 60_000,
	};
	const running = promisify(execFile)(agentProgram(name) ?? name, args, options);
	// Some read more of the prompt from there.
	running.child.stdin?.end();
	const { stdout, stderr } = await running;
	return stdout + stderr;
}

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false; // not there
	}
}
