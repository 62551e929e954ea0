/*
 * Replace the text of a configuration file of ours, one process at a time.
 *
 * A file is compared with what was read and then renamed into place: between the two, another
 * mctl or a hub could write it, and its edit would be lost. So they take turns, under a lock of
 * the state folder. A program that is not ours knows no such lock; what it writes in that moment
 * is noticed by the comparison, as far as one can.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../errors.ts';
import { withFolderLock } from '../../files/folder-lock.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { readIfPresent, replaceFile } from '../../files/replace-file.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { emptyConfigurationText } from '../new-configuration.ts';
import { trustEdit } from '../trust/trust-edit.ts';

const FOLDER = 'edits';

export interface ConfigFile {
	readonly path: string;
	/** A file of the user is private and needs no trust. */
	readonly isOfUser: boolean;
	/** The bytes that it must have; default: those that it has now. */
	readonly expected?: { readonly bytes: Buffer | undefined };
}

/**
 * Replace the text of the file by what `edit` makes of it; the same text writes nothing, and a file that is not there
 * begins with its `$schema`. Returns the reason when a file of
 * the project is not trusted afterwards. Throws `bad_input` when the file is not as expected.
 */
export async function editConfigFile(
	{ path, isOfUser, expected }: ConfigFile,
	edit: (text: string) => string,
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<string | undefined> {
	const write = async (): Promise<string | undefined> => {
		const before = expected ? expected.bytes : readIfPresent(path);
		const text = before?.toString('utf8') ?? emptyConfigurationText(dirname(path));
		const edited = edit(text);
		const after = Buffer.from(edited);
		const untrusted = isOfUser ? undefined : await trustEdit({ path, before, after }, environment);
		if (edited !== text || before === undefined)
			replaceFile(path, after, { expected: { bytes: before }, mode: isOfUser ? 0o600 : 0o644 });
		return untrusted;
	};
	const folder = join(stateFolder(environment), FOLDER);
	attempt(() => makeFolders(folder, 0o700)); // a home that cannot be written has a project that can be
	return existsSync(folder) ? withFolderLock(folder, write) : write();
}
