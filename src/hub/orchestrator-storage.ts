/* Storage for peers of the plugin protocol: of the plugin that provides the type, else the hub's own files. */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { PluginManifest } from '../plugin/gen/orchestra/plugin/v1/plugin_pb.ts';
import type { PluginHandlers } from '../plugin/handlers.ts';
import type { Hub } from './hub.ts';
import type { OpenedHub } from './open-hub.ts';
import { PluginBackend } from './plugin-backend.ts';

type Routes = Pick<PluginHandlers, 'storageRead' | 'storageWrite' | 'storageDelete' | 'storageList'>;

export function storageRoutes(
	opened: () => Pick<OpenedHub, 'hub' | 'storage'>,
	manifests: ReadonlyMap<string, PluginManifest>,
): Routes {
	const provider = (type: string): PluginBackend | undefined => providerOf(opened().hub, manifests, type);
	return {
		storageRead: async (value, { signal }) => {
			const plugin = provider(value.storageType);
			if (plugin) return plugin.ask({ case: 'storageRead', value }, 'storageRead', { signal });
			return (await opened().storage()).read(value.path);
		},
		storageWrite: async (value, { signal }) => {
			const plugin = provider(value.storageType);
			if (plugin) return plugin.ask({ case: 'storageWrite', value }, 'storageWrite', { signal });
			const { path, content, metadata = {}, expectedVersion } = value;
			const { newVersion } = await (await opened().storage()).write({
				path,
				content,
				metadata,
				expectedVersion,
			});
			return { success: true, newVersion };
		},
		storageDelete: async (value, { signal }) => {
			const plugin = provider(value.storageType);
			if (plugin) return plugin.ask({ case: 'storageDelete', value }, 'storageDelete', { signal });
			await (await opened().storage()).delete(value.path);
			return { success: true };
		},
		storageList: async (value, { signal }) => {
			const plugin = provider(value.storageType);
			if (plugin) return plugin.ask({ case: 'storageList', value }, 'storageList', { signal });
			const entries = await (await opened().storage()).list({ prefix: value.prefix, pattern: value.pattern });
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

/** The plugin that provides a type of storage; the empty type is the hub's own. */
function providerOf(
	hub: Hub,
	manifests: ReadonlyMap<string, PluginManifest>,
	type: string,
): PluginBackend | undefined {
	if (type === '') return undefined;
	for (const backend of hub.backends) {
		if (!(backend instanceof PluginBackend)) continue;
		const provided = [
			...backend.entry.providesStorage,
			...(manifests.get(backend.id)?.providesStorage ?? []),
		];
		if (provided.includes(type)) return backend;
	}
	return undefined;
}
