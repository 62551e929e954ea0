/*
 * Report when one of some files changed, came or went.
 *
 * The folders are watched, not the files: editors replace a file rather than write
 * into it, and a file that does not exist yet cannot be watched.
 */
import { basename, dirname, resolve } from 'node:path';
import { FolderWatch } from '../files/folder-watch.ts';

/** How long after a change it is reported, in milliseconds: a burst of changes is one. */
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
		return new FolderWatch(folder, { names: new Set(names), onEvent });
	});
	return () => {
		clearTimeout(timer);
		for (const opened of watches) opened.close();
	};
}
