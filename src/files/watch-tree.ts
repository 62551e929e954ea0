/*
 * Report that something below a root changed.
 *
 * One watch for each folder, because Node's recursive watch loses events on Linux.
 * Every folder is watched before it is listed, so a change is either seen or listed. A
 * root that does not exist is waited for. Where the system has no watches left the
 * listener is called every few seconds instead.
 */
import { type Dirent, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Debounce } from './debounce.ts';
import { FolderWatch } from './folder-watch.ts';

export interface TreeWatchOptions {
	readonly onChange: () => void;
	/** Which folders below the root are watched, by their name. Default: all but hidden ones and `node_modules`. */
	readonly isSubscribed?: ((name: string) => boolean) | undefined;
}

/** How long after a change it is reported, in milliseconds: a burst of changes is one. */
const SETTLE_MS = 150;
/** How often a tree that cannot be watched is reported as changed, in milliseconds. */
const POLL_MS = 3000;
/** Most folders below one root that are watched; what is deeper or beyond is not seen. */
const FOLDER_LIMIT = 1000;
const DEPTH_LIMIT = 12;

export class TreeWatch {
	readonly #root: string;
	readonly #options: TreeWatchOptions;
	readonly #watches = new Map<string, FolderWatch>();
	readonly #changes: Debounce = new Debounce(() => this.#onChange(), { quietMs: SETTLE_MS });
	#poll: NodeJS.Timeout | undefined;

	/** Every folder is watched when the constructor returns. Does not keep the process alive. */
	constructor(root: string, options: TreeWatchOptions) {
		this.#root = resolve(root);
		this.#options = options;
		this.#follow();
	}

	close(): void {
		this.#changes.close();
		clearInterval(this.#poll);
		for (const opened of this.#watches.values()) opened.close();
		this.#watches.clear();
	}

	/** Watch the folders that came, and no longer those that went. */
	#follow(): void {
		const found = new Set<string>();
		const waiting = [{ folder: this.#root, depth: 0 }];
		for (let next = waiting.shift(); next && found.size < FOLDER_LIMIT; next = waiting.shift()) {
			const { folder, depth } = next;
			found.add(folder);
			if (!this.#watches.has(folder)) this.#watches.set(folder, this.#open(folder));
			if (depth < DEPTH_LIMIT)
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
		const { isSubscribed = isOrdinary } = this.#options;
		try {
			const entries: Dirent[] = readdirSync(folder, { withFileTypes: true });
			return entries
				.filter((entry) => entry.isDirectory() && isSubscribed(entry.name))
				.map(({ name }) => join(folder, name));
		} catch {
			return []; // it does not exist, or we may not look
		}
	}

	#onChange(): void {
		this.#follow();
		this.#options.onChange();
	}

	#startPolling(): void {
		this.#poll ??= setInterval(() => this.#changes.touch(), POLL_MS).unref();
	}
}

function isOrdinary(name: string): boolean {
	return !name.startsWith('.') && name !== 'node_modules';
}
