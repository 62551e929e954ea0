/*
 * Resolve the secret references of an entry, when its child starts.
 *
 * Values are stored in memory only and are registered for redaction before anybody else
 * sees them. A failure names file, line, key and reference, never a value, and it fails
 * only the entry that has the reference.
 */
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { messageOf, OrchestraError, reasonTextOf, systemCode } from '../errors.ts';
import { readRegularText } from '../files/regular-file.ts';
import { addSecret } from '../redact.ts';
import { keychainCommand } from './keychain.ts';
import { commandOutput } from './secret-command.ts';
import { SECRET_LIMIT_BYTES } from './secret-limits.ts';
import { referenceText, type SecretReference, type SecretStrings, type SecretText } from './secret-text.ts';

export interface ResolveOptions {
	/** The environment that the minimal one of a command is taken from. */
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly signal?: AbortSignal | undefined;
}

/** `values` with those of `secrets`, resolved. Throws `bad_input` for the first that cannot be resolved. */
export async function resolveSecrets(
	values: Readonly<Record<string, string>>,
	secrets: SecretStrings | undefined,
	options: ResolveOptions,
): Promise<Record<string, string>> {
	if (secrets === undefined) return { ...values };
	const resolved = await Promise.all(
		Object.entries(secrets).map(async ([name, text]) => [name, await resolveSecret(text, options)] as const),
	);
	return { ...values, ...Object.fromEntries(resolved) };
}

/** The value of one text. Throws `bad_input` with file, line, key and reference. */
export async function resolveSecret(text: SecretText, options: ResolveOptions): Promise<string> {
	const parts = await Promise.all(
		text.parts.map(async (part) => (typeof part === 'string' ? part : resolveReference(part, text, options))),
	);
	const value = parts.join('');
	addSecret(value);
	return value;
}

async function resolveReference(
	reference: SecretReference,
	{ file, sourceLine, key }: SecretText,
	options: ResolveOptions,
): Promise<string> {
	try {
		const found = await valueOf(reference, dirname(file), options);
		const value = found.replace(/(?:\r?\n)+$/, '');
		addSecret(value);
		if (value === '') throw new OrchestraError('bad_input', 'it is empty', { hint: 'Store a value there.' });
		if (value.includes('\0')) {
			throw new OrchestraError('bad_input', 'it has a zero byte', { hint: 'Store it as text.' });
		}
		return value;
	} catch (error) {
		const { hint } = OrchestraError.from(error);
		throw new OrchestraError(
			'bad_input',
			`${file}:${sourceLine}: ${key} cannot be resolved from ${referenceText(reference)}: ${reasonOf(error)}`,
			{ hint: hint ?? `Correct ${key} in ${file}.`, data: { file, line: sourceLine, key } },
		);
	}
}

async function valueOf(
	{ kind, argument }: SecretReference,
	folder: string,
	{ environment, signal }: ResolveOptions,
): Promise<string> {
	const home = environment['HOME'] || homedir();
	switch (kind) {
		case 'file':
			return readRegularText(secretPath(argument, folder, home), SECRET_LIMIT_BYTES);
		case 'cmd':
			return commandOutput(argument, { folder, environment, signal });
		case 'keychain':
			return commandOutput(keychainCommand(argument, environment), { folder, environment, signal });
	}
}

/** The file of `${file:path}`: `~` is the home folder, a relative path is below the folder of the configuration. */
export function secretPath(argument: string, folder: string, home: string): string {
	return resolve(folder, /^~(?=\/|$)/.test(argument) ? home + argument.slice(1) : argument);
}

function reasonOf(error: unknown): string {
	if (OrchestraError.is(error)) return reasonTextOf(error);
	const code = systemCode(error);
	if (code === 'ENOENT') return 'there is no such file';
	return code === 'EACCES' ? 'you may not read that file' : (code ?? messageOf(error));
}
