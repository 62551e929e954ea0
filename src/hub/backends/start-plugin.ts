/* From the entry of a plugin in the configuration to its running process, and how it is doing. */
import { dirname } from 'node:path';
import type { PluginEntry } from '../../config/configuration.ts';
import { markedEnvironment } from '../../config/own-entry.ts';
import { OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { PluginProcess } from '../../plugin/client/plugin-process.ts';
import type { Child } from '../../process/child.ts';
import { limitedRate } from '../log-rate.ts';
import type { PluginLink } from './plugin-link.ts';

/** Where plugins of every Orchestra look for the folder of the project. */
const WORKSPACE_VARIABLE = 'ORCHESTRA_WORKSPACE';
/** How long a plugin may take to say how it is. */
const HEALTH_MS = 5000;
/** The status by its number: the generated code is loaded with the first plugin only. */
const UNHEALTHY = 3;

export interface PluginStart {
	readonly entry: PluginEntry;
	/** How the plugin reaches the hub. */
	readonly link: () => Promise<PluginLink>;
	/** The folder of the project. */
	readonly workspace: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
}

export interface PluginStartCall {
	/** Resolves when the plugin may start. */
	readonly ready: () => Promise<unknown>;
	readonly onStarted: (child: Child) => void;
	readonly signal: AbortSignal;
}

/** Start a plugin in the folder of the file that names it. */
export async function startPlugin(start: PluginStart, call: PluginStartCall): Promise<PluginProcess> {
	const { entry, log, workspace, environment } = start;
	const { ready, onStarted, signal } = call;
	// Protobuf and the links are loaded when the first plugin starts, not when the hub does.
	const { startPluginProcess } = await import('../../plugin/client/plugin-process.ts');
	const link = await start.link();
	const orchestratorAddress = await link.open(entry.id);
	await ready();
	signal.throwIfAborted();
	const { id, binary, args, env, config } = entry;
	const pluginLog = log.named(id);
	return startPluginProcess({
		id,
		binary,
		args,
		env: {
			...markedEnvironment(environment, { file: entry.file, name: id }),
			[WORKSPACE_VARIABLE]: workspace,
			...env,
		},
		cwd: entry.cwd ?? dirname(entry.file),
		config,
		orchestratorAddress,
		certsDir: link.certsDir,
		onLog: limitedRate((line) => pluginLog.info(line)),
		onStarted,
		signal,
		log,
	});
}

/** Rejects with why the plugin is not healthy. */
export async function checkPlugin({ client }: Pick<PluginProcess, 'client'>): Promise<void> {
	const options = { timeoutMs: HEALTH_MS };
	const { response } = await client.send({ request: { case: 'health', value: {} } }, options);
	if (response.case !== 'health') return; // older plugins do not know the question
	const { message } = response.value;
	const status: number = response.value.status;
	if (status === UNHEALTHY)
		throw new OrchestraError('tool_failed', message || 'it says that it is not healthy');
}
