/* What a storage does, whoever keeps its files: the hub itself or a plugin. */
import type { JsonObject } from '../../wire/json.ts';
import type { StorageEntry } from './list-files.ts';
import type { StoredFile } from './stored-file.ts';

export interface WriteRequest {
	path: string;
	content: Uint8Array;
	metadata?: JsonObject | undefined;
	/** -1 writes whatever is there, 0 creates, more must be the current version. */
	expectedVersion: bigint;
}

export interface ListRequest {
	/** A folder, or one file; empty for everything. */
	prefix?: string | undefined;
	/** For the names of files, in all folders. Default `*.md`. */
	pattern?: string | undefined;
}

/** A file that was written or deleted through this storage. */
export interface StorageChange {
	path: string;
	kind: 'created' | 'changed' | 'deleted';
}

export interface Storage {
	/** Throws when the file is not there. */
	read(path: string, signal?: AbortSignal): Promise<StoredFile>;
	/** Throws when the expected version is not the current one. */
	write(request: WriteRequest, signal?: AbortSignal): Promise<{ newVersion: bigint }>;
	/** Throws when the file is not there. */
	delete(path: string, signal?: AbortSignal): Promise<void>;
	list(request?: ListRequest, signal?: AbortSignal): Promise<StorageEntry[]>;
	/** As `list`, but only the paths. */
	paths(request?: ListRequest): Promise<string[]>;
	/** Gives back what ends it. */
	onChange(listener: (change: StorageChange) => void): () => void;
}
