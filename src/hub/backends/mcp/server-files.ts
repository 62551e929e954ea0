/* Where the hub keeps files about MCP servers: what each offered last, and its stderr. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Longest file name made of the name of a server, without the ending. */
const FILE_NAME_CHARACTERS = 100;

/** `$XDG_STATE_HOME/orchestra`. */
export function stateFolderOf(environment: Readonly<NodeJS.ProcessEnv>): string {
	const home = environment['HOME'] || homedir();
	return join(environment['XDG_STATE_HOME'] || join(home, '.local', 'state'), 'orchestra');
}

/** The folder of all servers, below the state folder. */
export function serversFolder(stateFolder: string): string {
	return join(stateFolder, 'servers');
}

/** The log with the stderr of a server. The older part is in the same file with `.1`. */
export function serverLogPath(stateFolder: string, name: string): string {
	const safe = encodeURIComponent(name).slice(0, FILE_NAME_CHARACTERS);
	return join(serversFolder(stateFolder), `${safe}.log`);
}
