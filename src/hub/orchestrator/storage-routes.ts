/* Handlers for storage requests of the plugin protocol. */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { PluginHandlers } from '../../plugin/server/handlers.ts';
import type { OpenedHub } from '../open-hub.ts';

type Routes = Pick<PluginHandlers, 'storageRead' | 'storageWrite' | 'storageDelete' | 'storageList'>;

export function storageRoutes(opened: () => Pick<OpenedHub, 'storage'>): Routes {
	const storageOf = async (type: string): Promise<StorageOfType> => (await opened().storage()).of(type);
	return {
		storageRead: async ({ path, storageType }, { signal }) => {
			const { content, metadata, version } = await (await storageOf(storageType)).read(path, signal);
			return { content: Uint8Array.from(content), metadata, version };
		},
		storageWrite: async ({ storageType, path, content, metadata = {}, expectedVersion }, { signal }) => {
			const request = { path, content, metadata, expectedVersion };
			const { newVersion } = await (await storageOf(storageType)).write(request, signal);
			return { success: true, newVersion };
		},
		storageDelete: async ({ storageType, path }, { signal }) => {
			await (await storageOf(storageType)).delete(path, signal);
			return { success: true };
		},
		storageList: async ({ storageType, prefix, pattern }, { signal }) => {
			const entries = await (await storageOf(storageType)).list({ prefix, pattern }, signal);
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

type StorageOfType = ReturnType<Awaited<ReturnType<OpenedHub['storage']>>['of']>;
