/* The command that reads a secret from the keychain of the system: `security` on macOS, `secret-tool` on Linux. */
import { OrchestraError } from '../errors.ts';
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
	// The session bus, which the keyring listens on, is not in the minimal environment.
	const bus = environment['DBUS_SESSION_BUS_ADDRESS'];
	const env: Record<string, string> = bus === undefined ? {} : { DBUS_SESSION_BUS_ADDRESS: bus };
	return { command: 'secret-tool', args: ['lookup', 'service', service, ...of], env };
}

function isInstalled(command: string, environment: Readonly<NodeJS.ProcessEnv>): boolean {
	try {
		findCommand(command, '/', childEnvironment(environment));
		return true;
	} catch {
		return false;
	}
}
