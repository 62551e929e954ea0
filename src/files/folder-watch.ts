/*
 * Watch one folder, whether it exists or not.
 *
 * While the folder is missing, its nearest existing ancestor is watched. The watch is
 * active when the constructor returns: list the folder afterwards and no change is
 * lost. Not detected: an ancestor of an existing folder is moved away, which would
 * need a watch on each.
 */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isFolder } from './make-folders.ts';

export interface FolderWatchOptions {
	/** Called with the name that changed in the folder; null when it is unknown, or the folder was created or removed. */
	readonly onEvent: (name: string | null) => void;
	/** Names to report. Default: all. */
	readonly names?: ReadonlySet<string> | undefined;
	/** The system refused the watch, for example at its limit: changes are not reported. */
	readonly onRefused?: ((error: NodeJS.ErrnoException) => void) | undefined;
	/** Watches one folder. Default: `fs.watch`. */
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
		this.#rewatch();
	}

	close(): void {
		this.#isClosed = true;
		this.#release();
	}

	#release(): void {
		this.#watcher?.close();
		this.#watcher = undefined;
	}

	/** Watch the folder, or its nearest existing ancestor. */
	#rewatch(): void {
		this.#release();
		if (this.#isClosed) return;
		const place = nearestFolder(this.#folder);
		try {
			this.#watcher = this.#open(place);
		} catch (error) {
			// A folder that was just removed is handled below.
			const failure = error as NodeJS.ErrnoException;
			if (failure.code !== 'ENOENT' && failure.code !== 'ENOTDIR') this.#options.onRefused?.(failure);
		}
		if (nearestFolder(this.#folder) !== place) this.#rewatch();
	}

	#open(place: string): FSWatcher {
		const { names, onEvent, watch: open = watch } = this.#options;
		const isHere = place === this.#folder;
		const expected = isHere ? names : new Set(relative(place, this.#folder).split(sep).slice(0, 1));
		const opened = open(place, { persistent: false }, (kind, name) => {
			if (this.#isClosed) return;
			const isExpected = name === null || expected === undefined || expected.has(name);
			if (isHere && isExpected) onEvent(name);
			// A removed folder reports its own name.
			if (kind === 'rename' && (name === basename(place) || (!isHere && isExpected))) this.#onMoved(isHere);
		});
		// On some systems the removal of a folder is an error: watch its ancestor from now on.
		opened.on('error', () =>
			nearestFolder(this.#folder) === place ? this.#release() : this.#onMoved(isHere),
		);
		return opened;
	}

	/** The folder or an ancestor was created or removed, and the files in it too. */
	#onMoved(wasHere: boolean): void {
		const before = nearestFolder(this.#folder);
		this.#rewatch();
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
