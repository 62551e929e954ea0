/*
 * Build the backends of a configuration. Each is loaded on first use. An unchanged
 * backend is kept: a plugin with its process, tools with their runs, the library with
 * its loaded files.
 */
import type { Configuration, FabricSection, PluginEntry, ServerEntry } from '../../config/configuration.ts';
import { assertLibraryFolders } from '../../config/library-folders.ts';
import { packageVersion } from '../../files/package-version.ts';
import { stateFolder } from '../../files/state-folder.ts';
import type { Log } from '../../log.ts';
import { entryKey } from '../../secrets/secret-text.ts';
import type { ConnectedClients } from '../connected-clients.ts';
import { DEFAULT_PROVIDER, ownUri } from '../names.ts';
import type { Storage } from '../storage/storage.ts';
import type { Backend } from './backend.ts';
import { LazyBackend } from './lazy-backend.ts';
import type { ToolReview } from './mcp/server-pins.ts';
import type { StartLimiter } from './mcp/start-limiter.ts';
import { McpBackend } from './mcp-backend.ts';
import type { PluginBackend } from './plugin-backend.ts';
import type { PluginLink } from './plugin-link.ts';
import { ToolBackend } from './tool-backend.ts';

export interface BackendSetup {
	readonly configuration: Configuration;
	/** The storage, loaded on first use. */
	readonly storage: () => Promise<Storage>;
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
	/** The listener for plugins, loaded when the first plugin starts. */
	readonly link: () => Promise<PluginLink>;
	/** Bounds the starts of MCP servers. */
	readonly limiter: StartLimiter;
	/** The clients of the hub. */
	readonly clients: ConnectedClients;
	/** What was accepted of MCP servers, and what is suspicious. */
	readonly review: ToolReview;
	/** Opens the tools of other hubs, which are in a layer above. Default: `fabric` is ignored. */
	readonly openFabric?: OpenFabric | undefined;
	/** The backends of the previous configuration; unchanged ones are kept. */
	readonly earlier?: readonly Backend[];
}

/** Makes the backend of the setting `fabric`. */
export type OpenFabric = (settings: FabricSection, parts: FabricParts) => Promise<Backend>;

export interface FabricParts {
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly review: ToolReview;
	readonly log: Log;
}

/** All backends, in configuration order: tools, plugins, library, storage, MCP servers, tools of other hubs. */
export async function buildBackends(setup: BackendSetup): Promise<Backend[]> {
	const keep = (fresh: LazyBackend): Backend => keptOf(setup, fresh);
	return [
		keep(toolBackend(setup)),
		...(await pluginBackends(setup)),
		keep(libraryBackend(setup)),
		keep(storageBackend(setup)),
		...mcpBackends(setup).map(keep),
		...fabricBackends(setup).map(keep),
	];
}

/** The previous backend when its configuration did not change. An unused fresh one has loaded nothing. */
function keptOf({ earlier = [] }: BackendSetup, fresh: LazyBackend): Backend {
	const isKept = (backend: Backend): boolean =>
		backend instanceof LazyBackend &&
		backend.id === fresh.id &&
		backend.configurationKey === fresh.configurationKey;
	return earlier.find(isKept) ?? fresh;
}

function toolBackend({ configuration, cwd, environment, log }: BackendSetup): LazyBackend {
	const { root, tools, limits } = configuration;
	return new LazyBackend({
		id: 'tools',
		kind: 'tools',
		configurationKey: JSON.stringify([root, tools, limits]),
		offers: ['tools'],
		load: async () => new ToolBackend({ configuration, cwd, environment, log: log.named('tools') }),
	});
}

function libraryBackend({ configuration, environment, log }: BackendSetup): LazyBackend {
	const { library, root } = configuration;
	// Checked here and not on first use: a configured folder that is missing must fail the start.
	assertLibraryFolders(environment, root);
	return new LazyBackend({
		id: 'library',
		kind: 'library',
		configurationKey: JSON.stringify([root, library]),
		offers: ['prompts', 'resources', 'completion'],
		ownsUri: (uri) => uri.startsWith('orchestr8://'),
		load: async () => {
			const { resolveLibraryPaths } = await import('../../library/files/paths.ts');
			const { LibraryBackend } = await import('./library-backend.ts');
			const paths = resolveLibraryPaths({ environment, configured: library, workingFolder: root });
			return new LibraryBackend(paths, log.named('library'));
		},
	});
}

function storageBackend({ storage, configuration: { root } }: BackendSetup): LazyBackend {
	return new LazyBackend({
		id: 'storage',
		kind: 'storage',
		configurationKey: root,
		offers: ['resources'],
		ownsUri: (uri) => uri.startsWith('orchestra://'),
		load: async () => {
			const { StorageBackend } = await import('./storage-backend.ts');
			return new StorageBackend(await storage());
		},
	});
}

