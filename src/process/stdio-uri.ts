/*
 * `stdio:` URIs: the command line of a program, without a shell.
 *
 * Percent-escapes are decoded first, so `%20` separates arguments like a space.
 */
import { attempt, OrchestraError } from '../errors.ts';
import type { SpawnRecord } from './spawn-record.ts';
import { splitCommandLine } from './split-command-line.ts';

const SCHEME = 'stdio:';

/** Parse a `stdio:` URI. Throws `bad_input` for another scheme, a missing command or an unclosed quote. */
export function parseStdioUri(uri: string): SpawnRecord {
	if (!uri.startsWith(SCHEME)) {
		throw new OrchestraError('bad_input', `"${uri}" is not a stdio: URI`, {
			hint: `Write ${SCHEME} and the command line, for example ${SCHEME}python3 server.py`,
		});
	}
	const [command, ...args] = splitCommandLine(percentDecode(uri.slice(SCHEME.length)), `the URI "${uri}"`);
	if (command === undefined || command === '') {
		throw new OrchestraError('bad_input', `the URI "${uri}" names no command`, {
			hint: `Write the command after the colon, for example ${SCHEME}cat`,
		});
	}
	return { command, args };
}

/** Invalid escapes, such as the `%s` of a date format, stay as they are. */
function percentDecode(text: string): string {
	return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
		// What is not UTF-8 is no escape.
		return attempt(() => decodeURIComponent(escapes), escapes);
	});
}
