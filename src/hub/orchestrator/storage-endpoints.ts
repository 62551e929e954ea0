/*
 * Handlers for storage requests of the plugin protocol.
 *
 * A request for the storage of a plugin is forwarded unchanged, and so is its answer:
 * which members are there has a meaning. A file without metadata is missing for some
 * plugins.
 */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { RequestInit, ResponseKind, ResponseValue } from '../../plugin/codec.ts';
import type { PluginHandlers, ServerCall } from '../../plugin/server/handlers.ts';
import type { OpenedHub } from '../open-hub.ts';
import { PluginSource } from '../sources/plugin-source.ts';
import type { FileStorage } from '../storage/file-storage.ts';

type Routes = Pick<PluginHandlers, 'storageRead' | 'storageWrite' | 'storageDelete' | 'storageList'>;

export function storageEndpoints(opened: () => Pick<OpenedHub, 'storage'>): Routes {
	const storageOf = async (type: string): Promise<PluginSource | FileStorage> =>
		(await opened().storage()).of(type);
	return {
		async storageRead(request, call) {
			const storage = await storageOf(request.storageType);
			if (storage instanceof PluginSource)
				return forward(storage, { case: 'storageRead', value: request }, 'storageRead', call);
			const { content, metadata, version } = await storage.read(request.path);
			const hasMetadata = Object.keys(metadata).length > 0;
			return { content: Uint8Array.from(content), version, ...(hasMetadata && { metadata }) };
		},
		async storageWrite(request, call) {
			const storage = await storageOf(request.storageType);
			if (!(storage instanceof PluginSource)) return { success: true, ...(await storage.write(request)) };
			const answer = await forward(storage, { case: 'storageWrite', value: request }, 'storageWrite', call);
			const kind = answer.newVersion === 1n ? 'created' : 'changed';
			if (answer.success)
				(await opened().storage()).changed(request.storageType, { path: request.path, kind });
			return answer;
		},
		async storageDelete(request, call) {
			const { path, storageType } = request;
			const storage = await storageOf(storageType);
			if (!(storage instanceof PluginSource)) {
				await storage.delete(path);
				return { success: true };
			}
			const answer = await forward(storage, { case: 'storageDelete', value: request }, 'storageDelete', call);
			if (answer.success) (await opened().storage()).changed(storageType, { path, kind: 'deleted' });
			return answer;
		},
		async storageList(request, call) {
			const storage = await storageOf(request.storageType);
			if (storage instanceof PluginSource)
				return forward(storage, { case: 'storageList', value: request }, 'storageList', call);
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

function forward<K extends ResponseKind>(
	plugin: PluginSource,
	request: NonNullable<RequestInit['request']>,
	kind: K,
	{ signal }: ServerCall,
): Promise<ResponseValue<K>> {
	return plugin.ask(request, kind, { signal });
}
