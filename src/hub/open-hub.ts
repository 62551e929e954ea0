/*
 * A hub from the configuration of a folder, kept up to date while it is open:
 * when a configuration file changes, what changed is started or stopped, and
 * clients are told. A file that cannot be parsed changes nothing: an editor may be
 * in the middle of writing it, and a half-written file must not stop what runs.
 */
import { join } from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import { type LoadedConfiguration, type LoadOptions, loadConfiguration, userFile } from '../config/load.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Backend } from './backend.ts';
import { buildBackends } from './build-backends.ts';
import { Hub } from './hub.ts';
import type { Journal } from './journal.ts';
import type { FileStorage } from './storage/file-storage.ts';
import { watchFiles } from './watch-files.ts';

export interface OpenHubOptions extends LoadOptions {
	readonly log: Log;
	readonly journal?: Journal | undefined;
	/** Where plugins find the hub, asked when there is a plugin. Default: the hub does not listen, and they get an empty one. */
	readonly address?: (() => Promise<string>) | undefined;
	/** Default `~/.orchestra/certs`. */
	readonly certsDir?: string | undefined;
	/** Values that others delivered for variables of the configuration. Asked at each load. */
	readonly delivered?: (() => DeliveredVariables) | undefined;
}

export interface DeliveredVariables {
	readonly values: Readonly<Record<string, string>>;
	/** In which environments variables were looked for, in words. */
	readonly environmentName: string;
}

export interface OpenedHub {
	readonly hub: Hub;
	/** The files of the workspace that plugins keep. */
	readonly storage: () => Promise<FileStorage>;
	/** The configuration as it is now. */
	configuration(): Configuration;
	/** Variables that the configuration refers to and that have no value. */
	unset(): readonly string[];
	/** Read the configuration again and use what changed. Never rejects: what is wrong is logged. */
	reload(): Promise<void>;
	/** Stop watching and stop everything. Idempotent. */
	close(): Promise<void>;
}

/** Open the hub of a folder. Problems of the configuration are logged; what is right still works. */
export async function openHub(options: OpenHubOptions): Promise<OpenedHub> {
	const { log, journal } = options;
	let loaded = load(options);
	const { configuration } = loaded;
	warnOf(loaded, log);
	const storage = lazyStorage(configuration.root);
	const hub = new Hub({
		backends: await build(storage, options, configuration),
		log,
		...(journal && { journal }),
	});
	let reloaded = Promise.resolve();
	const reloadInOrder = (): Promise<void> => {
		// One after the other: each builds on what the last one kept.
		reloaded = reloaded.then(reload);
		return reloaded;
	};
	const stopWatching = watchFiles(configurationFiles(options, configuration), () => void reloadInOrder());

	async function reload(): Promise<void> {
		try {
			const next = load(options);
			if (isNewlyBroken(next, loaded, log)) return;
			loaded = next;
			warnOf(loaded, log);
			log.info('the configuration changed');
			const earlier = hub.backends;
			await hub.replaceBackends(await build(storage, options, loaded.configuration, earlier));
			hub.warm();
		} catch (error) {
			log.error(`the changed configuration could not be used: ${messageOf(error)}`);
		}
	}

	return {
		hub,
		storage,
		configuration: () => loaded.configuration,
		unset: () => loaded.unset,
		reload: reloadInOrder,
		async close() {
			stopWatching();
			await hub.close();
		},
	};
}

/** The hub's own environment wins over what was delivered. */
function load(options: OpenHubOptions): LoadedConfiguration {
	const { values, environmentName } = options.delivered?.() ?? {};
	return loadConfiguration({
		...options,
		environment: { ...values, ...options.environment },
		environmentName,
	});
}

function lazyStorage(root: string): () => Promise<FileStorage> {
	let storage: Promise<FileStorage> | undefined;
	return () => {
		storage ??= import('./storage/file-storage.ts').then(({ FileStorage: Files }) => new Files(root));
		return storage;
	};
}

/**
 * Can a file not be parsed that could be before? One that was broken from the start has
 * no good state to keep, and does not keep the others from changing.
 */
function isNewlyBroken(next: LoadedConfiguration, last: LoadedConfiguration, log: Log): boolean {
	const broken = next.brokenFiles.filter((file) => !last.brokenFiles.includes(file));
	for (const name of broken) {
		const problem = next.problems.find(({ file }) => file === name);
		log.warn(`the last good configuration is kept: ${problem?.message ?? `${name} is empty`}`);
	}
	return broken.length > 0;
}

function warnOf({ configuration, problems }: LoadedConfiguration, log: Log): void {
	for (const { message } of problems) log.warn(message);
	const servers = configuration.mcpServers.filter(({ isEnabled }) => isEnabled).map(({ name }) => name);
	if (servers.length > 0) log.warn(`MCP servers are not served by the hub yet: ${servers.join(', ')}`);
}

function build(
	storage: () => Promise<FileStorage>,
	options: OpenHubOptions,
	configuration: Configuration,
	earlier: readonly Backend[] = [],
): Promise<Backend[]> {
	const { cwd, environment, log, address = async () => '', certsDir } = options;
	return buildBackends({ configuration, storage, cwd, environment, log, address, certsDir, earlier });
}

/** Those that were read, and those that would be if they came. */
function configurationFiles({ environment }: OpenHubOptions, { root, files }: Configuration): string[] {
	const user = userFile(environment);
	const candidates = ['orchestra.json', '.mcp.json', 'plugins.yaml'].map((name) => join(root, name));
	return [...new Set([...files, ...candidates, ...(user === undefined ? [] : [user])])];
}
