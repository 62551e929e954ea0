/* Where state is kept: `$XDG_STATE_HOME/orchestra`, else `~/.local/state/orchestra`. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The state folder of this user. It may not exist. */
export function stateFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
	const state = environment['XDG_STATE_HOME'] || join(environment['HOME'] || homedir(), '.local', 'state');
	return join(state, 'orchestra');
}
