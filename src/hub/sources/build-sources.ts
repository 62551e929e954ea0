/*
 * Build the sources of a configuration. None does anything before its first use. An unchanged
 * source is reused: a plugin with its process, tools with their runs, the library with
 * its loaded files.
 */
import type { Configuration, FabricSection, PluginEntry } from '../../config/configuration.ts';
import { assertLibraryFolders } from '../../config/library-folders.ts';
import { messageOf } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import { stateFolder } from '../../files/state-folder.ts';
import type { OpenEmbeddings } from '../../library/embeddings/open-embeddings.ts';
import type { Log } from '../../log.ts';
import { entryKey } from '../../secrets/secret-text.ts';
import { SkillSource } from '../skills/skill-source.ts';
import { able, type Can, type Source } from '../source.ts';
import type { ResourceStorage } from '../storage/storage.ts';
import { LibrarySource } from './library-source.ts';
import type { McpSourceOptions } from './mcp/server-deps.ts';
import { McpSource } from './mcp-source.ts';
import type { PluginLink } from './plugin-link.ts';
import type { PluginSource } from './plugin-source.ts';
import { StorageSource } from './storage-source.ts';
import { ToolSource } from './tool-source.ts';

export interface SourceSetup
	extends Pick<
		McpSourceOptions,
		'environment' | 'limiter' | 'clients' | 'waitsForFailed' | 'learning' | 'review' | 'log'
	> {
	readonly configuration: Configuration;
	/** The model that the user chose for search, if any. */
	readonly embeddings?: OpenEmbeddings | undefined;
	/** The storage, loaded on first use. */
	readonly storage: () => Promise<ResourceStorage>;
	readonly cwd: string;
	/** The listener for plugins, loaded when the first plugin starts. */
	readonly link: () => Promise<PluginLink>;
	/** Opens the tools of other hubs, which are in a layer above. Default: `fabric` is ignored. */
	readonly openFabric?: OpenFabric | undefined;
	/** The sources of the previous configuration; unchanged ones are reused. */
	readonly earlier?: readonly Source[];
}

/** Makes the source of the setting `fabric`. */
export type OpenFabric = (settings: FabricSection, deps: OpenFabricDeps) => Promise<Source>;

export interface OpenFabricDeps extends Pick<McpSourceOptions, 'environment' | 'review' | 'log'> {
	/** Equal for the same settings. */
	readonly configurationKey?: string | undefined;
}

/** All sources, in configuration order: tools, plugins, library, skills of the project, storage, MCP servers, tools of other hubs. */
export async function buildSources(setup: SourceSetup): Promise<Source[]> {
	return [
		toolSource(setup),
		...(await pluginSources(setup)),
		librarySource(setup),
		...skillSources(setup),
		storageSource(setup),
		...mcpSources(setup),
		...(await fabricSources(setup)),
	];
}

/** The previous source when its configuration did not change; else a fresh one. */
function reused<T>(
	{ earlier = [] }: SourceSetup,
	{ id, configurationKey: key }: Pick<Source & Can<'configurationKey'>, 'id' | 'configurationKey'>,
	make: () => T,
): T | Source {
	const isSame = (source: Source): boolean =>
		source.id === id && able(source, 'configurationKey')?.configurationKey === key;
	return earlier.find(isSame) ?? make();
}

function toolSource(setup: SourceSetup): Source {
	const { configuration, cwd, environment, log } = setup;
	const { root, tools, limits } = configuration;
	const configurationKey = JSON.stringify([root, tools, limits]);
	const options = { configuration, configurationKey, cwd, environment, log: log.named('tools') };
	return reused(setup, { id: 'tools', configurationKey }, () => new ToolSource(options));
}

function librarySource(setup: SourceSetup): Source {
	const { configuration, environment, log, embeddings } = setup;
	const { library, root } = configuration;
	// Checked here and not on first use: a configured folder that is missing must fail the start.
	assertLibraryFolders(environment, root);
	const configurationKey = JSON.stringify([root, library]);
	const paths = { environment, configured: library, workingFolder: root };
	const options = { paths, configurationKey, embeddings, log: log.named('library') };
	return reused(setup, { id: 'library', configurationKey }, () => new LibrarySource(options));
}

/** None of a project that is not trusted. */
function skillSources(setup: SourceSetup): Source[] {
	const { root, tools } = setup.configuration;
	if (tools.untrustedFolder !== undefined) return [];
	const make = (): Source => new SkillSource(root, setup.log.named('skills'));
	return [reused(setup, { id: 'skills', configurationKey: root }, make)];
}

function storageSource(setup: SourceSetup): Source {
	const { root } = setup.configuration;
	return reused(
		setup,
		{ id: 'storage', configurationKey: root },
		() => new StorageSource(setup.storage, root),
	);
}

function mcpSources(setup: SourceSetup): Source[] {
	const { environment, configuration, log } = setup;
	const { mcpServers, limits, extensions } = configuration;
	const { messageBytes } = limits;
	const { pass: passedExtensions } = extensions;
	const place = { folder: stateFolder(environment), version: packageVersion() };
	const shared = { ...setup, ...place, messageBytes, passedExtensions };
	return mcpServers
		.filter(({ isEnabled }) => isEnabled)
		.map((entry) => {
			const configurationKey = entryKey(entry, messageBytes, passedExtensions);
			const make = (): Source =>
				new McpSource({ ...shared, entry, configurationKey, log: log.named(entry.name) });
			return reused(setup, { id: entry.name, configurationKey }, make);
		});
}

async function fabricSources(setup: SourceSetup): Promise<Source[]> {
	const { configuration, environment, log, review, openFabric } = setup;
	const { fabric } = configuration;
	if (fabric === undefined || openFabric === undefined || fabric.use?.length === 0) return [];
	// The tools that this hub announces do not concern the tools of others: their calls go on.
	const configurationKey = entryKey({ ...fabric, offer: undefined, group: undefined });
	const deps = { environment, review, configurationKey, log: log.named('fabric') };
	try {
		return [await reused(setup, { id: 'fabric', configurationKey }, () => openFabric(fabric, deps))];
	} catch (error) {
		deps.log.error(`the tools of other hubs cannot be used: ${messageOf(error)}`);
		return [];
	}
}

async function pluginSources(setup: SourceSetup): Promise<PluginSource[]> {
	const { configuration, environment, log, link } = setup;
	const { plugins, limits, root: workspace } = configuration;
	const entries = inOrder(
		plugins.filter(({ isEnabled }) => isEnabled),
		log,
	);
	if (entries.length === 0) return [];
	const { PluginSource: PluginSourceClass } = await import('./plugin-source.ts');
	const made = new Map<string, PluginSource>();
	for (const entry of entries) {
		const { id, dependsOn } = entry;
		const { requestMs, idleMs } = limits;
		const settings = { dependencies: dependsOn.flatMap((each) => made.get(each) ?? []), requestMs, idleMs };
		const make = (): Source => new PluginSourceClass({ entry, link, workspace, environment, log, settings });
		const source = reused(setup, { id, configurationKey: entryKey(entry) }, make);
		if (!(source instanceof PluginSourceClass)) continue;
		source.settings = settings;
		made.set(id, source);
	}
	return [...made.values()];
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
