/* The files of a storage plugin, as the hub reads them for MCP resources. */
import { fileNotFound, isMissingFile } from '../../plugin/missing-file.ts';
import type { ListRequest } from '../storage/storage.ts';
import type { StoredFile } from '../storage/stored-file.ts';
import type { PluginSource } from './plugin-source.ts';

/** Throws `not_found` for a missing file. */
export async function readFromPlugin(plugin: PluginSource, path: string): Promise<StoredFile> {
	const found = await plugin.ask({ case: 'storageRead', value: { path } }, 'storageRead');
	if (isMissingFile(found)) throw fileNotFound(path);
	return { content: found.content, metadata: found.metadata ?? {}, version: found.version };
}

/** Paths from the root, sorted; some plugins return them relative to the prefix. */
export async function pathsOfPlugin(
	plugin: PluginSource,
	{ prefix = '', pattern = '' }: ListRequest = {},
): Promise<string[]> {
	const folder = prefix === '' ? '' : `${prefix}/`;
	const { entries } = await plugin.ask({ case: 'storageList', value: { prefix, pattern } }, 'storageList');
	return entries.map(({ path }) => (path.startsWith(folder) ? path : `${folder}${path}`)).sort();
}
