/* The entry of a client that starts our bridge, in the shape of that client: with the full paths of this program, or as an installed command. */

import { delimiter, join } from 'node:path';
import { packageRoot } from '../../files/package-root.ts';
import { isSelfFile } from '../self-entry.ts';
import type { ClientScope, KnownClient } from './client-table.ts';

/** The command line of the bridge. */
export interface Launch {
	readonly command: string;
	readonly args: readonly string[];
}

/** Our name in the configuration of every client. */
export const HUB_ENTRY_NAME = 'orchestra';

/** Which of the two command lines a file gets. */
export interface Launches {
	/** Full paths of Node.js and our program. */
	readonly full: Launch;
	/** The installed command; undefined when it is not on PATH. */
	readonly short: Launch | undefined;
}

/** A client of the desktop has no PATH of a shell; the file of a project is shared with others, who have other paths. */
export function launchFor({ full, short }: Launches, client: KnownClient, scope: ClientScope): Launch {
	return short !== undefined && (scope === 'project' || !client.isDesktop) ? short : full;
}

/** The value of the entry in JSON or TOML. */
export function bridgeEntry(client: KnownClient, { command, args }: Launch): Record<string, unknown> {
	switch (client.id) {
		case 'opencode':
			return { type: 'local', command: [command, ...args], enabled: true };
		case 'zed':
			return { source: 'custom', command, args: [...args], env: {} };
		case 'claude-code':
		case 'vscode':
			return { type: 'stdio', command, args: [...args] };
		default:
			return { command, args: [...args] };
	}
}

/** The file that Continue reads beside its own. A JSON string is a YAML string. */
export function continueFile({ command, args }: Launch): string {
	return [
		'name: Orchestra',
		'version: 0.0.1',
		'schema: v1',
		'mcpServers:',
		`  - name: ${HUB_ENTRY_NAME}`,
		`    command: ${JSON.stringify(command)}`,
		'    args:',
		...args.map((arg) => `      - ${JSON.stringify(arg)}`),
		'',
	].join('\n');
}

const COMMAND = 'mctl';

/** Folders that are on PATH only while npm or npx runs a program. */
const passingFolder = /[/\\](?:_npx|node_modules)[/\\]/;

export function bridgeLaunches(environment: Readonly<NodeJS.ProcessEnv>): Launches {
	const main = join(packageRoot(), 'dist', 'cli', 'main.js');
	const isInstalled = (environment['PATH'] ?? '')
		.split(delimiter)
		.some((folder) => !passingFolder.test(`${folder}/`) && isSelfFile(join(folder, COMMAND)));
	return {
		full: { command: process.execPath, args: [main, 'bridge'] },
		short: isInstalled ? { command: COMMAND, args: ['bridge'] } : undefined,
	};
}
