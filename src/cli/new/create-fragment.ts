/* Create a file that does not exist yet; a library file only inside its folder. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isCode, messageOf, OrchestraError } from '../../errors.ts';
import { makeFolders } from '../../files/make-folders.ts';

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/** Write `text` to `<folder>/<name>.md`; an existing file is never touched. Returns the path. */
export async function createFragment(folder: string, name: string, text: string): Promise<string> {
	const parts = name.replace(/\.md$/, '').split('/');
	const wrong = parts.find((part) => !NAME.test(part));
	if (wrong !== undefined) {
		throw new OrchestraError('bad_input', `"${name}" is not a name for a file of the library`, {
			hint: 'Use letters, digits, hyphens, underscores and dots; folders with /.',
		});
	}
	const path = `${join(folder, ...parts)}.md`;
	await writeNewFile(path, text);
	return path;
}

/** Write a file that does not exist yet, and its folders. Throws `bad_input` when it does. */
export async function writeNewFile(path: string, text: string): Promise<void> {
	try {
		makeFolders(dirname(path));
		await writeFile(path, text, { flag: 'wx' });
	} catch (error) {
		if (!isCode(error, 'EEXIST')) throw unwritable(path, error);
		throw new OrchestraError('bad_input', `${path} exists already`, {
			hint: 'Nothing is overwritten: choose another name, or edit it.',
		});
	}
}

/** The error for a file or folder that cannot be made. */
export function unwritable(path: string, error: unknown): OrchestraError {
	return new OrchestraError('io', `${path} cannot be made: ${messageOf(error)}`, {
		cause: error,
		hint: 'Choose another folder, or make this one writable.',
	});
}

/** A name as a title: `retry-calls` becomes `Retry calls`. */
export function titleOf(name: string): string {
	const title = lastPart(name).replace(/[-_]+/g, ' ').trim();
	return title.charAt(0).toUpperCase() + title.slice(1);
}

/** The name of a file of the library without its folders and its ending. */
export function lastPart(name: string): string {
	return (name.split('/').at(-1) ?? name).replace(/\.md$/, '');
}
