/* Which shared hub the commands mean: that of the configuration that is found from here. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findProjectFile, projectRoot } from '../config/project-file.ts';
import { HubFolder } from '../hub/shared/hub-folder.ts';
import type { HubRecord } from '../hub/shared/hub-record.ts';
import { ensureHub } from '../hub/shared/start-hub.ts';
import type { CommandInput } from './command.ts';

/** Folders that a hub serves without being configured. */
const servedFolders = ['tools', 'prompts', 'resources', '.projects'];

/** The folder of the hub for the working directory: where it is running, else where it would be. */
export function hubFolderHere(environment: Readonly<NodeJS.ProcessEnv>): HubFolder {
	return new HubFolder(hubRoot(process.cwd(), environment), environment).located();
}

/** The running hub, started when there is none. */
export function hubHere(
	{ environment, signal }: Pick<CommandInput, 'environment' | 'signal'>,
	{ certsDir, httpAddress }: { certsDir?: string | undefined; httpAddress?: string | undefined } = {},
): Promise<HubRecord> {
	// The same program and runtime that run this process.
	const main = process.argv[1] ?? '';
	const flags = [
		...(certsDir === undefined ? [] : ['--certs-dir', certsDir]),
		...(httpAddress === undefined ? [] : [`--http=${httpAddress}`]),
	];
	const command = [process.execPath, main, 'hub', 'run', ...flags];
	const folder = new HubFolder(hubRoot(process.cwd(), environment), environment);
	return ensureHub({ folder, cwd: folder.root, command, environment, signal });
}

/** The folder of the project; where there is neither a configuration nor anything to serve, the user's home, so that all such folders share one hub. */
function hubRoot(cwd: string, environment: Readonly<NodeJS.ProcessEnv>): string {
	const home = environment['HOME'] || homedir();
	if (findProjectFile(cwd, home) !== undefined) return projectRoot(cwd, home);
	const servesHere = servedFolders.some((name) => isFolder(join(cwd, name)));
	return servesHere || !isFolder(home) ? cwd : home;
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
