/* Where the hub stores files about MCP servers: the last lists of each, and its stderr. */
import { join } from 'node:path';
import { FILE_NAME_CHARACTERS } from '../source-limits.ts';

/** The folder of all servers, below the state folder. */
export function serversFolder(folder: string): string {
	return join(folder, 'servers');
}

/** The log with the stderr of a server, below the state folder. The older part is in the same file with `.1`. */
export function serverLogPath(folder: string, name: string): string {
	const safe = encodeURIComponent(name).slice(0, FILE_NAME_CHARACTERS);
	return join(serversFolder(folder), `${safe}.log`);
}
