/* `mctl serve`: an embedded hub, MCP on stdin and stdout. Only plugins get processes and a private port on loopback. */
import type { Configuration } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { refuseSelf, STARTED_BY } from '../../config/self-entry.ts';
import { messageOf } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import { serveJournal } from '../../hub/journal/serve-journal.ts';
import { type OpenedHub, type OpenHubOptions, openHub } from '../../hub/open-hub.ts';
import { isLearningOn, LearnerStandby } from '../../hub/shared/learner-standby.ts';
import type { Log } from '../../log.ts';
import { serveProvider } from '../../mcp/define/serve.ts';
import { SERVE_WARM_AFTER_MS } from '../cli-limits.ts';
import type { Command, CommandInput } from '../command.ts';
import { configFile, configFlag } from '../config-flag.ts';
import { openFabric } from '../hub-client/fabric-openers.ts';
import { viewOfFlag } from '../view-flag.ts';

/** The exit code when nothing can be served. */
const START_FAILED = 1;

export const serveCommand: Command = {
	usage: 'mctl serve [--view NAME | --skill NAME] [--config FILE] [--examples]',
	examples: [
		'mctl serve',
		'mctl serve --view review',
		'mctl serve --skill release-notes',
		'echo \'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\' | mctl serve',
		'claude mcp add orchestra -- mctl serve',
	],
	flags: {
		view: { value: 'NAME', help: 'show the tools of this view' },
		skill: { value: 'NAME', help: 'show the tools of this skill, and its text first' },
		config: configFlag,
		examples: { help: 'serve the bundled example tools too' },
	},
	isServer: true,
	isAwaited: true,

	async run(input) {
		const { flags } = input;
		const file = configFile(input, serveCommand);
		// Loaded on demand: it opens a session with a hub, and starting is to be quick.
		const skill =
			input.flags['skill'] === undefined
				? undefined
				: await (await import('../skill-flag.ts')).skillOfFlag(input, serveCommand, file);
		return serveHere(input, {
			file,
			view: skill?.view ?? viewOfFlag(input, serveCommand, file),
			instructions: skill?.instructions,
			narrow: flags['examples'] ? enableExamples : undefined,
		});
	},
};

/** Serve the hub of this folder on stdin and stdout until the client disconnects. */
export async function serveHere(
	{ cwd, environment, out, program, signal }: CommandInput,
	options: Pick<OpenHubOptions, 'file' | 'view' | 'instructions' | 'narrow'>,
): Promise<number> {
	const log = out.log('orchestra', environment);
	log.info(`Starting orchestra v${packageVersion()}`);
	const journal = serveJournal(async () => {
		const { hubFolderHere } = await import('../hub-client/hub-location.ts');
		return hubFolderHere({ cwd, environment }).path;
	}, log);
	const learning = standby({ cwd, environment, program }, options.file);
	const all = { cwd, environment, log, journal, openFabric, learning, ...options };
	const opened = await openOther(all).catch((error: unknown) => {
		log.error(`orchestra could not start: ${messageOf(error)}`);
	});
	if (opened === undefined) return START_FAILED;
	await serveUntilEnd(opened, log, signal);
	return 0;
}

/** Finishes the first starts of servers when this process has ended. Undefined with `ORCHESTRA_LEARN=off`. */
function standby(
	{ cwd, environment, program }: Pick<CommandInput, 'cwd' | 'environment' | 'program'>,
	file: string | undefined,
): LearnerStandby | undefined {
	if (!isLearningOn(environment)) return undefined;
	const config = file === undefined ? [] : ['--config', file];
	const command = [process.execPath, program, 'learn', '--background', ...config];
	return new LearnerStandby({ command, cwd, environment });
}

/** Throws `bad_input` when the same hub started this process. */
async function openOther(options: OpenHubOptions): Promise<OpenedHub> {
	const { cwd, environment, file } = options;
	// Without the variable, the usual case, nothing has to be read for it.
	if (environment[STARTED_BY] !== undefined)
		refuseSelf(environment, file ?? loadConfiguration({ cwd, environment }).configuration.root);
	return openHub(options);
}

function enableExamples(configuration: Configuration): Configuration {
	return { ...configuration, tools: { ...configuration.tools, examples: true } };
}

/** The first answer does not wait for the sources; the log says when all are loaded. */
async function serveUntilEnd(opened: OpenedHub, log: Log, signal: AbortSignal): Promise<void> {
	let isStarted = false;
	const started = (): void => {
		if (!isStarted) log.info('orchestra started successfully');
		isStarted = true;
	};
	const failed = (error: unknown): void => log.error(`orchestra started in part: ${messageOf(error)}`);
	const warming = setTimeout(() => void warmUp(opened).then(started, failed), SERVE_WARM_AFTER_MS);
	const { messageBytes: limitBytes } = opened.configuration().limits;
	try {
		await serveProvider(opened.hub, { log, limitBytes, signal });
	} finally {
		clearTimeout(warming);
		started();
		await opened.close();
	}
}

/** Load the sources: the library here, plugins in the background. */
async function warmUp({ hub }: OpenedHub): Promise<void> {
	hub.warm();
	await hub.ready();
}
