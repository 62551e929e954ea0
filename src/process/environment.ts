/*
 * The environment of a child: the variables that a program needs to run, plus those of
 * the configuration. Tokens and keys of the parent are not inherited by accident.
 */
import { certificateNames } from './sandbox/certificate-variables.ts';

const posixNames = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'TMPDIR'];
const windowsNames = [
	'APPDATA',
	'COMSPEC',
	'HOMEDRIVE',
	'HOMEPATH',
	'LOCALAPPDATA',
	'PATH',
	'PATHEXT',
	'PROCESSOR_ARCHITECTURE',
	'PROGRAMDATA',
	'PROGRAMFILES',
	'SYSTEMDRIVE',
	'SYSTEMROOT',
	'TEMP',
	'TMP',
	'USERNAME',
	'USERPROFILE',
];
const proxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const networkNames = [...proxyNames, ...certificateNames];
const posixBase: ReadonlySet<string> = new Set([...posixNames, ...networkNames]);
const windowsBase: ReadonlySet<string> = new Set([...windowsNames, ...networkNames]);

/** The minimal environment from `parent`, overlaid with `extra`. */
export function childEnvironment(
	parent: Readonly<NodeJS.ProcessEnv>,
	extra: Readonly<Record<string, string>> = {},
	platform: NodeJS.Platform = process.platform,
): Record<string, string> {
	const base = platform === 'win32' ? windowsBase : posixBase;
	const environment: Record<string, string> = {};
	// Names first: each read of a `process.env` value is a system call.
	for (const name of Object.keys(parent)) {
		const key = platform === 'win32' || proxyNames.includes(name.toUpperCase()) ? name.toUpperCase() : name;
		if (!(base.has(key) || name.startsWith('LC_'))) continue;
		const value = parent[name];
		// An exported shell function is code, not a setting.
		if (value !== undefined && !value.startsWith('()')) environment[name] = value;
	}
	return { ...environment, ...extra };
}
