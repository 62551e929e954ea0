/*
 * Files of the storage as MCP resources: `features/login.md` is
 * `orchestra://features/login`, and the same for notes and docs. Other folders of the
 * storage are private to their plugins.
 */
import type { Resource, ResourceTemplate } from '../protocol/mcp-types.ts';
import { decodePercent } from '../protocol/uri-template.ts';

/** The MIME type of every stored resource. */
export const STORED_MIME_TYPE = 'text/markdown';

const SUFFIX = '.md';

const folders = [
	{ folder: 'docs', name: 'doc', description: 'A document of this project.' },
	{ folder: 'features', name: 'feature', description: 'A feature of this project, with its state.' },
	{ folder: 'notes', name: 'note', description: 'A note of this project.' },
] as const;

/** The folders of the storage that are listed as resources, sorted. */
export const storedFolders: readonly string[] = folders.map(({ folder }) => folder);

/** One template for each folder. */
export const storedTemplates: readonly ResourceTemplate[] = folders.map(({ folder, name, description }) => ({
	uriTemplate: `orchestra://${folder}/{id}`,
	name,
	description,
	mimeType: STORED_MIME_TYPE,
}));

/** The resource of a file, by its path from the root; undefined when the file is not a resource. */
export function storedResource(path: string): Resource | undefined {
	const [folder = '', ...names] = path.split('/');
	const name = names.join('/').slice(0, -SUFFIX.length);
	if (name === '' || !path.endsWith(SUFFIX) || !storedFolders.includes(folder)) return undefined;
	const id = name.split('/').map(encodeURIComponent).join('/');
	return { uri: `orchestra://${folder}/${id}`, name, mimeType: STORED_MIME_TYPE };
}

/** The path of a resource from the root; undefined for a URI that names no file of these folders. */
export function storedPath(uri: string): string | undefined {
	const [, folder = '', encoded = ''] = /^orchestra:\/\/([^/?#]+)\/([^?#]+)$/i.exec(uri) ?? [];
	if (!storedFolders.includes(folder)) return undefined;
	const id = decodePercent(encoded);
	return id?.split('/').every(isFileName) ? `${folder}/${id}${SUFFIX}` : undefined;
}

/** No name may lead out of its folder. */
function isFileName(name: string): boolean {
	return name !== '' && name !== '.' && name !== '..' && !/[\\\0]/.test(name);
}
