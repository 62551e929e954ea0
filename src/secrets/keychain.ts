/* The commands that read and write a secret of the keychain of the system: `security` on macOS, `secret-tool` on Linux. */
import { attempt, OrchestraError } from '../errors.ts';
import { childEnvironment } from '../process/environment.ts';
import { findCommand } from '../process/find-command.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';

/** The command for `service` or `service/account`. Throws `bad_input` when the system has no such program. */
export function keychainCommand(
	name: string,
	environment: Readonly<NodeJS.ProcessEnv>,
	platform: NodeJS.Platform = process.platform,
): SpawnRecord {
	const [service = '', account] = name.split('/', 2);
	if (service === '' || service.startsWith('-')) {
		throw new OrchestraError('bad_input', 'the name of a keychain entry is missing', {
			hint: `Write it as in \${keychain:github} or \${keychain:github/me}.`,
		});
	}
	const record =
		platform === 'darwin' ? security(service, account) : secretTool(service, account, environment);
	if (platform === 'win32' || !isInstalled(record.command, environment)) {
		throw new OrchestraError('bad_input', `${record.command} is not installed`, {
			hint:
				platform === 'linux'
					? 'Install libsecret-tools (Debian, Ubuntu) or libsecret (Fedora, Arch), or use ${file:…} or ${cmd:…}.'
					: 'Use ${file:…} or ${cmd:…} on this system.',
		});
	}
	return record;
}

/** The command that stores a secret and what it reads on stdin; undefined when the system has no keychain. */
export function keychainStore(
	name: string,
	value: string,
	environment: Readonly<NodeJS.ProcessEnv>,
	platform: NodeJS.Platform = process.platform,
): { readonly record: SpawnRecord; readonly input: string } | undefined {
	const [service = '', account = ''] = name.split('/', 2);
	if (platform === 'darwin') {
		const command = ['add-generic-password', '-U', '-s', service, '-a', account, '-w', quotedWord(value)];
		return { record: { command: 'security', args: ['-i'] }, input: `${command.join(' ')}\n` };
	}
	const label = `--label=Orchestra: ${account}`;
	const args = ['store', label, 'service', service, 'account', account];
	const record = { command: 'secret-tool', args, env: sessionBus(environment) };
	if (platform !== 'linux' || !isInstalled(record.command, environment)) return undefined;
	return { record, input: value };
}

/** The command that removes what `keychainStore` stored; undefined when the system has no keychain. */
export function keychainRemove(
	name: string,
	environment: Readonly<NodeJS.ProcessEnv>,
	platform: NodeJS.Platform = process.platform,
): SpawnRecord | undefined {
	const [service = '', account = ''] = name.split('/', 2);
	if (platform === 'darwin')
		return { command: 'security', args: ['delete-generic-password', '-s', service, '-a', account] };
	const args = ['clear', 'service', service, 'account', account];
	const isThere = platform === 'linux' && isInstalled('secret-tool', environment);
	return isThere ? { command: 'secret-tool', args, env: sessionBus(environment) } : undefined;
}

/** A word of the language of `security -i`. */
function quotedWord(text: string): string {
	return `"${text.replace(/["\\]/g, (character) => `\\${character}`)}"`;
}

function security(service: string, account: string | undefined): SpawnRecord {
	const of = account === undefined ? [] : ['-a', account];
	return { command: 'security', args: ['find-generic-password', '-s', service, ...of, '-w'] };
}

function secretTool(
	service: string,
	account: string | undefined,
	environment: Readonly<NodeJS.ProcessEnv>,
): SpawnRecord {
	const of = account === undefined ? [] : ['account', account];
	return {
		command: 'secret-tool',
		args: ['lookup', 'service', service, ...of],
		env: sessionBus(environment),
	};
}

/** The session bus, which the keyring listens on, is not in the minimal environment. */
function sessionBus(environment: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
	const bus = environment['DBUS_SESSION_BUS_ADDRESS'];
	return bus === undefined ? {} : { DBUS_SESSION_BUS_ADDRESS: bus };
}

function isInstalled(command: string, environment: Readonly<NodeJS.ProcessEnv>): boolean {
	return attempt(() => {
		findCommand(command, '/', childEnvironment(environment));
		return true;
	}, false);
}
