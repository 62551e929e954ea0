/*
 * A root folder, and the only way to its files.
 *
 * Every file is opened through here, and only when its real place is inside the
 * real root: a link that leads out is reported and skipped. Names are
 * relative to the root with `/` on every system; no message has a path of the
 * machine. Reading is synchronous on purpose: for small files it is five times
 * faster than the asynchronous kind, and the loader yields to the event loop every few
 * milliseconds.
 */
import {
	closeSync,
	constants,
	Dirent,
	fstatSync,
	openSync,
	readdirSync,
	readSync,
	realpathSync,
	type Stats,
	statSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { attempt, messageOf, OrchestraError, systemCode } from '../../errors.ts';
import { FOLDER_DEPTH } from '../../files/files-limits.ts';
import { isInside } from '../../files/is-inside.ts';
import type { SourceFile } from './fragment.ts';
import { FILE_LIMIT_BYTES, READ_SCRATCH_BYTES } from './library-limits.ts';

/** A step of a walk: a file, a folder before it is entered, or a problem. */
export type FoundFile =
	| { kind: 'file'; file: string; real: string }
	| { kind: 'folder'; folder: string }
	| { kind: 'problem'; file: string; problem: string };

export interface ReadFile extends SourceFile {
	/** Changes whenever the file does. */
	stamp: string;
	problem?: string;
}

const skippedFolders = new Set(['node_modules']);

export class Folder {
	/** The root as it was given, absolute. */
	readonly path: string;
	readonly #extensions: readonly string[];
	readonly #limitBytes: number;
	readonly #scratch = Buffer.allocUnsafe(READ_SCRATCH_BYTES);

	/**
	 * @param extensions the endings of the files that count, lower case with dot
	 * @param limitBytes the largest file that is read
	 */
	constructor(path: string, extensions: readonly string[], limitBytes: number = FILE_LIMIT_BYTES) {
		this.path = path;
		this.#extensions = extensions;
		this.#limitBytes = limitBytes;
	}

	get exists(): boolean {
		return statSync(this.path, { throwIfNoEntry: false })?.isDirectory() === true;
	}

	/** The absolute path of a name below the root. */
	locate(name: string): string {
		return name === '' ? this.path : join(this.path, ...name.split('/'));
	}

	/** What is at `name` now, links followed as long as they stay inside. */
	kindOf(name: string): 'file' | 'folder' | 'missing' {
		const real = this.#realPathInside(name);
		const found = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
		if (found?.isDirectory()) return 'folder';
		return found?.isFile() && this.#counts(name) ? 'file' : 'missing';
	}

	/** Everything below `start`, sorted, hidden names left out. A missing folder is empty. */
	*walk(start = '', above: readonly string[] = []): Generator<FoundFile> {
		const real = this.#realPathInside(start);
		if (real === undefined) return;
		if (above.includes(real)) return yield problem(start, 'is a link to a folder that contains it');
		if (above.length >= FOLDER_DEPTH)
			return yield problem(start, `is more than ${FOLDER_DEPTH} folders deep`);
		yield { kind: 'folder', folder: start };
		const chain = [...above, real];
		for (const entry of this.#list(start)) {
			if (entry instanceof Dirent)
				yield* this.#visit(start === '' ? entry.name : `${start}/${entry.name}`, entry, chain);
			else yield entry;
		}
	}

	/** The text of a file, by its real path when a walk just found it. Throws `not_found`, or `bad_input` with the reason why it cannot be served. */
	read(file: string, real: string | undefined = this.#realPathInside(file)): ReadFile {
		return this.#open(file, real, (handle, found) => ({
			file,
			size: found.size,
			stamp: stampOf(found),
			...decode(this.#readBytes(handle, found.size)),
		}));
	}

	/** The bytes of a file. Throws as `read` does. */
	bytes(file: string): Buffer {
		return this.#open(file, this.#realPathInside(file), (handle, { size }) =>
			Buffer.from(this.#readBytes(handle, size)),
		);
	}

	#open<T>(file: string, real: string | undefined, read: (handle: number, found: Stats) => T): T {
		if (real === undefined) throw new OrchestraError('not_found', `${file} is not inside the library`);
		// A named pipe must not block us, nor a link that was created since.
		const handle = openSync(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
		try {
			const found = fstatSync(handle);
			if (!found.isFile()) throw new OrchestraError('not_found', `${file} is not a file`);
			if (found.size > this.#limitBytes) throw tooLarge(file, found.size, this.#limitBytes);
			return read(handle, found);
		} finally {
			closeSync(handle);
		}
	}

	/** The stamp of a file, to see whether it changed; empty when it is gone. */
	stampOf(file: string): string {
		const found = statSync(this.locate(file), { throwIfNoEntry: false });
		return found ? stampOf(found) : '';
	}

	/**
	 * At most `size` bytes, which was checked: a file that grows meanwhile is read again when its
	 * change is reported. They stay as they are until the next file is read.
	 */
	#readBytes(handle: number, size: number): Buffer {
		const bytes = size <= READ_SCRATCH_BYTES ? this.#scratch : Buffer.allocUnsafe(size);
		let length = 0;
		while (length < size) {
			const count = readSync(handle, bytes, length, size - length, length);
			if (count === 0) break;
			length += count;
		}
		return bytes.subarray(0, length);
	}

	*#visit(name: string, entry: Dirent, above: readonly string[]): Generator<FoundFile> {
		if (entry.isDirectory()) return yield* this.walk(name, above);
		if (entry.isFile()) {
			if (this.#counts(name)) yield { kind: 'file', file: name, real: `${above.at(-1)}${sep}${entry.name}` };
			return;
		}
		if (!entry.isSymbolicLink()) {
			if (this.#counts(name)) yield problem(name, 'is a pipe, a socket or a device, and is left out');
			return;
		}
		const real = this.#realPathInside(name);
		if (real === undefined)
			return yield problem(name, 'is a link that leads out of the library or nowhere, and is left out');
		const kind = this.kindOf(name);
		if (kind === 'folder') yield* this.walk(name, above);
		else if (kind === 'file') yield { kind, file: name, real };
	}

	#list(folder: string): Array<Dirent | FoundFile> {
		try {
			const entries = readdirSync(this.locate(folder), { withFileTypes: true });
			const visible = entries.filter(({ name }) => !name.startsWith('.') && !skippedFolders.has(name));
			return visible.sort((a, b) => (a.name < b.name ? -1 : 1));
		} catch (error) {
			const code = systemCode(error) ?? messageOf(error);
			return [problem(folder, `cannot be listed (${code})`)];
		}
	}

	#counts(name: string): boolean {
		const lower = name.toLowerCase();
		return this.#extensions.some((extension) => lower.endsWith(extension));
	}

	/** The real place of a name; undefined when it is missing or outside. */
	#realPathInside(name: string): string | undefined {
		// Where it is missing, a link to nowhere or a circle of links, there is nothing to serve.
		return attempt(() => {
			const root = realpathSync.native(this.path);
			const real = realpathSync.native(this.locate(name));
			return isInside(real, root) ? real : undefined;
		});
	}
}

function problem(file: string, text: string): FoundFile {
	return { kind: 'problem', file, problem: text };
}

function stampOf({ mtimeMs, size, ino }: { mtimeMs: number; size: number; ino: number }): string {
	return `${mtimeMs}:${size}:${ino}`;
}

function tooLarge(file: string, size: number, limit: number): OrchestraError {
	return new OrchestraError(
		'bad_input',
		`has ${size} bytes, more than the ${limit} allowed, and is left out`,
		{
			hint: 'Split the file.',
			data: { file, size, limit },
		},
	);
}

function decode(bytes: Buffer): { text: string; problem?: string } {
	const text = bytes.toString('utf8');
	const isWhole = !text.includes('\uFFFD') || Buffer.from(text, 'utf8').equals(bytes);
	return isWhole ? { text } : { text, problem: 'is not valid UTF-8; the broken bytes show as \uFFFD' };
}
