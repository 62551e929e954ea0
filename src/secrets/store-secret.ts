/*
 * Store a secret that the user typed, and name it: in the keychain of the system, or in a
 * file that only this user can read where there is no keychain.
 *
 * The value reaches the program on its stdin: every process can read a command line.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { OrchestraError } from '../errors.ts';
import { makeFolders } from '../files/make-folders.ts';
import { assertPrivate } from '../files/private-path.ts';
import { replaceFile } from '../files/replace-file.ts';
import { sha256 } from '../files/sha256.ts';
import { stateFolder } from '../files/state-folder.ts';
import { addSecret } from '../redact.ts';
import { keychainRemove, keychainStore } from './keychain.ts';
import type { ResolveOptions } from './resolve-secret.ts';
import { commandOutput } from './secret-command.ts';
import { SHOWN_NAME_CHARACTERS } from './secret-limits.ts';

const SERVICE = 'orchestra';
const FOLDER = 'secrets';
const HASH_CHARACTERS = 16;
/** A reference to an item of the keychain that this program stored. */
const storedAccount = /^\$\{keychain:orchestra\/([\w.-]+-[\da-f]{16})\}$/;

/**
 * Store `value` for an owner, and return the reference for the configuration. @param owner the file, the server and the
 * name of the value: servers of two projects may have one name
 */
export async function storeSecret(
	owner: readonly string[],
	value: string,
	{ environment, signal }: ResolveOptions,
): Promise<string> {
	addSecret(value);
	if (/[\n\r\0]/.test(value)) {
		throw new OrchestraError('bad_input', 'a secret is one line', {
			hint: `For more, write it to a file and use \${file:path}.`,
		});
	}
	const account = accountOf(owner);
	const command = keychainStore(`${SERVICE}/${account}`, value, environment);
	if (command !== undefined) {
		try {
			await commandOutput(command.record, { folder: '/', environment, signal, input: command.input });
			return `\${keychain:${SERVICE}/${account}}`;
		} catch {
			signal?.throwIfAborted();
			// There is the program but no keyring that is open, as on a server: a file it is.
		}
	}
	const folder = join(stateFolder(environment), FOLDER);
	const path = join(folder, account);
	makeFolders(folder, 0o700);
	assertPrivate(folder);
	replaceFile(path, Buffer.from(`${value}\n`), { mode: 0o600 });
	return `\${file:${path}}`;
}

/** The references that `storeSecret` may give for this owner. */
export function possibleReferences(
	owner: readonly string[],
	environment: Readonly<NodeJS.ProcessEnv>,
): string[] {
	const account = accountOf(owner);
	return [
		`\${keychain:${SERVICE}/${account}}`,
		`\${file:${join(stateFolder(environment), FOLDER, account)}}`,
	];
}

/** Remove the secrets of these references that `storeSecret` stored. Others stay: they are the user's. */
export async function removeStored(
	references: readonly string[],
	environment: Readonly<NodeJS.ProcessEnv>,
): Promise<void> {
	const folder = join(stateFolder(environment), FOLDER);
	for (const reference of references) {
		for (const path of storedFile(reference))
			if (path.startsWith(join(folder, '/')) && !path.includes('..')) rmSync(path, { force: true });
		const account = storedAccount.exec(reference)?.[1];
		const command = account && keychainRemove(`${SERVICE}/${account}`, environment);
		// The keychain has no such item, or is locked.
		if (command) await commandOutput(command, { folder: '/', environment }).catch(() => '');
	}
}

/** The file that a reference names, if any. */
export function storedFile(reference: string): string[] {
	const path = /^\$\{file:(.+)\}$/.exec(reference)?.[1];
	return path === undefined ? [] : [path];
}

/** A name for users, and a hash that no other owner has. */
function accountOf(owner: readonly string[]): string {
	const shown = owner
		.slice(1)
		.join('-')
		.replace(/[^\w.-]/g, '-')
		.slice(0, SHOWN_NAME_CHARACTERS);
	return `${shown}-${sha256(JSON.stringify(owner)).slice(0, HASH_CHARACTERS)}`;
}
