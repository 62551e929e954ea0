/*
 * The records of trust in other state folders of this user.
 *
 * A shell may set `XDG_STATE_HOME` and an agent drop it: then both have records of their
 * own, and a project that was trusted in the shell is not trusted for the agent. So a
 * record outside of the home folder's usual place is named there. Nothing is trusted by
 * it: it lets a message say where the trust is.
 */
import { join } from 'node:path';
import { withFolderLock } from '../../files/folder-lock.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { assertPrivate } from '../../files/private-path.ts';
import { readState, writeState } from '../../files/state-file.ts';
import { absoluteFolder, stateFolder } from '../../files/state-folder.ts';
import { isObject } from '../../wire/json.ts';
import { STATE_FOLDERS_LIMIT } from '../config-limits.ts';

type Environment = Readonly<NodeJS.ProcessEnv>;

/** Remember that this user has a record of trust in this state folder. */
export async function recordStateFolder(environment: Environment): Promise<void> {
	const own = stateFolder(environment);
	const usual = usualFolder(environment);
	if (usual === undefined || usual === own) return;
	try {
		const folder = join(usual, 'trust');
		makeFolders(folder, 0o700);
		assertPrivate(folder);
		await withFolderLock(folder, async () => {
			const known = readFolders(folder);
			if (known.includes(own)) return;
			writeState(join(folder, FILE), { stateFolders: [own, ...known].slice(0, STATE_FOLDERS_LIMIT) });
		});
	} catch {
		// A home folder that cannot be written: messages say less.
	}
}

/** The other state folders of this user that may have a record of trust. */
export function otherStateFolders(environment: Environment): string[] {
	const usual = usualFolder(environment);
	if (usual === undefined) return [];
	return [usual, ...readFolders(join(usual, 'trust'))].filter(
		(folder) => folder !== stateFolder(environment),
	);
}

const FILE = 'state-folders.json';

/** The one without `XDG_STATE_HOME`; undefined when the environment names no home folder. */
function usualFolder({ HOME }: Environment): string | undefined {
	return absoluteFolder(HOME) === undefined ? undefined : stateFolder({ HOME });
}

function readFolders(folder: string): string[] {
	assertPrivate(folder);
	const value = readState(join(folder, FILE));
	const found = isObject(value) && Array.isArray(value['stateFolders']) ? value['stateFolders'] : [];
	return found.filter(
		(path): path is string => typeof path === 'string' && absoluteFolder(path) !== undefined,
	);
}
