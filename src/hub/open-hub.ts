/*
 * Opens a hub from the configuration of a folder and keeps it up to date: when a
 * configuration file changes, the changed sources are started or stopped and clients
 * are notified.
 */
import type { Configuration } from '../config/configuration.ts';
import type { LoadedConfiguration } from '../config/load.ts';
import { HubChain, hubIdIn } from '../config/self-entry.ts';
import type { BlockedFile } from '../config/trust/blocked.ts';
import { packageVersion } from '../files/package-version.ts';
import { configuredEmbeddings, type OpenEmbeddings } from '../library/embeddings/open-embeddings.ts';
import { isExporting } from '../telemetry/is-exporting.ts';
import type { ExportCounts, Tracer } from '../telemetry/tracer.ts';
import { ApprovalFiles } from '../trust/approval-files.ts';
import { Approvals } from '../trust/approvals.ts';
import { CallGate } from '../trust/call-gate.ts';
import { toolPrefix } from '../trust/tool-name.ts';
import { absenceText, absentServers } from './absent-servers.ts';
import type { Middleware } from './calls/middleware.ts';
import { CurrentConfiguration, type HubConfigurationOptions } from './current-configuration.ts';
import { usageFileOf } from './expose/query-usage.ts';
import { ToolExposure } from './expose/tool-exposure.ts';
import { Hub } from './hub.ts';
import type { Journal } from './journal/journal.ts';
import { LoopGuard } from './loops/loop-guard.ts';
import type { PlanHub } from './plans/run-plan.ts';
import { blockedReasonOf, trustInstructions } from './project-trust.ts';
import { ClientBudgets } from './results/client-budgets.ts';
import { ResultSource } from './results/result-source.ts';
import { joinedInstructions } from './server-instructions.ts';
import { ConnectedClients } from './sessions/connected-clients.ts';
import { able, type Source } from './source.ts';
import { buildSources, type OpenFabric, type SourceSetup } from './sources/build-sources.ts';
import { StartLimiter } from './sources/mcp/process/start-limiter.ts';
import type { Learning } from './sources/mcp/server-deps.ts';
import { ToolScans } from './sources/mcp/tools/tool-scans.ts';
import type { PluginLink, PluginLinkOptions } from './sources/plugin-link.ts';
import type { StorageRouter } from './storage/storage-router.ts';
import { HubTasks } from './tasks/hub-tasks.ts';
import { TaskTools, taskToolNames } from './tasks/task-tools.ts';
import { ListMeter } from './usage/list-meter.ts';

/** Options of `openHub`. */
export interface OpenHubOptions extends HubConfigurationOptions {
	readonly journal?: Journal | undefined;
	/**
	 * How long a list waits for servers and plugins that start, also for those that failed last time: the user may have
	 * mended them since. Default: from the configuration, else 2 s, and not for those.
	 */
	readonly listWaitMs?: number | undefined;
	/** The address of the hub for plugins, called when one starts. Default: a private listener on loopback. */
	readonly address?: (() => Promise<string>) | undefined;
	/** Default: from the configuration, else `~/.orchestra/certs`. */
	readonly certsDir?: string | undefined;
	/** The view of clients that choose none. */
	readonly view?: string | undefined;
	/** The beginning of the instructions for clients. */
	readonly instructions?: string | undefined;
	/** Whether suspicious strings of servers are logged. Default true. */
	readonly reportsFindings?: boolean | undefined;
	/** Opens the tools of other hubs, which are in a layer above. Default: the setting `fabric` is ignored. */
	readonly openFabric?: OpenFabric | undefined;
	/** Takes the spans of calls; the hub closes it. Default: as the environment says. */
	readonly tracer?: Tracer | undefined;
	/** The name of the folder of stored results that stays for the next hub. Default: they are removed with this one. */
	readonly lastingResults?: string | undefined;
	/** Follows the first starts of MCP servers. */
	readonly learning?: Learning | undefined;
}

