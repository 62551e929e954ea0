/*
 * One root folder cached in memory: loaded once in slices, then file by file as they
 * change. This class decides which files are read and which are gone; the `FileStore`
 * stores them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf, OrchestraError, systemCode } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { printableName } from '../../printable.ts';
import { Folder, type ReadFile } from './folder.ts';
import { FILE_COUNT_LIMIT, LOAD_SLICE_MS, READ_AHEAD_BYTES } from './library-limits.ts';
import { Watcher } from './watcher.ts';

/** Files that are read before what they hold is looked at, for each of the two runs faster by itself. */
const AHEAD_FILES = 32;

export interface FileStore {
	/** Store a file. Returns its problems. */
	put(source: ReadFile): string[];
	/** Remove a file. Returns files that must be read again. */
	drop(file: string): string[];
}

export interface LibraryRootOptions {
	root: string;
	/** How the root is called in messages. */
	label: string;
	extensions: readonly string[];
	store: FileStore;
	log: Log;
	watch: boolean;
	/** Called after changes were taken in. */
	onRefreshed: () => void;
}

export class LibraryRoot {
	readonly folder: Folder;
	readonly #options: LibraryRootOptions;
	readonly #watcher: Watcher | undefined;
	/** Files that were read, with their stamps. */
	readonly #stamps = new Map<string, string>();
	#work: Promise<void> = Promise.resolve();
	#isClosed = false;

	constructor(options: LibraryRootOptions) {
		this.#options = options;
		this.folder = new Folder(options.root, options.extensions);
		const { folder } = this;
		if (options.watch) {
			this.#watcher = new Watcher({ folder, log: options.log, onDirty: (names) => this.#refresh(names) });
		}
	}

	/** Stamps by file, of all files that are cached. */
	get stamps(): ReadonlyMap<string, string> {
		return this.#stamps;
	}

	/** Read everything; changes that happen meanwhile are taken in after it. */
	load(): Promise<void> {
		this.#work = this.#scan('').then(() => this.#watcher?.awaitRoot());
		return this.#work;
	}

	/** Stop watching; a running load ends at its next slice. */
	close(): Promise<void> {
		this.#isClosed = true;
		this.#watcher?.close();
		return this.#work;
	}

	#refresh(names: readonly string[]): void {
		this.#work = this.#work.then(() => this.#lookAt(names));
	}

	async #lookAt(names: readonly string[]): Promise<void> {
		try {
			for (const name of names) if (!this.#isClosed) await this.#look(name);
			if (!this.folder.exists) await this.#look('');
			this.#watcher?.awaitRoot();
			if (!this.#isClosed) this.#options.onRefreshed();
		} catch (error) {
			this.#options.log.error(`${this.#options.label}: changes were lost: ${messageOf(error)}`);
		}
	}

	async #look(name: string): Promise<void> {
		const kind = this.folder.kindOf(name);
		if (kind === 'file') return this.#take(name);
		this.#watcher?.forget(name);
		const seen = kind === 'folder' ? await this.#scan(name) : new Set<string>();
		for (const file of this.#filesBelow(name)) if (!seen.has(file)) this.#lose(file);
	}

	/** Read everything below `start`, giving way to other work between slices. */
	async #scan(start: string): Promise<ReadonlySet<string>> {
		const seen = new Set<string>();
		const ahead: ReadFile[] = [];
		let until = performance.now() + LOAD_SLICE_MS;
		for (const found of this.folder.walk(start)) {
			if (this.#isClosed) break;
			if (found.kind === 'folder') this.#watcher?.add(found.folder);
			else if (found.kind === 'problem') this.#warn(found.file, [found.problem]);
			else if (seen.size >= FILE_COUNT_LIMIT) {
				this.#warn(found.file, [
					`and all files after it are left out: there are more than ${FILE_COUNT_LIMIT}`,
				]);
				break;
			} else {
				seen.add(found.file);
				const source = this.#read(found.file, found.real);
				if (source) ahead.push(source);
				if (isEnough(ahead)) await this.#storeAll(ahead.splice(0));
			}
			if (performance.now() < until) continue;
			await nextTurn();
			until = performance.now() + LOAD_SLICE_MS;
		}
		await this.#storeAll(ahead);
		return seen;
	}

	#take(file: string): void {
		const source = this.#read(file);
		if (source) this.#store(source);
	}

	/** Undefined when the file is as it was, or cannot be read. */
	#read(file: string, real?: string): ReadFile | undefined {
		const known = this.#stamps.get(file);
		if (known !== undefined && known === this.folder.stampOf(file)) return undefined;
		try {
			return this.folder.read(file, real);
		} catch (error) {
			this.#refuse(file, error);
			return undefined;
		}
	}

	async #storeAll(sources: readonly ReadFile[]): Promise<void> {
		let until = performance.now() + LOAD_SLICE_MS;
		for (const source of sources) {
			if (this.#isClosed) return;
			this.#store(source);
			if (performance.now() < until) continue;
			await nextTurn();
			until = performance.now() + LOAD_SLICE_MS;
		}
	}

	#store(source: ReadFile): void {
		const { file, stamp, problem } = source;
		try {
			this.#stamps.set(file, stamp);
			const problems = this.#options.store.put(source);
			this.#warn(file, problem === undefined ? problems : [problem, ...problems]);
		} catch (error) {
			this.#refuse(file, error);
		}
	}

	#refuse(file: string, error: unknown): void {
		this.#lose(file);
		this.#stamps.set(file, this.folder.stampOf(file));
		this.#warn(file, [reasonOf(error)]);
	}

	#lose(file: string): void {
		if (!this.#stamps.delete(file)) return;
		for (const other of this.#options.store.drop(file)) {
			this.#stamps.delete(other);
			this.#take(other);
		}
	}

	#filesBelow(name: string): string[] {
		if (name === '') return [...this.#stamps.keys()];
		return [...this.#stamps.keys()].filter((file) => file === name || file.startsWith(`${name}/`));
	}

	/** One line a file, however much is wrong with it. */
	#warn(file: string, problems: readonly string[]): void {
		if (problems.length === 0) return;
		this.#options.log.warn(printableName(`${this.#options.label}/${file}: ${problems.join('; ')}`));
	}
}

function isEnough(ahead: readonly ReadFile[]): boolean {
	return ahead.length >= AHEAD_FILES || ahead.reduce((sum, { size }) => sum + size, 0) >= READ_AHEAD_BYTES;
}

/** Why a file cannot be read, without the path that the system puts into its messages. */
function reasonOf(error: unknown): string {
	if (OrchestraError.is(error)) return error.message;
	const code = systemCode(error) ?? messageOf(error);
	return `cannot be read (${code})`;
}
