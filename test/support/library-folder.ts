/* A folder of a library in a temporary place, and ways to listen to it. */
import { join } from 'node:path';
import type { LibraryChange } from '../../src/library/change.ts';
import { Library, type LibraryOptions } from '../../src/library/library.ts';
import { Log } from '../../src/log.ts';
import { temporaryFolder, writeFiles } from './workspace.ts';

/** A temporary folder with `files`, by name. */
export class LibraryFolder {
	readonly path: string = temporaryFolder();

	constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
		writeFiles(this.path, files);
	}

	at(name: string): string {
		return join(this.path, name);
	}

	write(name: string, content: string | Uint8Array): void {
		writeFiles(this.path, { [name]: content });
	}
}

/** The lines of a log as they would be printed. */
export class LogLines {
	readonly lines: string[] = [];
	readonly log: Log = new Log('library', {
		level: 'info',
		format: 'text',
		write: (line) => void this.lines.push(line.trimEnd()),
		now: () => new Date(0),
	});

	get warnings(): string[] {
		return this.lines
			.filter((line) => line.includes('[WARN]'))
			.map((line) => line.replace(/^.*?\[library\] /, ''));
	}
}

/** Open a library on temporary files, work with it, close it. */
export async function withLibrary<T>(
	files: Readonly<Record<string, string | Uint8Array>>,
	work: (library: Library, folder: LibraryFolder, log: LogLines) => Promise<T>,
	options: LibraryOptions = {},
): Promise<T> {
	const folder = new LibraryFolder(files);
	const log = new LogLines();
	const library = Library.open({
		prompts: folder.at('prompts'),
		resources: folder.at('resources'),
		log: log.log,
		...options,
	});
	try {
		return await work(library, folder, log);
	} finally {
		await library.close();
	}
}

/** The next change that `action` causes. */
export async function changeAfter(library: Library, action: () => void): Promise<LibraryChange> {
	await library.ready();
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(new Error('waited 60 s in vain for a change')), 60_000);
		const stop = library.onChange((change) => {
			clearTimeout(timer);
			stop();
			resolve(change);
		});
		action();
	});
}