/** An open hub with its storage and configuration. */
export interface OpenedHub {
	readonly hub: Hub;
	/** The storage of the workspace, loaded on first use. */
	readonly storage: () => Promise<StorageRouter>;
	/** The current configuration. */
	configuration(): Configuration;
	/** The configuration as it was loaded, with its problems. */
	loaded(): LoadedConfiguration;
	/** The processes that started this hub and its clients. */
	readonly chain: HubChain;
	/** Variables in the configuration that have no value. */
	unset(): readonly string[];
	/** The counts of exported and dropped spans; undefined when none are exported. */
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
	const settings = (): Configuration => current.configuration;
	const blocked = (): readonly BlockedFile[] => current.loaded.blocked;
	const chain = new HubChain(options.environment, options.file ?? settings().root);
	const environment = chain.within(options.environment);
	const { setup, gate, close } = setupOf(current, { ...options, environment }, () => opened);
	const { results, tasks, clients, storage, embeddings } = setup;
	const tracing = await openTracing(options);
	const hub = new Hub({
		tasks,
		id: () => hubIdIn(environment),
		results,
		exposure: toolExposure(settings, options, embeddings),
		gate,
		loops: new LoopGuard(settings),
		trace: tracing?.trace,
		clients,
		sources: await build(setup, settings()),
		log,
		unusedReason: (tool) => blockedReasonOf(tool, blocked()) ?? problemOf(tool, current.loaded),
		instructions: () => joinedInstructions(options.instructions, trustInstructions(blocked())),
		untrusted: () => trustInstructions(blocked()),
		listWaitMs: () => options.listWaitMs ?? settings().limits.listMs,
		...(journal && { journal }),
	});
	current.watch(hub, (next, earlier) => build(setup, next, earlier));
	const opened: OpenedHub = {
		hub,
		storage,
		chain,
		configuration: settings,
		loaded: () => current.loaded,
		unset: () => current.loaded.unset,
		spans: tracing && (() => tracing.tracer.counts),
		reload: () => current.reload(),
		onReload: (listener) => current.onReload(listener),
		async close() {
			current.close();
			await hub.close();
			await close();
			await tracing?.tracer.close();
		},
	};
	return opened;
}

/** The deps of all sources of a hub, whatever the configuration. */
type HubSetup = Omit<SourceSetup, 'configuration' | 'earlier' | 'storage'> &
	Pick<OpenedHub, 'storage'> &
	Pick<OpenHubOptions, 'address'> & {
		readonly embeddings: OpenEmbeddings;
		readonly results: ResultSource;
		readonly tasks: HubTasks;
		readonly plans: PlanHub;
	};

/** @param opened is called after the hub is open */
function setupOf(
	current: CurrentConfiguration,
	options: OpenHubOptions,
	opened: () => OpenedHub,
): { setup: HubSetup; gate: CallGate; close: () => Promise<void> } {
	const { log, environment, address, lastingResults: lasting } = options;
	const settings = (): Configuration => current.configuration;
	const { root, hub } = settings();
	const link = lazyLink({ opened, address, certsDir: options.certsDir ?? hub.certsDir, log });
	const embeddings = configuredEmbeddings(() => settings().search.embeddings, options);
	const approvals = new Approvals({ files: ApprovalFiles.ofUser(environment), log });
	const gate = new CallGate({ policy: () => current.policy, approvals, root });
	const results = new ResultSource({ environment, log, lasting, budgets: new ClientBudgets(settings) });
	const setup: HubSetup = {
		...options,
		embeddings: embeddings.get,
		storage: lazyStorage(root, () => opened().hub.sources),
		link: link.get,
		waitsForFailed: options.listWaitMs !== undefined,
		clients: new ConnectedClients(),
		limiter: new StartLimiter(),
		review: { stores: new Map(), scans: new ToolScans(options.reportsFindings) },
		results,
		tasks: new HubTasks({ configuration: settings, environment, results, log }),
		plans: planDeps(() => opened().hub, current, { gate, environment }),
	};
	const close = async (): Promise<void> => {
		await link.close();
		await embeddings.close();
	};
	return { setup, gate, close };
}

