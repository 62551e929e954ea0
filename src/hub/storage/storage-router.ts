/*
 * The storage of a hub, for plugins and for MCP resources: routed to the plugin that
 * provides the storage type, else to the hub's own files.
 *
 * An empty type is `markdown`, as in other Orchestras. There is no fallback to the hub's
 * files while a plugin is down: its writes would be missing in the plugin.
 */
import { OrchestraError } from '../../errors.ts';
import { fileNotFound, isMissingFile } from '../../plugin/missing-file.ts';
import { Listeners } from '../../rpc/listeners.ts';
import type { Source } from '../source.ts';
import { PluginSource } from '../sources/plugin-source.ts';
import type { FileStorage } from './file-storage.ts';
import type { ListRequest, ResourceStorage, StorageChange } from './storage.ts';
import type { StoredFile } from './stored-file.ts';

/** The default type, which the hub stores itself when no plugin does. */
const DEFAULT_TYPE = 'markdown';

export class StorageRouter implements ResourceStorage {
	readonly #files: FileStorage;
	readonly #sources: () => readonly Source[];
	readonly #listeners = new Listeners<StorageChange>();

	/** @param sources the current sources, read for each request */
	constructor(files: FileStorage, sources: () => readonly Source[]) {
		this.#files = files;
		this.#sources = sources;
		files.onChange((change) => this.#listeners.emit(change));
	}

	/** The plugin that provides a type, or the hub's own files. Throws `tool_failed` when no plugin provides it. */
	of(type: string): PluginSource | FileStorage {
		const wanted = type === '' ? DEFAULT_TYPE : type;
		const plugin = this.#sources().find(
			(source) => source instanceof PluginSource && source.providesStorage.includes(wanted),
		);
		if (plugin instanceof PluginSource) return plugin;
		if (wanted === DEFAULT_TYPE) return this.#files;
		throw new OrchestraError('tool_failed', `no plugin provides storage type "${type}"`, {
			hint: 'Add the type to provides_storage of the plugin that stores it.',
			data: { code: 'storage_error' },
		});
	}

	/** A plugin wrote or deleted a file. Files of the default type are resources, so their changes are emitted. */
	changed(type: string, change: StorageChange): void {
		if (type === '' || type === DEFAULT_TYPE) this.#listeners.emit(change);
	}

	read(path: string): Promise<StoredFile> {
		const storage = this.of('');
		return storage instanceof PluginSource ? readFromPlugin(storage, path) : storage.read(path);
	}

	paths(request?: ListRequest): Promise<string[]> {
		const storage = this.of('');
		return storage instanceof PluginSource ? pathsOfPlugin(storage, request) : storage.paths(request);
	}

	readonly onChange: Listeners<StorageChange>['add'] = this.#listeners.add;
}

/** Throws `not_found` for a missing file. */
async function readFromPlugin(plugin: PluginSource, path: string): Promise<StoredFile> {
	const found = await plugin.ask('storageRead', { path });
	if (isMissingFile(found)) throw fileNotFound(path);
	return { content: found.content, metadata: found.metadata ?? {}, version: found.version };
}

/** Paths from the root, sorted; some plugins return them relative to the prefix. */
async function pathsOfPlugin(
	plugin: PluginSource,
	{ prefix = '', pattern = '' }: ListRequest = {},
): Promise<string[]> {
	const folder = prefix === '' ? '' : `${prefix}/`;
	const { entries } = await plugin.ask('storageList', { prefix, pattern });
	return entries.map(({ path }) => (path.startsWith(folder) ? path : `${folder}${path}`)).sort();
}
