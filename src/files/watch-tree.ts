/*
 * Report changes in a folder tree, debounced.
 *
 * One watch per folder, because Node's recursive watch loses events on Linux. Every
 * folder is watched before it is listed, so no change is lost. A missing root is
 * picked up when it is created. When the system refuses a watch, changes are polled:
 * the listener is called every few seconds.
 */
import { type Dirent, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { attempt } from '../errors.ts';
import { Debounce } from './debounce.ts';
import {
	FOLDER_DEPTH,
	WATCH_DEBOUNCE_MS,
	WATCH_TREE_POLL_MS,
	WATCHED_FOLDERS_LIMIT,
} from './files-limits.ts';
import { FolderWatch } from './folder-watch.ts';

export class TreeWatch {
	readonly #root: string;
	readonly #onChanged: () => void;
	readonly #watches = new Map<string, FolderWatch>();
	readonly #changes: Debounce = new Debounce(() => this.#onChange(), { quietMs: WATCH_DEBOUNCE_MS });
	#poll: NodeJS.Timeout | undefined;

	/** Every folder but hidden ones and `node_modules` is watched when the constructor returns. Does not keep the process alive. */
	constructor(root: string, onChanged: () => void) {
		this.#root = resolve(root);
		this.#onChanged = onChanged;
		this.#updateWatches();
	}

	close(): void {
		this.#changes.close();
		clearInterval(this.#poll);
		for (const opened of this.#watches.values()) opened.close();
		this.#watches.clear();
	}

	/** Watch new folders, and stop watching removed ones. */
	#updateWatches(): void {
		const found = new Set<string>();
		const waiting = [{ folder: this.#root, depth: 0 }];
		for (let next = waiting.shift(); next && found.size < WATCHED_FOLDERS_LIMIT; next = waiting.shift()) {
			const { folder, depth } = next;
			found.add(folder);
			if (!this.#watches.has(folder)) this.#watches.set(folder, this.#open(folder));
			if (depth < FOLDER_DEPTH)
				for (const below of this.#foldersIn(folder)) waiting.push({ folder: below, depth: depth + 1 });
		}
		for (const [folder, opened] of this.#watches) {
			if (found.has(folder)) continue;
			opened.close();
			this.#watches.delete(folder);
		}
	}

	#open(folder: string): FolderWatch {
		return new FolderWatch(folder, {
			onEvent: () => this.#changes.touch(),
			onRefused: () => this.#startPolling(),
		});
	}

	#foldersIn(folder: string): string[] {
		// It may be missing or unreadable.
		return attempt(() => {
			const entries: Dirent[] = readdirSync(folder, { withFileTypes: true });
			return entries
				.filter((entry) => entry.isDirectory() && isToolFolder(entry.name))
				.map(({ name }) => join(folder, name));
		}, []);
	}

	#onChange(): void {
		this.#updateWatches();
		this.#onChanged();
	}

	#startPolling(): void {
		this.#poll ??= setInterval(() => this.#changes.touch(), WATCH_TREE_POLL_MS).unref();
	}
}

export function isToolFolder(name: string): boolean {
	return !name.startsWith('.') && name !== 'node_modules';
}
