/* `mctl serve`: an embedded hub, MCP on stdin and stdout. Only plugins get processes and a private port on loopback. */
import { existsSync } from 'node:fs';
import type { Configuration } from '../../config/configuration.ts';
import { messageOf } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import { type OpenedHub, type OpenHubOptions, openHub } from '../../hub/open-hub.ts';
import { serveJournal } from '../../hub/serve-journal.ts';
import { Log } from '../../log.ts';
import { serveProvider } from '../../mcp/define/serve.ts';
import { chosenView } from '../chosen-view.ts';
import { type Command, type CommandInput, refuseWords, usageError } from '../command.ts';
import { openFabric } from '../fabric-openers.ts';

/** Delay before backends load, so that the first answer does not wait for them. */
const WARM_AFTER_MS = 100;
/** The exit code when nothing can be served. */
const START_FAILED = 1;

export const serveCommand: Command = {
	usage: 'mctl serve [--view NAME] [--config FILE] [--examples]',
	examples: [
		'mctl serve',
		'mctl serve --view review',
		'echo \'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\' | mctl serve',
		'claude mcp add orchestra -- mctl serve',
	],
	flags: {
		view: { type: 'string', value: 'NAME', help: 'show the tools of this view' },
		config: { type: 'string', value: 'FILE', help: 'use this configuration file and no other' },
		examples: { type: 'boolean', help: 'offer the bundled example tools too' },
	},
	isServer: true,

	async run(input) {
		const { flags } = input;
		refuseWords(input, serveCommand);
		const file = typeof flags['config'] === 'string' ? flags['config'] : undefined;
		if (file !== undefined && !existsSync(file))
			throw usageError(serveCommand, `there is no configuration file ${file}`);
		const view = chosenView(input, serveCommand, file);
		await serveHere(input, { file, view, narrow: flags['examples'] ? offerExamples : undefined });
	},
};

/** Serve the hub of this folder on stdin and stdout until the client disconnects. */
export async function serveHere(
	{ environment, signal }: CommandInput,
	options: Pick<OpenHubOptions, 'file' | 'view' | 'narrow'>,
): Promise<void> {
	const log = Log.fromEnvironment('orchestra', environment);
	log.info(`Starting orchestra v${packageVersion()}`);
	const journal = serveJournal(async () => {
		const { hubFolderHere } = await import('../hub-location.ts');
		return hubFolderHere(environment).path;
	}, log);
	const all = { cwd: process.cwd(), environment, log, journal, openFabric, ...options };
	const opened = await openHub(all).catch((error: unknown) => {
		log.error(`orchestra could not start: ${messageOf(error)}`);
	});
	if (opened) await serveUntilEnd(opened, log, signal);
	else process.exitCode = START_FAILED;
}

function offerExamples(configuration: Configuration): Configuration {
	return { ...configuration, tools: { ...configuration.tools, examples: true } };
}

/** The first answer does not wait for the backends; the log says when all are loaded. */
async function serveUntilEnd(opened: OpenedHub, log: Log, signal: AbortSignal): Promise<void> {
	let isStarted = false;
	const started = (): void => {
		if (!isStarted) log.info('orchestra started successfully');
		isStarted = true;
	};
	const failed = (error: unknown): void => log.error(`orchestra started in part: ${messageOf(error)}`);
	const warming = setTimeout(() => void warmUp(opened).then(started, failed), WARM_AFTER_MS);
	const { messageBytes: limitBytes } = opened.configuration().limits;
	try {
		await serveProvider(opened.hub, { log, limitBytes, signal });
	} finally {
		clearTimeout(warming);
		started();
		await opened.close();
	}
}

/** Load the backends: the library here, plugins in the background. */
async function warmUp({ hub }: OpenedHub): Promise<void> {
	hub.warm();
	await hub.ready();
}
