/* Which shared hub the commands mean: that of the configuration that is found from here. */
import { projectRoot } from '../config/project-file.ts';
import { HubFolder, type HubRecord } from '../hub/shared/hub-folder.ts';
import { ensureHub } from '../hub/shared/start-hub.ts';
import type { CommandInput } from './command.ts';

/** The folder of the hub for the working directory. */
export function hubFolderHere(environment: Readonly<NodeJS.ProcessEnv>): HubFolder {
	return new HubFolder(projectRoot(process.cwd(), environment['HOME']), environment);
}

/** The running hub, started when there is none. */
export function hubHere(
	{ environment, signal }: Pick<CommandInput, 'environment' | 'signal'>,
	certsDir?: string,
): Promise<HubRecord> {
	// This very program: whatever started us starts the hub.
	const main = process.argv[1] ?? '';
	const flags = certsDir === undefined ? [] : ['--certs-dir', certsDir];
	const command = [process.execPath, main, 'hub', 'run', ...flags];
	return ensureHub({ folder: hubFolderHere(environment), cwd: process.cwd(), command, environment, signal });
}
