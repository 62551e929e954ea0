/*
 * Opens a hub from the configuration of a folder and keeps it up to date: when a
 * configuration file changes, the changed backends are started or stopped and clients
 * are notified.
 */
import type { Configuration } from '../config/configuration.ts';
import type { LoadedConfiguration } from '../config/load.ts';
import { isExporting } from '../telemetry/is-exporting.ts';
import type { ExportCounts, Tracer } from '../telemetry/tracer.ts';
import { ApprovalFiles } from '../trust/approval-files.ts';
import { Approvals } from '../trust/approvals.ts';
import { CallGate } from '../trust/call-gate.ts';
import { PinStores } from '../trust/pins/pin-stores.ts';
import type { Backend } from './backends/backend.ts';
import { type BackendSetup, buildBackends, type OpenFabric } from './backends/build-backends.ts';
import { StartLimiter } from './backends/mcp/start-limiter.ts';
import { ToolScans } from './backends/mcp/tool-scans.ts';
import type { PluginLink } from './backends/plugin-link.ts';
import { ConnectedClients } from './connected-clients.ts';
import { CurrentConfiguration, type HubConfigurationOptions } from './current-configuration.ts';
import { ToolExposure } from './expose/tool-exposure.ts';
import { Hub } from './hub.ts';
import type { Journal } from './journal.ts';
import { qualifiedName } from './names.ts';
import { heldBackReason, trustInstructions } from './project-trust.ts';
import { BigResults } from './results/big-results.ts';
import type { RoutedStorage } from './storage/routed-storage.ts';

/** Options of `openHub`. */
export interface OpenHubOptions extends HubConfigurationOptions {
	readonly journal?: Journal | undefined;
	/** How long a list waits for plugins that start. Default: from the configuration, else 2 s. */
	readonly listWaitMs?: number | undefined;
	/** The address of the hub for plugins, called when one starts. Default: a private listener on loopback. */
	readonly address?: (() => Promise<string>) | undefined;
	/** Default: from the configuration, else `~/.orchestra/certs`. */
	readonly certsDir?: string | undefined;
	/** The view of clients that choose none. */
	readonly view?: string | undefined;
	/** Whether suspicious texts of servers are logged. Default true. */
	readonly reportsFindings?: boolean | undefined;
	/** Opens the tools of other hubs, which are in a layer above. Default: the setting `fabric` is ignored. */
	readonly openFabric?: OpenFabric | undefined;
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
	const current = new CurrentConfiguration(options);
	const { configuration } = current.loaded;
	const storage = lazyStorage(configuration.root, () => hub.backends);
	const link = lazyLink(options, configuration, () => opened);
	const limitBytes = (): number | undefined => current.configuration.limits.resultBytes;
	const results = new BigResults({ environment: options.environment, log, limitBytes });
	const review = { stores: new PinStores(), scans: new ToolScans(options.reportsFindings) };
	const clients = new ConnectedClients();
	const setup = { storage, link: link.get, limiter: new StartLimiter(), clients, review, results };
	const gate = new CallGate({
		policy: () => current.policy,
		approvals: new Approvals({ files: ApprovalFiles.ofUser(options.environment), log }),
		root: configuration.root,
	});
	const settings = (): Configuration => current.configuration;
	const exposure = new ToolExposure({ settings, view: options.view, log, journalFile: journal?.file });
	const hub = new Hub({
		results,
		exposure,
		gate,
		clients,
		backends: await build(setup, options, configuration),
		log,
		unusedReason: (tool) => heldBackReason(tool, current.loaded.heldBack) ?? problemOf(tool, current.loaded),
		instructions: () => trustInstructions(current.loaded.heldBack),
		listWaitMs: () => options.listWaitMs ?? current.configuration.limits.listMs,
		...(journal && { journal }),
	});
	const tracer = await openHubTracer(hub, options);
	current.watch(hub, (next, earlier) => build(setup, options, next, earlier));
	const opened: OpenedHub = {
		hub,
		storage,
		configuration: () => current.configuration,
		loaded: () => current.loaded,
		unset: () => current.loaded.unset,
		spans: tracer && (() => tracer.counts),
		reload: () => current.reload(),
		onReload: (listener) => current.onReload(listener),
		async close() {
			current.close();
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

function lazyStorage(root: string, backends: () => readonly Backend[]): () => Promise<RoutedStorage> {
	let storage: Promise<RoutedStorage> | undefined;
	const open = async (): Promise<RoutedStorage> => {
		const { FileStorage } = await import('./storage/file-storage.ts');
		const { RoutedStorage: Routed } = await import('./storage/routed-storage.ts');
		return new Routed(new FileStorage(root), backends);
	};
	return () => (storage ??= open());
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
	setup: Pick<BackendSetup, 'storage' | 'link' | 'limiter' | 'clients' | 'review'> & { results: BigResults },
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
