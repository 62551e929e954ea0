/*
 * Which plain values of the configuration are secrets: by the name of the key, header or
 * variable. A wrong guess costs a readable word in a log, or a secret, so a short plain
 * word such as `disabled` and the name of a place are not taken for one.
 */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isPlaceName, isPlainValue, isSecretName, secretsInArgs } from '../named-secrets.ts';
import { addSecret } from '../redact.ts';

/** Variables of every system: their values stand in ordinary paths and messages. */
const plainName = /^(?:HOME|PATH|PWD|OLDPWD|USER|LOGNAME|SHELL|LANG|TERM|TMPDIR|HOSTNAME|TZ|(?:LC|XDG)_\w+)$/;
/** Letters and digits without a space, long enough for a key. */
const keyValue = /^(?=\S*\d)(?=\S*[A-Za-z])\S{20,}$/;

/** Remember the value of an environment variable or key, if its name says that it is secret. */
export function registerNamedSecret(name: string, value: string): void {
	if (isSecretName(name) && !isPlainValue(value)) addSecret(value);
}

/**
 * Remember the value of a variable that stands in `env`, `headers` or `config`, whatever its name: most are credentials.
 * Left out are plain words, names of a place or a choice, and paths that exist.
 */
export function registerVariable(name: string, value: string): void {
	const isPlain = plainName.test(name) || isPlaceName(name);
	if (isPlain || isPlainValue(value) || (isAbsolute(value) && existsSync(value))) return;
	addSecret(value);
}

/** Remember the values of a command line that are secret by the name of their flag or variable. */
export function registerArgs(command: string, args: readonly string[]): void {
	for (const value of secretsInArgs(command, args)) addSecret(value);
}

/** Remember the value of a header that is a credential by its name or its form. */
export function registerHeader(name: string, value: string): void {
	if (!isSecretName(name) && !keyValue.test(value)) return;
	addSecret(value);
	// Without its scheme, as in `Bearer token`.
	addSecret(value.replace(/^[A-Za-z]+\s+/, ''));
}

/** Remember the values of a URL's query that are credentials by their name or their form. */
export function registerQuery({ searchParams }: URL): void {
	for (const [name, value] of searchParams) registerHeader(name, value);
}
