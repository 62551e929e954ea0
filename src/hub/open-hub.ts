/*
 * Opens a hub from the configuration of a folder and keeps it up to date: when a
 * configuration file changes, the changed backends are started or stopped and clients
 * are notified. A file that cannot be parsed changes nothing, because an editor may be
 * in the middle of writing it.
 */
import { join } from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import { type LoadedConfiguration, type LoadOptions, loadConfiguration, userFile } from '../config/load.ts';
import { heldBackText, trustHint } from '../config/trust/held-back.ts';
import { messageOf, OrchestraError } from '../errors.ts';
import { watchFiles } from '../files/watch-files.ts';
import type { Log } from '../log.ts';
import { isExporting } from '../telemetry/is-exporting.ts';
import type { ExportCounts, Tracer } from '../telemetry/tracer.ts';
import { ApprovalFiles } from '../trust/approval-files.ts';
import { Approvals } from '../trust/approvals.ts';
import { CallGate } from '../trust/call-gate.ts';
import { PinStores } from '../trust/pins/pin-stores.ts';
import { Policy } from '../trust/policy.ts';
import type { Backend } from './backends/backend.ts';
import { type BackendSetup, buildBackends, type OpenFabric } from './backends/build-backends.ts';
import { StartLimiter } from './backends/mcp/start-limiter.ts';
import { ToolScans } from './backends/mcp/tool-scans.ts';
import type { PluginLink } from './backends/plugin-link.ts';
import { ToolExposure } from './expose/tool-exposure.ts';
import { Hub } from './hub.ts';
import type { Journal } from './journal.ts';
import { qualifiedName } from './names.ts';
import { heldBackReason, trustInstructions, watchTrust } from './project-trust.ts';
import { BigResults } from './results/big-results.ts';
import type { RoutedStorage } from './storage/routed-storage.ts';

/** Options of `openHub`. */
export interface OpenHubOptions extends LoadOptions {
	readonly log: Log;
	readonly journal?: Journal | undefined;
	/** How long a list waits for plugins that start. Default: from the configuration, else 2 s. */
	readonly listWaitMs?: number | undefined;
	/** The address of the hub for plugins, called when one starts. Default: a private listener on loopback. */
	readonly address?: (() => Promise<string>) | undefined;
	/** Default: from the configuration, else `~/.orchestra/certs`. */
	readonly certsDir?: string | undefined;
	/** Leaves out what is not needed, for a command that uses a part of the hub. Default: everything is kept. */
	readonly narrow?: ((configuration: Configuration) => Configuration) | undefined;
	/** Variables that bridges forwarded for the configuration; called at each load. */
	readonly forwarded?: (() => ForwardedVariables) | undefined;
	/** The caller prints the problems of the configuration itself, so the log leaves them out. */
	readonly reportsProblems?: boolean | undefined;
	/** The view of clients that choose none. */
	readonly view?: string | undefined;
	/** Opens the tools of other hubs, which are in a layer above. Default: the setting `fabric` is ignored. */
	readonly openFabric?: OpenFabric | undefined;
}

/** Environment variables that bridges forwarded. */
export interface ForwardedVariables {
	readonly values: Readonly<Record<string, string>>;
	/** The environments that were searched, for error messages. */
	readonly environmentName: string;
}

/** An open hub with its storage and configuration. */
export interface OpenedHub {
	readonly hub: Hub;
	/** The storage of the workspace, loaded on first use. */
	readonly storage: () => Promise<RoutedStorage>;
	/** The current configuration. */
	configuration(): Configuration;
	/** The configuration as it was loaded, with its problems. */
	loaded(): LoadedConfiguration;
	/** Variables in the configuration that have no value. */
	unset(): readonly string[];
	/** What became of the spans; undefined when none are exported. */
	readonly spans?: (() => ExportCounts) | undefined;
	/** Reload the configuration. Never rejects: problems are logged. */
	reload(): Promise<void>;
	/** Call `listener` after each reload that was used, until the returned function is called. */
	onReload(listener: () => void): () => void;
	/** Stop watching and close the hub. Idempotent. */
	close(): Promise<void>;
}

