/* Which shared hub the commands mean: that of the configuration that is found from here. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProjectFile, projectRoot } from '../../config/project-file.ts';
import { packageVersion } from '../../files/package-version.ts';
import { HubFolder } from '../../hub/shared/hub-folder.ts';
import type { HubRecord } from '../../hub/shared/hub-record.ts';
import { ensureHub } from '../../hub/shared/start-hub.ts';
import { HUB_CONNECTED_MS, HUB_LOOK_AGAIN_MS, HUB_RETIRE_MS } from '../cli-limits.ts';
import type { CommandInput, CommandPlace } from '../command.ts';

/** Folders that a hub serves without being configured. */
const servedFolders = ['tools', 'prompts', 'resources', '.projects'];

/** The folder of the hub of the working directory: where it is running, else where it would be. */
export function hubFolderHere({ cwd, environment }: CommandPlace): HubFolder {
	return new HubFolder(hubRoot(cwd, environment), environment).located();
}

export interface HubStart {
	readonly certsDir?: string | undefined;
	readonly httpAddress?: string | undefined;
	/** Whether an idle hub of an older version is replaced. Default false. */
	readonly replacesOlder?: boolean | undefined;
}

/** The running hub, started when there is none. */
export function hubHere(
	{ cwd, environment, program, signal }: Pick<CommandInput, 'cwd' | 'environment' | 'program' | 'signal'>,
	{ certsDir, httpAddress, replacesOlder }: HubStart = {},
): Promise<HubRecord> {
	const flags = [
		...(certsDir === undefined ? [] : ['--certs-dir', certsDir]),
		...(httpAddress === undefined ? [] : [`--http=${httpAddress}`]),
	];
	const command = [process.execPath, program, 'hub', 'run', ...flags];
	const folder = new HubFolder(hubRoot(cwd, environment), environment);
	const replacement = replacesOlder ? { version: packageVersion(), retire: retireHub } : undefined;
	return ensureHub({ folder, cwd: folder.root, command, environment, signal, replacement });
}

/** Ask a hub to end if it is idle. */
async function retireHub(record: HubRecord): Promise<boolean> {
	const { controlHub } = await import('./control-hub.ts');
	const signal = AbortSignal.timeout(HUB_RETIRE_MS);
	const giveUpAt = performance.now() + HUB_CONNECTED_MS;
	for (;;) {
		const { answer } = await controlHub(record, { action: 'retire' }, signal);
		if (answer !== 'connected' || performance.now() > giveUpAt) return answer === 'retired';
		await sleep(HUB_LOOK_AGAIN_MS, undefined, { signal });
	}
}

/** The folder of the project; where there is neither a configuration nor anything to serve, the user's home, so that all such folders share one hub. */
export function hubRoot(cwd: string, environment: Readonly<NodeJS.ProcessEnv>): string {
	const home = environment['HOME'] || homedir();
	if (findProjectFile(cwd, home) !== undefined) return projectRoot(cwd, home);
	const servesHere = servedFolders.some((name) => isFolder(join(cwd, name)));
	return servesHere || !isFolder(home) ? cwd : home;
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
