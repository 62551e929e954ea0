/* The storage of a plugin behind the `Storage` interface of the hub. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { OrchestraError } from '../../errors.ts';
import type { StorageEntry } from '../storage/list-files.ts';
import type { ListRequest, Storage, WriteRequest } from '../storage/storage.ts';
import type { StoredFile } from '../storage/stored-file.ts';
import type { PluginBackend } from './plugin-backend.ts';

export class PluginStorage implements Omit<Storage, 'onChange'> {
	readonly #plugin: PluginBackend;
	readonly #storageType: string;

	/** @param storageType forwarded to the plugin as the caller wrote it */
	constructor(plugin: PluginBackend, storageType: string) {
		this.#plugin = plugin;
		this.#storageType = storageType;
	}

	async read(path: string, signal?: AbortSignal): Promise<StoredFile> {
		const value = { path, storageType: this.#storageType };
		const answer = await this.#plugin.ask({ case: 'storageRead', value }, 'storageRead', { signal });
		return { content: answer.content, metadata: answer.metadata ?? {}, version: answer.version };
	}

	async write(request: WriteRequest, signal?: AbortSignal): Promise<{ newVersion: bigint }> {
		const { path, metadata = {}, expectedVersion } = request;
		// A copy over a plain buffer is what Protobuf takes.
		const content = Uint8Array.from(request.content);
		const value = { path, content, metadata, expectedVersion, storageType: this.#storageType };
		const answer = await this.#plugin.ask({ case: 'storageWrite', value }, 'storageWrite', { signal });
		if (!answer.success) throw this.#refusal(answer.error || `cannot write ${path}`);
		return { newVersion: answer.newVersion };
	}

	async delete(path: string, signal?: AbortSignal): Promise<void> {
		const value = { path, storageType: this.#storageType };
		const answer = await this.#plugin.ask({ case: 'storageDelete', value }, 'storageDelete', { signal });
		if (!answer.success) throw this.#refusal(`cannot delete ${path}`);
	}

	async list({ prefix = '', pattern = '' }: ListRequest = {}, signal?: AbortSignal): Promise<StorageEntry[]> {
		const value = { prefix, pattern, storageType: this.#storageType };
		const { entries } = await this.#plugin.ask({ case: 'storageList', value }, 'storageList', { signal });
		return entries.map(({ path, size, version, modifiedAt }) => ({
			path,
			size: Number(size),
			version,
			modifiedAt: modifiedAt ? timestampDate(modifiedAt) : new Date(0),
		}));
	}

	/** Paths from the root; some plugins return them relative to the prefix. */
	async paths(request: ListRequest = {}): Promise<string[]> {
		const folder = request.prefix ? `${request.prefix}/` : '';
		const found = (await this.list(request)).map(({ path }) => path);
		return found.map((path) => (path.startsWith(folder) ? path : `${folder}${path}`)).sort();
	}

	#refusal(message: string): OrchestraError {
		return new OrchestraError('tool_failed', message, {
			data: { code: 'storage_error', plugin: this.#plugin.id },
		});
	}
}
