/*
 * From the configuration to backends. A plugin whose entry did not change keeps its
 * running process; everything else is cheap to make anew.
 */
import type { Configuration, PluginEntry } from '../config/configuration.ts';
import { resolveLibraryPaths } from '../library/paths.ts';
import type { Log } from '../log.ts';
import { toolRoots } from '../tool/discover.ts';
import type { Backend } from './backend.ts';
import { LibraryBackend } from './library-backend.ts';
import type { PluginBackend } from './plugin-backend.ts';
import type { FileStorage } from './storage/file-storage.ts';
import { StorageBackend } from './storage/storage-backend.ts';
import { ToolBackend } from './tool-backend.ts';

export interface BackendSetup {
	readonly configuration: Configuration;
	readonly storage: FileStorage;
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly log: Log;
	/** Where plugins find the hub; empty when it does not listen. */
	readonly address: string;
	readonly certsDir: string;
	/** Backends of before, to keep what did not change. */
	readonly earlier?: readonly Backend[];
}

/** All backends, in configuration order: tools, plugins, library, storage. */
export async function buildBackends(setup: BackendSetup): Promise<Backend[]> {
	const { configuration, cwd, environment, log } = setup;
	const paths = resolveLibraryPaths({
		environment,
		configured: configuration.library,
		workingFolder: configuration.root,
	});
	const tools = new ToolBackend({
		roots: toolRoots(configuration, environment, cwd),
		settings: configuration.tools,
		limits: configuration.limits,
		workspaceRoot: configuration.root,
		environment,
		log: log.named('tools'),
	});
	const plugins = await pluginBackends(setup);
	const library = new LibraryBackend(paths, log.named('library'));
	return [tools, ...plugins, library, new StorageBackend(setup.storage)];
}

async function pluginBackends(setup: BackendSetup): Promise<PluginBackend[]> {
	const { configuration, log, address, certsDir, earlier = [] } = setup;
	const entries = inOrder(
		configuration.plugins.filter(({ isEnabled }) => isEnabled),
		log,
	);
	if (entries.length === 0) return [];
	// Protobuf and the links are loaded only by those who have plugins.
	const { PluginBackend: PluginBackendClass } = await import('./plugin-backend.ts');
	const made = new Map<string, PluginBackend>();
	for (const entry of entries) {
		const kept = earlier.find(
			(backend) => backend instanceof PluginBackendClass && isSame(backend.entry, entry),
		);
		const dependencies = entry.dependsOn.flatMap((id) => made.get(id) ?? []);
		const requestMs = configuration.limits.requestMs;
		const fresh = (): PluginBackend =>
			new PluginBackendClass({ entry, orchestratorAddress: address, certsDir, log, dependencies, requestMs });
		made.set(entry.id, kept instanceof PluginBackendClass ? kept : fresh());
	}
	return [...made.values()];
}

/** Plugins after those they depend on; a circle is told and then ignored. */
function inOrder(entries: readonly PluginEntry[], log: Log): PluginEntry[] {
	const ordered: PluginEntry[] = [];
	const visit = (entry: PluginEntry, path: readonly string[]): void => {
		if (ordered.includes(entry)) return;
		if (path.includes(entry.id))
			return log.warn(`plugins depend on each other in a circle: ${[...path, entry.id].join(' → ')}`);
		for (const id of entry.dependsOn) {
			const needed = entries.find((other) => other.id === id);
			if (needed) visit(needed, [...path, entry.id]);
			else log.warn(`the plugin ${entry.id} depends on ${id}, which is not configured`);
		}
		if (!ordered.includes(entry)) ordered.push(entry);
	};
	for (const entry of entries) visit(entry, []);
	return ordered;
}

function isSame(a: PluginEntry, b: PluginEntry): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}
