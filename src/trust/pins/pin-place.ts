/* Where the pins of an entry are: beside its project file, or in the state folder. */
import { dirname, join } from 'node:path';
import { userFile } from '../../config/load.ts';
import { LOCK_FILE } from '../../config/project-file.ts';
import { sha256 } from '../../files/sha256.ts';
import { stateFolder } from '../../files/state-folder.ts';

const ID_CHARACTERS = 16;

/** The files of one set of pins. */
export interface PinPlace {
	readonly lockFile: string;
	/** Used when the project cannot be written; undefined for the lock file of the user. */
	readonly spareFile: string | undefined;
	/** A private folder for the earlier definitions and for mutual exclusion. */
	readonly folder: string;
}

/** The place for the entries of a configuration file. */
export function pinPlace(configurationFile: string, environment: Readonly<NodeJS.ProcessEnv>): PinPlace {
	const state = stateFolder(environment);
	const isOfUser = configurationFile === userFile(environment);
	const lockFile = join(isOfUser ? state : dirname(configurationFile), LOCK_FILE);
	const folder = join(state, 'pins', sha256(lockFile).slice(0, ID_CHARACTERS));
	return { lockFile, spareFile: isOfUser ? undefined : join(folder, LOCK_FILE), folder };
}
