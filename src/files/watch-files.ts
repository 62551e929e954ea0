/*
 * Report when one of several files is changed, created or removed.
 *
 * The folders are watched, not the files: editors replace a file rather than write
 * into it, and a file that does not exist yet cannot be watched.
 */
import { basename, dirname, resolve } from 'node:path';
import { Debounce } from './debounce.ts';
import { WATCH_DEBOUNCE_MS } from './files-limits.ts';
import { FolderWatch } from './folder-watch.ts';

/** Watch `files`; returns a function that stops it. Does not keep the process alive. */
export function watchFiles(files: readonly string[], onChange: () => void): () => void {
	const changes = new Debounce(onChange, { quietMs: WATCH_DEBOUNCE_MS });
	const paths = files.map((file) => resolve(file));
	const watches = [...new Set(paths.map((path) => dirname(path)))].map((folder) => {
		const names = paths.filter((path) => dirname(path) === folder).map((path) => basename(path));
		return new FolderWatch(folder, { names: new Set(names), onEvent: () => changes.touch() });
	});
	return () => {
		changes.close();
		for (const opened of watches) opened.close();
	};
}
