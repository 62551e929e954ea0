/*
 * Handlers for storage requests of the plugin protocol.
 *
 * A request for the storage of a plugin is forwarded unchanged, and so is its answer:
 * which members are there has a meaning. A file without metadata is missing for some
 * plugins.
 */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { PluginHandlers } from '../../plugin/server/handlers.ts';
import type { OpenedHub } from '../open-hub.ts';
import { PluginSource } from '../sources/plugin-source.ts';
import type { FileStorage } from '../storage/file-storage.ts';
import type { StorageChange } from '../storage/storage.ts';

type Routes = Pick<PluginHandlers, 'storageRead' | 'storageWrite' | 'storageDelete' | 'storageList'>;

export function storageEndpoints(opened: () => Pick<OpenedHub, 'storage'>): Routes {
	const storageOf = async (type: string): Promise<PluginSource | FileStorage> =>
		(await opened().storage()).of(type);
	const changed = async (type: string, change: StorageChange): Promise<void> =>
		(await opened().storage()).changed(type, change);
	return {
		async storageRead(request, { signal }) {
			const storage = await storageOf(request.storageType);
			if (storage instanceof PluginSource) return storage.ask('storageRead', request, { signal });
			const { content, metadata, version } = await storage.read(request.path);
			const hasMetadata = Object.keys(metadata).length > 0;
			return { content: Uint8Array.from(content), version, ...(hasMetadata && { metadata }) };
		},
		async storageWrite(request, { signal }) {
			const { path, storageType } = request;
			const storage = await storageOf(storageType);
			if (!(storage instanceof PluginSource)) return { success: true, ...(await storage.write(request)) };
			const answer = await storage.ask('storageWrite', request, { signal });
			const kind = answer.newVersion === 1n ? 'created' : 'changed';
			if (answer.success) await changed(storageType, { path, kind });
			return answer;
		},
		async storageDelete(request, { signal }) {
			const { path, storageType } = request;
			const storage = await storageOf(storageType);
			if (storage instanceof PluginSource) {
				const answer = await storage.ask('storageDelete', request, { signal });
				if (answer.success) await changed(storageType, { path, kind: 'deleted' });
				return answer;
			}
			await storage.delete(path);
			return { success: true };
		},
		async storageList(request, { signal }) {
			const storage = await storageOf(request.storageType);
			if (storage instanceof PluginSource) return storage.ask('storageList', request, { signal });
			const entries = await storage.list(request);
			return {
				entries: entries.map(({ path, size, version, modifiedAt }) => ({
					path,
					size: BigInt(size),
					version,
					modifiedAt: timestampFromDate(modifiedAt),
				})),
			};
		},
	};
}
