/*
 * The storage as MCP resources: `orchestra://notes/plans/today` is the file
 * `notes/plans/today.md` (`storage-resources.ts`).
 */
import { isUtf8 } from 'node:buffer';
import { OrchestraError } from '../../errors.ts';
import { resourceNotFound } from '../../mcp/define/definition-provider.ts';
import { targetName } from '../../mcp/server/methods.ts';
import type { Call, Capability, Change } from '../../mcp/server/provider.ts';
import {
	STORED_MIME_TYPE,
	storedFolders,
	storedPath,
	storedResource,
	storedTemplates,
} from '../../plugin/storage-resources.ts';
import type { Item, ItemKind } from '../../protocol/item-lists.ts';
import type { Awaitable, ReadResourceResult, Resource } from '../../protocol/mcp-types.ts';
import { Listeners } from '../../rpc/listeners.ts';
import { rpcError } from '../../rpc/rpc-error.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import type { Can, Source } from '../source.ts';
import type { SourceStatus } from '../source-status.ts';
import type { ResourceStorage, StorageChange } from '../storage/storage.ts';
import type { StoredFile } from '../storage/stored-file.ts';

export class StorageSource implements Source, Can<'ownsUri' | 'warm' | 'configurationKey'> {
	readonly id = 'storage';
	readonly kind = 'storage';
	readonly capabilities: readonly Capability[] = ['resources'];
	readonly configurationKey: string;
	readonly #open: () => Promise<ResourceStorage>;
	readonly #listeners = new Listeners<Change>();
	#opened: Promise<ResourceStorage> | undefined;

	/** @param open called on first use; the caller closes the storage */
	constructor(open: () => Promise<ResourceStorage>, configurationKey = '') {
		this.#open = open;
		this.configurationKey = configurationKey;
	}

	get status(): SourceStatus {
		return { state: this.#opened ? 'ready' : 'known' };
	}

	warm(): void {
		this.#storage().catch(() => {}); // the first call gets the failure
	}

	list(kind: ItemKind): Awaitable<readonly Item[]> {
		return kind === 'templates' ? storedTemplates : this.#listResources();
	}

	/** Only `resources/read`: it has no other capability. */
	request(call: Call): Promise<ReadResourceResult> {
		return this.read(targetName(call));
	}

	async #listResources(): Promise<readonly Resource[]> {
		const storage = await this.#storage();
		const lists = await Promise.all(storedFolders.map((prefix) => storage.paths({ prefix })));
		return lists.flat().flatMap((path) => storedResource(path) ?? []);
	}

	/** Read the file of a URI. */
	async read(uri: string): Promise<ReadResourceResult> {
		const path = storedPath(uri);
		if (path === undefined) throw resourceNotFound(uri);
		try {
			return { contents: [contentsOf(uri, await (await this.#storage()).read(path))] };
		} catch (error) {
			throw OrchestraError.is(error, 'not_found') ? resourceNotFound(uri) : unreadable(uri, error);
		}
	}

	ownsUri(uri: string): boolean {
		return uri.startsWith('orchestra://');
	}

	/** Reports writes and deletes through the storage, not changes by an editor. */
	readonly watch: Listeners<Change>['add'] = this.#listeners.add;

	async close(): Promise<void> {
		this.#listeners.clear();
	}

	#storage(): Promise<ResourceStorage> {
		this.#opened ??= this.#open().then((storage) => {
			storage.onChange((change) => {
				for (const each of changesOf(change)) this.#listeners.emit(each);
			});
			return storage;
		});
		return this.#opened;
	}
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
