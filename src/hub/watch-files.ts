/*
 * Tell when one of some files changed, came or went.
 *
 * The folders are watched, not the files: editors replace a file rather than write
 * into it, and a file that does not exist yet cannot be watched.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

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
	const watches = [...new Set(files.map((file) => dirname(file)))].flatMap((folder) =>
		watchFolder(
			folder,
			new Set(files.filter((file) => dirname(file) === folder).map((file) => basename(file))),
			onEvent,
		),
	);
	return () => {
		clearTimeout(timer);
		for (const opened of watches) opened.close();
	};
}

function watchFolder(folder: string, names: ReadonlySet<string>, onEvent: () => void): FSWatcher[] {
	try {
		const opened = watch(folder, { persistent: false }, (_, name) => {
			if (name === null || names.has(name)) onEvent();
		});
		opened.on('error', () => opened.close()); // the folder went away, and the files with it
		return [opened];
	} catch {
		return []; // there is no such folder, so there is nothing in it to watch
	}
}
