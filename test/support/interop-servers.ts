/* The servers of the interop tests, on each official SDK that this machine has. */
import { execFile, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './workspace.ts';

interface Command {
	readonly command: string;
	readonly args: readonly string[];
}

const fixtures = resolve(import.meta.dirname, '../fixtures');
/** Fetches the modules, and compiles. */
const BUILD_MS = 60_000;

/** A server on the TypeScript SDK. */
export function sdkServer(major: 'v1' | 'v2', name: string, era = 'legacy'): Command {
	return {
		command: process.execPath,
		args: [join(fixtures, `servers/interop-server-${major}.mjs`), name, era],
	};
}

/** The server on the Python SDK, or why there is none. */
export function pythonServer(name: string): Command | string {
	const command = process.env['ORCHESTRA_TEST_PYTHON'] ?? 'python3';
	const hasSdk = spawnSync(command, ['-c', 'import mcp.server.mcpserver']).status === 0;
	if (!hasSdk) return `${command} has no package mcp 2.x (set ORCHESTRA_TEST_PYTHON)`;
	return { command, args: [join(fixtures, 'servers/interop_server.py'), name] };
}

/** The server on the Go SDK, or why there is none. */
export async function goServer(name: string): Promise<Command | string> {
	const command = join(temporaryFolder(), 'go-mcp-server');
	try {
		await promisify(execFile)('go', ['build', '-o', command, '.'], {
			cwd: join(fixtures, 'go-mcp-server'),
			timeout: BUILD_MS,
			env: { ...process.env, GOTOOLCHAIN: 'local' },
		});
		return { command, args: [name] };
	} catch (error) {
		return `it cannot be built here: ${String(error).split('\n')[0]}`;
	}
}
