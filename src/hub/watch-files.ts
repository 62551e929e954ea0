/*
 * Tell when one of some files changed, came or went.
 *
 * The folders are watched, not the files: editors replace a file rather than write
 * into it, and a file that does not exist yet cannot be watched. For a folder that
 * is not there, the nearest one above it is watched until it comes. Not seen: that
 * a folder above one that is there was moved away, for that needs a watch on each.
 */
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** How long after a change it is told, in milliseconds: a burst of changes is one. */
const SETTLE_MS = 200;

/** Watch `files`; gives back what ends it. Does not keep the process alive. */
export function watchFiles(files: readonly string[], onChange: () => void): () => void {
	let timer: NodeJS.Timeout | undefined;
	const onEvent = (): void => {
		timer ??= setTimeout(() => {
			timer = undefined;
			onChange();
		}, SETTLE_MS);
		timer.unref();
	};
	const paths = files.map((file) => resolve(file));
	const watches = [...new Set(paths.map((path) => dirname(path)))].map((folder) => {
		const names = paths.filter((path) => dirname(path) === folder).map((path) => basename(path));
		return new FolderWatch(folder, new Set(names), onEvent);
	});
	return () => {
		clearTimeout(timer);
		for (const opened of watches) opened.close();
	};
}

/** The watch over some names in one folder, be it there or not. */
class FolderWatch {
	readonly #folder: string;
	readonly #names: ReadonlySet<string>;
	readonly #onEvent: () => void;
	#watcher: FSWatcher | undefined;

	constructor(folder: string, names: ReadonlySet<string>, onEvent: () => void) {
		this.#folder = folder;
		this.#names = names;
		this.#onEvent = onEvent;
		this.#follow();
	}

	close(): void {
		this.#watcher?.close();
		this.#watcher = undefined;
	}

	/** Watch the folder, or the nearest one above it that exists. */
	#follow(): void {
		this.close();
		const place = nearestFolder(this.#folder);
		try {
			this.#watcher = this.#open(place);
		} catch {
			// It went away just now, which is seen below, or the system will not have it watched.
		}
		if (nearestFolder(this.#folder) !== place) this.#follow();
	}

	#open(place: string): FSWatcher {
		const isHere = place === this.#folder;
		const awaited = isHere ? this.#names : new Set(relative(place, this.#folder).split(sep).slice(0, 1));
		const opened = watch(place, { persistent: false }, (kind, name) => {
			const isAwaited = name === null || awaited.has(name);
			if (isHere && isAwaited) this.#onEvent();
			// A folder that goes tells its own name.
			if (kind === 'rename' && (name === basename(place) || (!isHere && isAwaited))) this.#moved(isHere);
		});
		// Where a folder that goes is an error, what is above it is watched from now on.
		opened.on('error', () => (nearestFolder(this.#folder) === place ? this.close() : this.#moved(isHere)));
		return opened;
	}

	/** The folder came or went, or one above it did: with it came or went the files in it. */
	#moved(wasHere: boolean): void {
		this.#follow();
		const isFound = [...this.#names].some((name) => existsSync(join(this.#folder, name)));
		if (wasHere || isFound) this.#onEvent();
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
		return false; // it is not there, or nobody lets us look
	}
}