/**
 * Open the hub of a folder. Problems of the configuration are logged, and its valid parts are used. Throws
 * `bad_input` when an explicitly named file cannot be used.
 */
export async function openHub(options: OpenHubOptions): Promise<OpenedHub> {
	const { log, journal } = options;
	let loaded = load(options);
	const { configuration } = loaded;
	refuseBroken(loaded, options.file);
	if (options.reportsProblems !== true) warnOf(loaded, log);
	const storage = lazyStorage(configuration.root, () => hub.backends);
	const link = lazyLink(options, configuration, () => opened);
	const limitBytes = (): number | undefined => loaded.configuration.limits.resultBytes;
	const results = new BigResults({ environment: options.environment, log, limitBytes });
	const review = { stores: new PinStores(), scans: new ToolScans() };
	const setup = { storage, link: link.get, limiter: new StartLimiter(), review, results };
	let policy = new Policy(configuration.policy);
	const gate = new CallGate({
		policy: () => policy,
		approvals: new Approvals({ files: ApprovalFiles.ofUser(options.environment), log }),
		root: configuration.root,
	});
	const settings = (): Configuration => loaded.configuration;
	const exposure = new ToolExposure({ settings, view: options.view, log, journalFile: journal?.file });
	const hub = new Hub({
		results,
		exposure,
		gate,
		backends: await build(setup, options, configuration),
		log,
		unusedReason: (tool) => heldBackReason(tool, loaded.heldBack) ?? problemOf(tool, loaded),
		instructions: () => trustInstructions(loaded.heldBack),
		listWaitMs: () => options.listWaitMs ?? loaded.configuration.limits.listMs,
		...(journal && { journal }),
	});
	const tracer = await openHubTracer(hub, options);
	const reloadListeners = new Set<() => void>();
	let reloaded = Promise.resolve();
	const reloadInOrder = (): Promise<void> => {
		// One after the other: each keeps the unchanged backends of the last one.
		reloaded = reloaded.then(reload);
		return reloaded;
	};
	const stopWatching = watchFiles(configurationFiles(options, configuration), () => void reloadInOrder());
	const stopWatchingTrust = watchTrust(options.environment, {
		load: () => load(options),
		current: () => loaded,
		reload: () => void reloadInOrder(),
	});

	async function reload(): Promise<void> {
		try {
			const next = load(options);
			if (isNewlyBroken(next, loaded, log)) return;
			loaded = next;
			warnOf(loaded, log);
			log.info('the configuration changed');
			const hidBefore = policy.hidesTools;
			policy = new Policy(loaded.configuration.policy);
			if (hidBefore || policy.hidesTools) hub.policyChanged();
			const earlier = hub.backends;
			await hub.replaceBackends(await build(setup, options, loaded.configuration, earlier));
			hub.warm();
			for (const listener of reloadListeners) listener();
		} catch (error) {
			log.error(`the changed configuration could not be used: ${messageOf(error)}`);
		}
	}

	const opened: OpenedHub = {
		hub,
		storage,
		configuration: () => loaded.configuration,
		loaded: () => loaded,
		unset: () => loaded.unset,
		spans: tracer && (() => tracer.counts),
		reload: reloadInOrder,
		onReload(listener) {
			reloadListeners.add(listener);
			return () => reloadListeners.delete(listener);
		},
		async close() {
			stopWatching();
			stopWatchingTrust();
			await hub.close();
			await link.close();
			await tracer?.close();
		},
	};
	return opened;
}

/** Loaded when the environment names a collector. */
async function openHubTracer(hub: Hub, { environment, log }: OpenHubOptions): Promise<Tracer | undefined> {
	if (!isExporting(environment)) return undefined;
	const { openTracer } = await import('../telemetry/open-tracer.ts');
	const { traceCalls } = await import('./trace-calls.ts');
	const { version } = hub.info;
	const tracer = openTracer({ environment, serviceName: 'orchestra-hub', version, log });
	if (tracer) traceCalls(hub, tracer);
	return tracer;
}

