/*
 * The storage of a hub, for plugins and for MCP resources: routed to the plugin that
 * provides the storage type, else to the hub's own files.
 *
 * An empty type is `markdown`, as in other Orchestras. There is no fallback to the hub's
 * files while a plugin is down: its writes would be missing in the plugin.
 */
import { OrchestraError } from '../../errors.ts';
import type { Backend } from '../backends/backend.ts';
import { PluginBackend } from '../backends/plugin-backend.ts';
import { PluginStorage } from '../backends/plugin-storage.ts';
import type { FileStorage } from './file-storage.ts';
import type { StorageEntry } from './list-files.ts';
import type { ListRequest, Storage, StorageChange, WriteRequest } from './storage.ts';
import type { StoredFile } from './stored-file.ts';

/** The default type, which the hub stores itself when no plugin does. */
const DEFAULT_TYPE = 'markdown';

export class RoutedStorage implements Storage {
	readonly #files: FileStorage;
	readonly #backends: () => readonly Backend[];
	readonly #listeners = new Set<(change: StorageChange) => void>();

	/** @param backends the current backends, read for each request */
	constructor(files: FileStorage, backends: () => readonly Backend[]) {
		this.#files = files;
		this.#backends = backends;
		files.onChange((change) => this.#notifyChange(change));
	}

	/** The storage of a type. Throws `tool_failed` when no plugin provides it. */
	of(type: string): Omit<Storage, 'onChange'> {
		const wanted = type === '' ? DEFAULT_TYPE : type;
		const plugin = this.#backends().find(
			(backend) => backend instanceof PluginBackend && backend.providesStorage.includes(wanted),
		);
		if (wanted === DEFAULT_TYPE)
			return plugin instanceof PluginBackend ? this.#withChanges(plugin, type) : this.#files;
		if (plugin instanceof PluginBackend) return new PluginStorage(plugin, type);
		throw new OrchestraError('tool_failed', `no plugin provides storage type "${type}"`, {
			hint: 'Add the type to provides_storage of the plugin that stores it.',
			data: { code: 'storage_error' },
		});
	}

	read(path: string, signal?: AbortSignal): Promise<StoredFile> {
		return this.of('').read(path, signal);
	}

	write(request: WriteRequest, signal?: AbortSignal): Promise<{ newVersion: bigint }> {
		return this.of('').write(request, signal);
	}

	delete(path: string, signal?: AbortSignal): Promise<void> {
		return this.of('').delete(path, signal);
	}

	list(request?: ListRequest, signal?: AbortSignal): Promise<StorageEntry[]> {
		return this.of('').list(request, signal);
	}

	paths(request?: ListRequest): Promise<string[]> {
		return this.of('').paths(request);
	}

	onChange(listener: (change: StorageChange) => void): () => void {
		this.#listeners.add(listener);
		return () => void this.#listeners.delete(listener);
	}

	/** Emits changes, because the files of the plugin are shown as resources. */
	#withChanges(plugin: PluginBackend, type: string): Omit<Storage, 'onChange'> {
		const storage = new PluginStorage(plugin, type);
		return {
			read: (path, signal) => storage.read(path, signal),
			list: (request, signal) => storage.list(request, signal),
			paths: (request) => storage.paths(request),
			write: async (request, signal) => {
				const written = await storage.write(request, signal);
				this.#notifyChange({ path: request.path, kind: written.newVersion === 1n ? 'created' : 'changed' });
				return written;
			},
			delete: async (path, signal) => {
				await storage.delete(path, signal);
				this.#notifyChange({ path, kind: 'deleted' });
			},
		};
	}

	#notifyChange(change: StorageChange): void {
		for (const listener of this.#listeners) listener(change);
	}
}
