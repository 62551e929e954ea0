/*
 * The storage as MCP resources: `orchestra://notes/plans/today` is the file
 * `notes/plans/today.md` (`stored-resources.ts`).
 */
import { isUtf8 } from 'node:buffer';
import { OrchestraError } from '../../errors.ts';
import type { Change } from '../../mcp/server/provider.ts';
import {
	STORED_MIME_TYPE,
	storedFolders,
	storedPath,
	storedResource,
	storedTemplates,
} from '../../plugin/stored-resources.ts';
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/mcp-types.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import type { Storage, StorageChange } from '../storage/storage.ts';
import type { StoredFile } from '../storage/stored-file.ts';
import type { Backend } from './backend.ts';

export class StorageBackend implements Backend {
	readonly id = 'storage';
	readonly kind = 'storage';
	readonly qualifiesNames = false;
	readonly state = 'open';
	readonly #storage: Pick<Storage, 'paths' | 'read' | 'onChange'>;

	/** The caller closes the storage. */
	constructor(storage: Pick<Storage, 'paths' | 'read' | 'onChange'>) {
		this.#storage = storage;
	}

	async listResources(): Promise<readonly Resource[]> {
		const lists = await Promise.all(storedFolders.map((prefix) => this.#storage.paths({ prefix })));
		return lists.flat().flatMap((path) => storedResource(path) ?? []);
	}

	listResourceTemplates(): readonly ResourceTemplate[] {
		return storedTemplates;
	}

	async readResource(uri: string): Promise<ReadResourceResult> {
		const path = storedPath(uri);
		if (path === undefined) throw notFound(uri);
		try {
			return { contents: [contentsOf(uri, await this.#storage.read(path))] };
		} catch (error) {
			throw OrchestraError.is(error, 'not_found') ? notFound(uri) : unreadable(uri, error);
		}
	}

	ownsUri(uri: string): boolean {
		return storedPath(uri) !== undefined;
	}

	/** Reports writes and deletes through the storage, not changes by an editor. */
	onChange(listener: (change: Change) => void): () => void {
		return this.#storage.onChange((change) => {
			for (const each of changesOf(change)) listener(each);
		});
	}

	async close(): Promise<void> {}
}

function contentsOf(
	uri: string,
	{ content, metadata, version }: StoredFile,
): ReadResourceResult['contents'][0] {
	const bytes = Buffer.from(content);
	const body = isUtf8(bytes) ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
	const _meta = { 'orchestra/version': Number(version), 'orchestra/metadata': metadata };
	return { uri, mimeType: STORED_MIME_TYPE, ...body, _meta };
}

function changesOf({ path, kind }: StorageChange): Change[] {
	const resource = storedResource(path);
	if (!resource) return [];
	const changes: Change[] = [{ kind: 'resource', uri: resource.uri }];
	if (kind !== 'changed') changes.push({ kind: 'resources' });
	return changes;
}

/** A storage plugin has one error code for every failure, so its message is passed on. */
function unreadable(uri: string, error: unknown): unknown {
	if (!OrchestraError.is(error, 'tool_failed')) return error;
	return rpcError(rpcCodes.invalidParams, `Resource not found: ${uri} (${error.message})`);
}

function notFound(uri: string): OrchestraError {
	return rpcError(rpcCodes.invalidParams, `Resource not found: ${uri}`);
}