/** The listener for plugins; its code is loaded when the first plugin starts. */
function lazyLink(
	{ address, certsDir, log }: OpenHubOptions,
	{ hub }: Configuration,
	opened: () => OpenedHub,
): { get: () => Promise<PluginLink>; close: () => Promise<void> } {
	let link: Promise<PluginLink> | undefined;
	const open = async (): Promise<PluginLink> => {
		const { openPluginLink } = await import('./backends/open-plugin-link.ts');
		return openPluginLink({ opened, address, certsDir: certsDir ?? hub.certsDir, log });
	};
	return {
		get: () => (link ??= open()),
		close: async () => (await link)?.close(),
	};
}

/** The environment of the hub takes precedence over forwarded variables. */
function load(options: OpenHubOptions): LoadedConfiguration {
	const { values, environmentName } = options.forwarded?.() ?? {};
	const loaded = loadConfiguration({
		...options,
		environment: { ...values, ...options.environment },
		environmentName,
	});
	return options.narrow ? { ...loaded, configuration: options.narrow(loaded.configuration) } : loaded;
}

function lazyStorage(root: string, backends: () => readonly Backend[]): () => Promise<RoutedStorage> {
	let storage: Promise<RoutedStorage> | undefined;
	const open = async (): Promise<RoutedStorage> => {
		const { FileStorage } = await import('./storage/file-storage.ts');
		const { RoutedStorage: Routed } = await import('./storage/routed-storage.ts');
		return new Routed(new FileStorage(root), backends);
	};
	return () => (storage ??= open());
}

/**
 * Whether a file that could be parsed before cannot be parsed now. A file that was broken from the start has no
 * good state to keep and does not block changes of the others.
 */
function isNewlyBroken(next: LoadedConfiguration, last: LoadedConfiguration, log: Log): boolean {
	const broken = next.brokenFiles.filter((file) => !last.brokenFiles.includes(file));
	for (const name of broken) {
		const problem = next.problems.find(({ file }) => file === name);
		log.warn(`the last good configuration is kept: ${problem?.message ?? `${name} is empty`}`);
	}
	return broken.length > 0;
}

function refuseBroken({ brokenFiles, problems }: LoadedConfiguration, named: string | undefined): void {
	if (named === undefined || !brokenFiles.includes(named)) return;
	throw new OrchestraError('bad_input', problems[0]?.message ?? `${named} is empty`);
}

function warnOf({ problems, notes, heldBack }: LoadedConfiguration, log: Log): void {
	for (const note of notes) log.info(note);
	for (const held of heldBack) log.warn(`${heldBackText(held)}; ${trustHint(held)}`);
	for (const { message } of problems) log.warn(message);
}

/** The problem of the entry of the server that a tool belongs to by its name. */
function problemOf(tool: string, { problems }: LoadedConfiguration): string | undefined {
	const found = problems.find(({ key }) => {
		const [section, server] = key.split('.');
		return section === 'mcpServers' && server !== undefined && tool.startsWith(qualifiedName(server, ''));
	});
	return found && `Its server is left out: ${found.message}`;
}

async function build(
	setup: Pick<BackendSetup, 'storage' | 'link' | 'limiter' | 'review'> & { results: BigResults },
	options: OpenHubOptions,
	configuration: Configuration,
	earlier: readonly Backend[] = [],
): Promise<Backend[]> {
	const { cwd, environment, log, address, openFabric } = options;
	// The port must be open before the hub is announced.
	if (configuration.plugins.some(({ isEnabled }) => isEnabled)) await address?.();
	const built = await buildBackends({
		...setup,
		configuration,
		cwd,
		environment,
		log,
		earlier,
		openFabric,
	});
	return [...built, setup.results];
}

/** The files that were read, and those that would be read if they existed. */
function configurationFiles({ environment }: OpenHubOptions, { root, files }: Configuration): string[] {
	const user = userFile(environment);
	const candidates = ['orchestra.json', '.mcp.json', 'plugins.yaml'].map((name) => join(root, name));
	return [...new Set([...files, ...candidates, ...(user === undefined ? [] : [user])])];
}
