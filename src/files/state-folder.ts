/*
 * The folder of the state: `$XDG_STATE_HOME/orchestra`, else `~/.local/state/orchestra`.
 *
 * A relative path would name a folder of the project, and a project would bring its own
 * record of trust. As the XDG specification says, relative paths are ignored.
 */
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The state folder of this user. It may not exist. */
export function stateFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
	const state = absoluteFolder(environment['XDG_STATE_HOME']) ?? join(homeOf(environment), '.local', 'state');
	return join(state, 'orchestra');
}

/** The folder that a variable names; undefined when it is unset, empty or relative. */
export function absoluteFolder(path: string | undefined): string | undefined {
	return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** `homedir()` is `$HOME` too, so it may be relative. */
function homeOf(environment: Readonly<NodeJS.ProcessEnv>): string {
	return absoluteFolder(environment['HOME']) ?? absoluteFolder(homedir()) ?? userInfo().homedir;
}
