/*
 * The storage as resources of MCP: `orchestra://notes/plans/today` is the file
 * `notes/plans/today.md`. Only the three folders that plugins share by convention
 * are shown; whatever else plugins keep stays theirs.
 */
import { isUtf8 } from 'node:buffer';
import { OrchestraError } from '../../errors.ts';
import type { Change } from '../../mcp/server/provider.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/mcp-types.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import type { Storage, StorageChange } from '../storage/storage.ts';
import type { StoredFile } from '../storage/stored-file.ts';
import type { Backend } from './backend.ts';

const SCHEME = 'orchestra://';
const EXTENSION = '.md';
const MIME_TYPE = 'text/markdown';

const folders = [
	{ folder: 'docs', name: 'doc', description: 'A document of this project.' },
	{ folder: 'features', name: 'feature', description: 'A feature of this project, with its state.' },
	{ folder: 'notes', name: 'note', description: 'A note of this project.' },
] as const;

export class StorageBackend implements Backend {
	readonly id = 'storage';
	readonly kind = 'storage';
	readonly qualifiesNames = false;
	readonly state = 'open';
	readonly #storage: Pick<Storage, 'paths' | 'read' | 'onChange'>;

	/** The storage stays with its opener. */
	constructor(storage: Pick<Storage, 'paths' | 'read' | 'onChange'>) {
		this.#storage = storage;
	}

	async listResources(): Promise<readonly Resource[]> {
		const lists = await Promise.all(folders.map(({ folder }) => this.#storage.paths({ prefix: folder })));
		return lists.flat().flatMap((path) => resourceOf(path) ?? []);
	}

	listResourceTemplates(): readonly ResourceTemplate[] {
		return folders.map(({ folder, name, description }) => ({
			uriTemplate: `${SCHEME}${folder}/{id}`,
			name,
			description,
			mimeType: MIME_TYPE,
		}));
	}

	async readResource(uri: string): Promise<ReadResourceResult> {
		const path = pathOf(uri);
		if (path === undefined) throw notFound(uri);
		try {
			return { contents: [contentsOf(uri, await this.#storage.read(path))] };
		} catch (error) {
			throw OrchestraError.is(error, 'not_found') ? notFound(uri) : unreadable(uri, error);
		}
	}

	ownsUri(uri: string): boolean {
		return pathOf(uri) !== undefined;
	}

	/** Tells what is written and deleted through the storage, not what an editor does to the files. */
	onChange(listener: (change: Change) => void): () => void {
		return this.#storage.onChange((change) => {
			for (const told of changesOf(change)) listener(told);
		});
	}

	async close(): Promise<void> {}
}

function resourceOf(path: string): Resource | undefined {
	const [folder = '', ...rest] = path.split('/');
	const name = rest.join('/').slice(0, -EXTENSION.length);
	if (name === '' || !path.endsWith(EXTENSION) || !isShared(folder)) return undefined;
	return {
		uri: `${SCHEME}${folder}/${name.split('/').map(encodeURIComponent).join('/')}`,
		name,
		mimeType: MIME_TYPE,
	};
}

/** The file behind a URI; undefined for a URI that is not of these folders. */
function pathOf(uri: string): string | undefined {
	const [, folder = '', encoded = ''] = /^orchestra:\/\/([^/?#]+)\/([^?#]+)$/i.exec(uri) ?? [];
	if (!isShared(folder)) return undefined;
	try {
		return `${folder}/${decodeURIComponent(encoded)}${EXTENSION}`;
	} catch {
		return undefined; // a percent sign that encodes nothing: no file has such a URI
	}
}

function isShared(folder: string): boolean {
	return folders.some((shared) => shared.folder === folder);
}

function contentsOf(
	uri: string,
	{ content, metadata, version }: StoredFile,
): ReadResourceResult['contents'][0] {
	const bytes = Buffer.from(content);
	const body = isUtf8(bytes) ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
	const _meta = { 'orchestra/version': Number(version), 'orchestra/metadata': metadata };
	return { uri, mimeType: MIME_TYPE, ...body, _meta };
}

function changesOf({ path, kind }: StorageChange): Change[] {
	const resource = resourceOf(path);
	if (!resource) return [];
	const changes: Change[] = [{ kind: 'resource', uri: resource.uri }];
	if (kind !== 'changed') changes.push({ kind: 'resources' });
	return changes;
}

/** A plugin that keeps the files has one kind of refusal, and says in words what it means. */
function unreadable(uri: string, error: unknown): unknown {
	if (!OrchestraError.is(error, 'tool_failed')) return error;
	return rpcError(rpcCodes.invalidParams, `Resource not found: ${uri} (${error.message})`);
}

function notFound(uri: string): OrchestraError {
	return rpcError(rpcCodes.invalidParams, `Resource not found: ${uri}`);
}
