/* An MCP server whose tools a test changes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from './workspace.ts';

const fixture = resolve(import.meta.dirname, '../fixtures/servers/drifting-server.mjs');

export interface DriftingServer {
	/** For `mcpServers`. */
	entry(settings?: object): object;
	/** List these tools from the next list on: descriptions by name, or whole tools. */
	setTools(tools: Readonly<Record<string, string | object>>, instructions?: string): void;
	/** The tools that it called, in order. */
	calls(): string[];
}

/** A server with these tools. */
export function driftingServer(tools: Readonly<Record<string, string | object>>): DriftingServer {
	const folder = temporaryFolder();
	const toolsFile = join(folder, 'tools.json');
	const callsFile = join(folder, 'calls');
	writeFileSync(callsFile, '');
	const server: DriftingServer = {
		entry: (settings = {}) => ({
			command: process.execPath,
			args: [fixture, toolsFile, callsFile],
			...settings,
		}),
		setTools: (listed, instructions) => {
			const list = Object.entries(listed).map(([name, about]) => ({
				name,
				inputSchema: { type: 'object' },
				...(typeof about === 'string' ? { description: about } : about),
			}));
			writeFileSync(toolsFile, JSON.stringify({ tools: list, instructions }));
		},
		calls: () =>
			readFileSync(callsFile, 'utf8')
				.split('\n')
				.filter((line) => line !== ''),
	};
	server.setTools(tools);
	return server;
}
