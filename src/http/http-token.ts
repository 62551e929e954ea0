/*
 * The token of the hub's HTTP listener: a file of the state folder that only its owner
 * can read, made once. Processes that make it at the same time get the same one.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCode, OrchestraError } from '../errors.ts';
import { assertPrivate } from '../files/private-path.ts';
import { readRegularText } from '../files/regular-file.ts';
import { addSecret } from '../redact.ts';

const TOKEN_BYTES = 32;
const OPEN_TO_OTHERS = 0o077;

/** The file of the token in the state folder of a hub. */
export function tokenFile(folder: string): string {
	return join(folder, 'http-token');
}

/** The token in `file`, made if necessary. Throws `bad_input` when others can read it or it is damaged. */
export function ensureToken(file: string): string {
	return readToken(file) ?? makeToken(file);
}

function readToken(file: string): string | undefined {
	assertPrivate(file);
	const found = lstatSync(file, { throwIfNoEntry: false });
	if (found === undefined) return undefined;
	if (process.getuid && (found.mode & OPEN_TO_OTHERS) !== 0) {
		throw new OrchestraError('bad_input', `the token ${file} can be read by other users`, {
			hint: `Remove it: a new one is made. Programs that use the old one need the new one.`,
			data: { file },
		});
	}
	const token = readRegularText(file).trim();
	addSecret(token);
	if (/^[\w-]{43}$/.test(token)) return token;
	throw new OrchestraError('bad_input', `${file} does not contain a token`, {
		hint: 'Remove it: a new one is made.',
		data: { file },
	});
}

function makeToken(file: string): string {
	const token = randomBytes(TOKEN_BYTES).toString('base64url');
	addSecret(token);
	const temporary = `${file}.${process.pid}`;
	try {
		writeFileSync(temporary, `${token}\n`, { mode: 0o600 });
		// A link appears with its whole content, and never replaces the file of another process.
		linkSync(temporary, file);
		return token;
	} catch (thrown) {
		const other = isCode(thrown, 'EEXIST') ? readToken(file) : undefined;
		if (other !== undefined) return other;
		throw OrchestraError.from(thrown, 'io');
	} finally {
		rmSync(temporary, { force: true });
	}
}
