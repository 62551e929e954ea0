/* Make a file of the library that does not exist yet, inside its folder and nowhere else. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { OrchestraError } from '../errors.ts';

const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u;

/** Write `text` to `<folder>/<name>.md`; an existing file is never touched. Gives the path. */
export async function createFragment(folder: string, name: string, text: string): Promise<string> {
	const parts = name.replace(/\.md$/, '').split('/');
	const wrong = parts.find((part) => !NAME.test(part));
	if (wrong !== undefined) {
		throw new OrchestraError('bad_input', `"${name}" is not a name for a file of the library`, {
			hint: 'Use letters, digits, hyphens, underscores and dots; folders with /.',
		});
	}
	const path = `${join(resolve(folder), ...parts)}.md`;
	await mkdir(dirname(path), { recursive: true });
	try {
		await writeFile(path, text, { flag: 'wx' });
	} catch (error) {
		const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
		if (isThere)
			throw new OrchestraError('bad_input', `${path} exists already`, {
				hint: 'Choose another name, or edit it.',
			});
		throw OrchestraError.from(error, 'io');
	}
	return path;
}

/** A name as a title: `retry-calls` becomes `Retry calls`. */
export function titleOf(name: string): string {
	const words = (name.split('/').at(-1) ?? name).replace(/\.md$/, '').replace(/[-_]+/g, ' ').trim();
	return words.charAt(0).toUpperCase() + words.slice(1);
}
