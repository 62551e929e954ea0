/* How a client starts our bridge: with the full paths of this program, or as an installed command. */
import { delimiter, join } from 'node:path';
import { packageRoot } from '../../files/package-root.ts';
import { isSelfFile } from '../self-entry.ts';
import type { Launches } from './bridge-entry.ts';

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
