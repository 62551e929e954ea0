/*
 * Watch one folder, whether it exists or not.
 *
 * The nearest existing folder above a missing one is watched until it comes. The
 * watch is in place when the constructor returns: list the folder afterwards and no
 * change is lost. Not seen: that a folder above an existing one was moved away,
 * which would need a watch on each.
 */
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

export interface FolderWatchOptions {
	/** Receives the name that changed in the folder; null when the system does not say, or the folder came or went. */
	readonly onEvent: (name: string | null) => void;
	/** The names that matter. Default: all. */
	readonly names?: ReadonlySet<string> | undefined;
	/** The system has no watches left, or refuses this one: changes will not be seen. */
	readonly onRefused?: ((error: NodeJS.ErrnoException) => void) | undefined;
	/** What watches one folder. Default: that of Node. */
	readonly watch?: typeof watch | undefined;
}

export class FolderWatch {
	readonly #folder: string;
	readonly #options: FolderWatchOptions;
	#watcher: FSWatcher | undefined;
	#isClosed = false;

	/** `folder` is absolute. Does not keep the process alive. */
	constructor(folder: string, options: FolderWatchOptions) {
		this.#folder = folder;
		this.#options = options;
		this.#follow();
	}

	close(): void {
		this.#isClosed = true;
		this.#release();
	}

	#release(): void {
		this.#watcher?.close();
		this.#watcher = undefined;
	}

	/** Watch the folder, or the nearest one above it that exists. */
	#follow(): void {
		this.#release();
		if (this.#isClosed) return;
		const place = nearestFolder(this.#folder);
		try {
			this.#watcher = this.#open(place);
		} catch (error) {
			// A folder that went away just now is noticed below.
			const failure = error as NodeJS.ErrnoException;
			if (failure.code !== 'ENOENT' && failure.code !== 'ENOTDIR') this.#options.onRefused?.(failure);
		}
		if (nearestFolder(this.#folder) !== place) this.#follow();
	}

	#open(place: string): FSWatcher {
		const { names, onEvent, watch: open = watch } = this.#options;
		const isHere = place === this.#folder;
		const awaited = isHere ? names : new Set(relative(place, this.#folder).split(sep).slice(0, 1));
		const opened = open(place, { persistent: false }, (kind, name) => {
			if (this.#isClosed) return;
			const isAwaited = name === null || awaited === undefined || awaited.has(name);
			if (isHere && isAwaited) onEvent(name);
			// A folder that goes away reports its own name.
			if (kind === 'rename' && (name === basename(place) || (!isHere && isAwaited))) this.#moved(isHere);
		});
		// Where a folder that goes is an error, what is above it is watched from now on.
		opened.on('error', () => (nearestFolder(this.#folder) === place ? this.#release() : this.#moved(isHere)));
		return opened;
	}

	/** The folder came or went, or one above it did: with it came or went the files in it. */
	#moved(wasHere: boolean): void {
		const before = nearestFolder(this.#folder);
		this.#follow();
		const { names, onEvent } = this.#options;
		const isFound =
			names === undefined
				? before === this.#folder
				: [...names].some((name) => existsSync(join(this.#folder, name)));
		if (wasHere || isFound) onEvent(null);
	}
}

function nearestFolder(folder: string): string {
	const above = dirname(folder);
	return isFolder(folder) || above === folder ? folder : nearestFolder(above);
}

function isFolder(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch {
		return false; // it does not exist, or we may not look
	}
}
