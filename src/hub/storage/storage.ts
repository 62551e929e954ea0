/* Requests to a storage and its changes; what MCP resources need of a storage. */
import type { JsonObject } from '../../wire/json.ts';
import type { StoredFile } from './stored-file.ts';

export interface WriteRequest {
	path: string;
	content: Uint8Array;
	metadata?: JsonObject | undefined;
	/** -1 writes unconditionally, 0 creates, any other value must be the current version. */
	expectedVersion: bigint;
}

export interface ListRequest {
	/** A folder, or one file; empty for everything. */
	prefix?: string | undefined;
	/** Glob pattern for file names, in all folders. Default `*.md`. */
	pattern?: string | undefined;
}

/** A file that was written or deleted through this storage. */
export interface StorageChange {
	path: string;
	kind: 'created' | 'changed' | 'deleted';
}

/** The files of a storage, in the hub or in a plugin. */
export interface ResourceStorage {
	/** Throws `not_found` for a missing file. */
	read(path: string): Promise<StoredFile>;
	/** The paths of the files from the root, sorted. */
	paths(request?: ListRequest): Promise<string[]>;
	/** Returns the function that unsubscribes. */
	onChange(listener: (change: StorageChange) => void): () => void;
}