function toolExposure(
	settings: () => Configuration,
	{ view, log, journal, environment }: OpenHubOptions,
	embeddings: OpenEmbeddings,
): ToolExposure {
	return new ToolExposure({
		settings,
		view,
		log,
		journalFile: journal?.file,
		usageFile: usageFileOf(settings().root, environment),
		meter: journal && new ListMeter(journal),
		embeddings,
		ownTools: [...taskToolNames, 'run_plan'],
	});
}

/** Loaded when the environment names a collector. */
async function openTracing(
	options: OpenHubOptions,
): Promise<{ tracer: Tracer; trace: Middleware } | undefined> {
	const { environment, log } = options;
	if (options.tracer === undefined && !isExporting(environment)) return undefined;
	const { openTracer } = await import('../telemetry/open-tracer.ts');
	const { traceCalls } = await import('./calls/trace-calls.ts');
	const about = { environment, serviceName: 'orchestra-hub', version: packageVersion(), log };
	const tracer = options.tracer ?? openTracer(about);
	return tracer && { tracer, trace: traceCalls(tracer) };
}

/** The listener for plugins; its code is loaded when the first plugin starts. */
function lazyLink(options: PluginLinkOptions): {
	get: () => Promise<PluginLink>;
	close: () => Promise<void>;
} {
	let link: Promise<PluginLink> | undefined;
	const open = async (): Promise<PluginLink> =>
		new (await import('./sources/plugin-link.ts')).PluginLink(options);
	return {
		get: () => (link ??= open()),
		close: async () => (await link)?.close(),
	};
}

function lazyStorage(root: string, sources: () => readonly Source[]): () => Promise<StorageRouter> {
	let storage: Promise<StorageRouter> | undefined;
	const open = async (): Promise<StorageRouter> => {
		const { FileStorage } = await import('./storage/file-storage.ts');
		const { StorageRouter: Routed } = await import('./storage/storage-router.ts');
		return new Routed(new FileStorage(root), sources);
	};
	return () => (storage ??= open());
}

/** The problem of the entry of the server that a tool belongs to by its name. */
function problemOf(tool: string, { problems }: LoadedConfiguration): string | undefined {
	const found = problems.find(({ key }) => {
		const [section, server] = key.split('.');
		return section === 'mcpServers' && server !== undefined && tool.startsWith(toolPrefix(server));
	});
	return found && `Its server is left out: ${found.message}`;
}

async function build(
	setup: HubSetup,
	configuration: Configuration,
	earlier: readonly Source[] = [],
): Promise<Source[]> {
	// The port must be open before the hub is announced.
	if (configuration.plugins.some(({ isEnabled }) => isEnabled)) await setup.address?.();
	const built = await buildSources({ ...setup, configuration, earlier });
	// Some clients read the list once, so the tools are there before there is a task.
	const taskTools = configuration.tasks.keep ? [new TaskTools(setup.tasks)] : [];
	return [...built, setup.results, ...taskTools, ...(await planSources(setup.plans, configuration, earlier))];
}

/** The deps of plans that come from the hub, which is made after its sources. */
function planDeps(
	hub: () => Hub,
	current: CurrentConfiguration,
	about: Pick<PlanHub, 'gate' | 'environment'>,
): PlanHub {
	return {
		...about,
		tools: (context) => hub().toolsWithin(context),
		failedServers: () => absenceText(absentServers(hub().sources).filter(({ state }) => state === 'failed')),
		nextAnswer: () => hub().catalogue.nextAnswer('tools'),
		send: (call) => hub().send(call),
		root: () => current.configuration.root,
	};
}

/** Loaded with the setting; the same one while the project is. */
async function planSources(
	plans: PlanHub,
	{ plans: isOn, root, tools }: Configuration,
	earlier: readonly Source[],
): Promise<Source[]> {
	if (isOn !== true) return [];
	const { PlanSource } = await import('./plans/plan-source.ts');
	const folder = tools.untrustedFolder === undefined ? root : undefined;
	const configurationKey = JSON.stringify([root, folder]);
	const known = earlier.find(
		(source) =>
			source.kind === 'plans' && able(source, 'configurationKey')?.configurationKey === configurationKey,
	);
	return [known ?? new PlanSource({ ...plans, folder, configurationKey })];
}
