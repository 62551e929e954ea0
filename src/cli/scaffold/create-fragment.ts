/* Create a file that does not exist yet; a library file only inside its folder. */
import { writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isCode, OrchestraError } from '../../errors.ts';
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
	const path = `${join(resolve(folder), ...parts)}.md`;
	await writeNewFile(path, text);
	return path;
}

/** Write a file that does not exist yet, and its folders. Throws `bad_input` when it does. */
export async function writeNewFile(path: string, text: string): Promise<void> {
	makeFolders(dirname(path));
	try {
		await writeFile(path, text, { flag: 'wx' });
	} catch (error) {
		if (!isCode(error, 'EEXIST')) throw error;
		throw new OrchestraError('bad_input', `${path} exists already`, {
			hint: 'Nothing is overwritten: choose another name, or edit it.',
		});
	}
}

/** A name as a title: `retry-calls` becomes `Retry calls`. */
export function titleOf(name: string): string {
	const words = (name.split('/').at(-1) ?? name).replace(/\.md$/, '').replace(/[-_]+/g, ' ').trim();
	return words.charAt(0).toUpperCase() + words.slice(1);
}