function mcpBackends(setup: BackendSetup): LazyBackend[] {
	const entries = setup.configuration.mcpServers.filter(({ isEnabled }) => isEnabled);
	if (entries.length === 0) return [];
	const version = packageVersion();
	return entries.map((entry) => mcpBackend(setup, entry, version));
}

function mcpBackend(
	{ configuration, environment, limiter, clients, review, log }: BackendSetup,
	entry: ServerEntry,
	version: string,
): LazyBackend {
	const { messageBytes } = configuration.limits;
	return new LazyBackend({
		id: entry.name,
		kind: 'mcp',
		configurationKey: entryKey(entry, messageBytes),
		qualifiesNames: entry.settings.prefix,
		offers: ['tools', 'prompts', 'resources', 'completion'],
		ownsUri: (uri) => ownUri(entry.name, uri) !== uri,
		load: async () => {
			const folder = stateFolder(environment);
			const mcpLog = log.named(entry.name);
			const parts = { limiter, clients, review, messageBytes, log: mcpLog };
			return new McpBackend({ entry, environment, folder, version, ...parts });
		},
	});
}

function fabricBackends({
	configuration,
	environment,
	log,
	review,
	openFabric,
}: BackendSetup): LazyBackend[] {
	const { fabric } = configuration;
	if (fabric === undefined || openFabric === undefined || fabric.use?.length === 0) return [];
	return [
		new LazyBackend({
			id: 'fabric',
			kind: 'fabric',
			// What this hub offers does not concern the tools of others: their calls go on.
			configurationKey: entryKey({ ...fabric, offer: undefined, group: undefined }),
			offers: ['tools'],
			load: () => openFabric(fabric, { environment, review, log: log.named('fabric') }),
		}),
	];
}

async function pluginBackends(setup: BackendSetup): Promise<PluginBackend[]> {
	const { configuration, environment, log, link, earlier = [] } = setup;
	const entries = inOrder(
		configuration.plugins.filter(({ isEnabled }) => isEnabled),
		log,
	);
	if (entries.length === 0) return [];
	const { PluginBackend: PluginBackendClass } = await import('./plugin-backend.ts');
	const made = new Map<string, PluginBackend>();
	for (const entry of entries) {
		const kept = earlier.find(
			(backend) => backend instanceof PluginBackendClass && isSame(backend.entry, entry),
		);
		const { requestMs, idleMs } = configuration.limits;
		const settings = { dependencies: entry.dependsOn.flatMap((id) => made.get(id) ?? []), requestMs, idleMs };
		if (kept instanceof PluginBackendClass) {
			kept.settings = settings;
			made.set(entry.id, kept);
		} else {
			const fresh = { entry, link, workspace: configuration.root, environment, log, settings };
			made.set(entry.id, new PluginBackendClass(fresh));
		}
	}
	return defaultProviderFirst([...made.values()]);
}

/** Put the plugin of the default AI provider before other AI plugins, so that it keeps the names they share. */
function defaultProviderFirst(plugins: readonly PluginBackend[]): PluginBackend[] {
	const isDefault = ({ entry }: PluginBackend): boolean => entry.providesAi.includes(DEFAULT_PROVIDER);
	const others = plugins.filter((plugin) => !isDefault(plugin));
	const firstOther = others.findIndex(({ entry }) => entry.providesAi.length > 0);
	if (firstOther === -1) return [...plugins];
	return [...others.slice(0, firstOther), ...plugins.filter(isDefault), ...others.slice(firstOther)];
}

/** Topological order: plugins after their dependencies. A cycle is logged and then ignored. */
function inOrder(entries: readonly PluginEntry[], log: Log): PluginEntry[] {
	const ordered: PluginEntry[] = [];
	const visit = (entry: PluginEntry, path: readonly string[]): void => {
		if (ordered.includes(entry)) return;
		if (path.includes(entry.id)) {
			return log.warn(`plugins depend on each other in a cycle: ${[...path, entry.id].join(' → ')}`);
		}
		for (const id of entry.dependsOn) {
			const needed = entries.find((other) => other.id === id);
			if (needed) visit(needed, [...path, entry.id]);
			else log.warn(`the plugin ${entry.id} depends on ${id}, which is not configured or is disabled`);
		}
		if (!ordered.includes(entry)) ordered.push(entry);
	};
	for (const entry of entries) visit(entry, []);
	return ordered;
}

function isSame(a: PluginEntry, b: PluginEntry): boolean {
	return entryKey(a) === entryKey(b);
}
