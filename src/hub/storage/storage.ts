/* The interface of a storage, which the hub itself or a plugin implements. */
import type { JsonObject } from '../../wire/json.ts';
import type { StorageEntry } from './list-files.ts';
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

export interface Storage {
	/** Throws when the file does not exist. */
	read(path: string, signal?: AbortSignal): Promise<StoredFile>;
	/** Throws when the expected version is not the current one. */
	write(request: WriteRequest, signal?: AbortSignal): Promise<{ newVersion: bigint }>;
	/** Throws when the file does not exist. */
	delete(path: string, signal?: AbortSignal): Promise<void>;
	list(request?: ListRequest, signal?: AbortSignal): Promise<StorageEntry[]>;
	/** As `list`, but only the paths. */
	paths(request?: ListRequest): Promise<string[]>;
	/** Returns the function that unsubscribes. */
	onChange(listener: (change: StorageChange) => void): () => void;
}
