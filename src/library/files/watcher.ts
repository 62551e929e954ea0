/*
 * Tell which names below a root changed.
 *
 * One watch for each folder, because watching a whole tree at once loses events
 * on Linux. A folder is watched before it is listed, so nothing falls between.
 * Where the system has no watches left the root is polled every few seconds
 * instead. A root that does not exist yet is waited for in the nearest folder above it.
 */
import { type FSWatcher, watch } from 'node:fs';
import { FolderWatch } from '../../files/folder-watch.ts';
import type { Log } from '../../log.ts';
import type { Folder } from './folder.ts';
import { CHANGE_LATEST_MS, CHANGE_QUIET_MS, POLL_MS } from './library-limits.ts';

export interface WatcherOptions {
	folder: Folder;
	log: Log;
	/** Takes the names that may have changed; the empty name is the whole root. */
	onDirty: (names: readonly string[]) => void;
}

export class Watcher {
	readonly #options: WatcherOptions;
	readonly #watches = new Map<string, FSWatcher>();
	#parent: FolderWatch | undefined;
	#dirty = new Set<string>();
	#firstAt = 0;
	#timer: NodeJS.Timeout | undefined;
	#poll: NodeJS.Timeout | undefined;
	#isClosed = false;

	constructor(options: WatcherOptions) {
		this.#options = options;
	}

	/** Watch one folder, in place of a watch that it had before. */
	add(folder: string): void {
		if (this.#isClosed || this.#poll) return;
		this.#watches.get(folder)?.close();
		this.#watches.delete(folder);
		const path = this.#options.folder.locate(folder);
		const opened = this.#open(path, (name) => this.#mark(folder, name));
		if (opened) this.#watches.set(folder, opened);
	}

	/** Stop watching a folder and all below it. */
	forget(folder: string): void {
		for (const [name, opened] of this.#watches) {
			if (folder !== '' && name !== folder && !name.startsWith(`${folder}/`)) continue;
			opened.close();
			this.#watches.delete(name);
		}
	}

	/** Wait for a root that does not exist, in the nearest folder above it that does. */
	awaitRoot(): void {
		const { folder } = this.#options;
		if (this.#isClosed || this.#parent || this.#poll || folder.exists) return;
		this.#parent = new FolderWatch(folder.path, {
			onEvent: () => this.#onRoot(),
			onRefused: (error) => this.#explain(error),
		});
		// It may have come before the watch was in place.
		this.#onRoot();
	}

	#onRoot(): void {
		if (!this.#options.folder.exists || this.#parent === undefined) return;
		this.#parent.close();
		this.#parent = undefined;
		this.#mark('', '');
	}

	close(): void {
		this.#isClosed = true;
		this.forget('');
		this.#parent?.close();
		clearTimeout(this.#timer);
		clearInterval(this.#poll);
	}

	#open(path: string, onEvent: (name: string | null) => void): FSWatcher | undefined {
		try {
			const opened = watch(path, { persistent: false }, (_, name) => onEvent(name));
			// The folder went away; its parent tells us what that means.
			opened.on('error', () => opened.close());
			return opened;
		} catch (error) {
			this.#explain(error);
			return undefined;
		}
	}

	#explain(error: unknown): void {
		const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
		// Gone between listing and watching: the parent has the event.
		if (code === 'ENOENT' || code === 'ENOTDIR') return;
		this.#options.log.warn(`cannot watch for changes (${code}); looking every ${POLL_MS} ms instead`);
		this.forget('');
		this.#poll = setInterval(() => this.#options.onDirty(['']), POLL_MS).unref();
	}

	#mark(folder: string, name: string | null): void {
		if (this.#isClosed) return;
		const isHidden = name?.startsWith('.') === true;
		if (isHidden) return;
		if (this.#dirty.size === 0) this.#firstAt = performance.now();
		this.#dirty.add([folder, name ?? ''].filter((part) => part !== '').join('/'));
		const left = this.#firstAt + CHANGE_LATEST_MS - performance.now();
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => this.#flush(), Math.max(0, Math.min(CHANGE_QUIET_MS, left)));
		this.#timer.unref();
	}

	#flush(): void {
		const names = [...this.#dirty].sort();
		this.#dirty = new Set();
		this.#options.onDirty(names);
	}
}
