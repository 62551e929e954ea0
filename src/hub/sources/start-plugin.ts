/* Start a configured plugin, and check its health. */
import { dirname } from 'node:path';
import type { PluginEntry } from '../../config/configuration.ts';
import { markedEnvironment } from '../../config/self-entry.ts';
import { OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { PluginProcess } from '../../plugin/client/plugin-process.ts';
import type { Child } from '../../process/child.ts';
import { resolveSecrets } from '../../secrets/resolve-secret.ts';
import { rateLimited } from '../log-rate.ts';
import type { PluginLink } from './plugin-link.ts';
import { PLUGIN_HEALTH_MS } from './source-limits.ts';

/** The status as a number, because the generated code is loaded with the first plugin only. */
const UNHEALTHY = 3;

/** The environment variable with the project folder, the same in every Orchestra. */
const WORKSPACE_VARIABLE = 'ORCHESTRA_WORKSPACE';

export interface PluginStart {
	readonly entry: PluginEntry;
	/** The listener for plugins. */
	readonly link: () => Promise<PluginLink>;
	/** The folder of the project. */
	readonly workspace: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
}

export interface PluginStartCall {
	readonly onStarted: (child: Child) => void;
	/** Called with each line of its stderr. */
	readonly onLine: (line: string) => void;
	readonly signal: AbortSignal;
}

/** Start a plugin. Its default working folder is that of its configuration file. */
export async function startPlugin(start: PluginStart, call: PluginStartCall): Promise<PluginProcess> {
	const { entry, log, workspace, environment } = start;
	const { onStarted, onLine, signal } = call;
	// Protobuf and the links are loaded when the first plugin starts, not when the hub does.
	const { startPluginProcess } = await import('../../plugin/client/plugin-process.ts');
	const link = await start.link();
	const orchestratorAddress = await link.open(entry.id);
	signal.throwIfAborted();
	const { id, binary, args, sandbox, limits } = entry;
	const resolving = { environment, signal };
	const env = await resolveSecrets(entry.env, entry.secretEnv, resolving);
	const config = await resolveSecrets(entry.config, entry.secretConfig, resolving);
	const pluginLog = log.named(id);
	const logged = rateLimited((line) => pluginLog.info(line));
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
		sandbox,
		limits,
		orchestratorAddress,
		certsDir: link.certsDir,
		onLog: (line) => {
			onLine(line);
			logged(line);
		},
		onStarted,
		signal,
		log,
	});
}

/** Rejects with the reason when the plugin is unhealthy. */
export async function checkPlugin({ client }: Pick<PluginProcess, 'client'>): Promise<void> {
	const options = { timeoutMs: PLUGIN_HEALTH_MS };
	const { response } = await client.send({ request: { case: 'health', value: {} } }, options);
	if (response.case !== 'health') return; // older plugins have no health check
	const { message } = response.value;
	const status: number = response.value.status;
	if (status === UNHEALTHY)
		throw new OrchestraError('tool_failed', message || 'it reports that it is unhealthy');
}
