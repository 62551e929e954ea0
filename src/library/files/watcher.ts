/*
 * Tell which names below a root changed.
 *
 * One `FolderWatch` for each folder that the scan finds, in place before the folder is
 * listed, so nothing falls between. Where the system has no watches left the root is
 * polled every few seconds instead.
 */
import { Debounce } from '../../files/debounce.ts';
import { FolderWatch, type FolderWatchOptions } from '../../files/folder-watch.ts';
import type { Log } from '../../log.ts';
import type { Folder } from './folder.ts';
import { CHANGE_LATEST_MS, CHANGE_QUIET_MS, POLL_MS } from './library-limits.ts';

export interface WatcherOptions {
	folder: Folder;
	log: Log;
	/** Takes the names that may have changed; the empty name is the whole root. */
	onDirty: (names: readonly string[]) => void;
	/** Default: that of Node. */
	watch?: FolderWatchOptions['watch'];
}

export class Watcher {
	readonly #options: WatcherOptions;
	readonly #watches = new Map<string, FolderWatch>();
	readonly #changes: Debounce;
	#dirty = new Set<string>();
	#poll: NodeJS.Timeout | undefined;
	#isClosed = false;

	constructor(options: WatcherOptions) {
		this.#options = options;
		this.#changes = new Debounce(() => this.#flush(), {
			quietMs: CHANGE_QUIET_MS,
			latestMs: CHANGE_LATEST_MS,
		});
	}

	/** Watch one folder, in place of a watch that it had before. */
	add(folder: string): void {
		if (this.#isClosed || this.#poll) return;
		this.#watches.get(folder)?.close();
		const opened = new FolderWatch(this.#options.folder.locate(folder), {
			onEvent: (name) => this.#mark(folder, name),
			onRefused: (error) => this.#startPolling(error),
			watch: this.#options.watch,
		});
		if (this.#poll) opened.close();
		else this.#watches.set(folder, opened);
	}

	/** Stop watching a folder and all below it. */
	forget(folder: string): void {
		for (const [name, opened] of this.#watches) {
			if (folder !== '' && name !== folder && !name.startsWith(`${folder}/`)) continue;
			opened.close();
			this.#watches.delete(name);
		}
	}

	/** Wait for a root that does not exist. */
	awaitRoot(): void {
		const { folder } = this.#options;
		if (folder.exists || this.#watches.has('')) return;
		this.add('');
		// It may have come before the watch was in place.
		if (folder.exists) this.#mark('', '');
	}

	close(): void {
		this.#isClosed = true;
		this.forget('');
		this.#changes.close();
		clearInterval(this.#poll);
	}

	#startPolling({ code = 'unknown' }: NodeJS.ErrnoException): void {
		if (this.#isClosed || this.#poll) return;
		this.#options.log.warn(`cannot watch for changes (${code}); looking every ${POLL_MS} ms instead`);
		this.forget('');
		this.#poll = setInterval(() => this.#options.onDirty(['']), POLL_MS).unref();
	}

	#mark(folder: string, name: string | null): void {
		const isHidden = name?.startsWith('.') === true;
		if (this.#isClosed || isHidden) return;
		this.#dirty.add([folder, name ?? ''].filter((part) => part !== '').join('/'));
		this.#changes.touch();
	}

	#flush(): void {
		const names = [...this.#dirty].sort();
		this.#dirty = new Set();
		this.#options.onDirty(names);
	}
}
