/*
 * The command line of bubblewrap for a sandbox.
 *
 * The whole system is mounted read-only, or only the listed folders and those of the
 * system. Each home folder is an empty one with its visible entries, so a dotfile that
 * is made later stays hidden too. /tmp and /run are private, because sockets there
 * reach other programs. What of /proc belongs to the machine is read-only, because root may
 * write it. The environment is inherited and not an argument: it may have
 * secrets. The processes stay in the group of the child and keep its mark.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { attempt } from '../../errors.ts';
import { isInside } from '../../files/is-inside.ts';
import { spawnError } from '../find-command.ts';
import { SANDBOX_HOME_ENTRIES } from '../process-limits.ts';
import { type CertificatePath, certificatePaths } from './certificate-variables.ts';
import type { FoundProgram, Sandbox } from './sandbox.ts';

/** The folders that every program needs, when only listed folders can be read. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc'];
const privateFolders = ['/tmp', '/var/tmp', '/run'];
/** The name servers, which a link in /etc may lead to; needed with a network only. */
const resolverFolders = ['/run/systemd/resolve', '/run/NetworkManager', '/run/resolvconf'];
const WRITE_BITS = 0o222;

/** The arguments of `bwrap` for the program; its environment has a private `TMPDIR`. */
export function bubblewrapped(
	program: FoundProgram,
	sandbox: Sandbox,
	environment: Readonly<NodeJS.ProcessEnv>,
): Omit<FoundProgram, 'file'> {
	const homes = homeFolders(environment);
	const write = sandbox.write.map(realPath);
	const read = [...sandbox.read.map(realPath), realPath(program.cwd)];
	const open = write.find((path) => homes.some((home) => isInside(home, path)));
	if (open !== undefined) {
		throw spawnError(
			`its sandbox would make ${open} writable, and with it the home folder`,
			'Name narrower folders in `sandbox.write`.',
			{ path: open },
		);
	}
	const wide = read.filter((path) => homes.some((home) => isInside(home, path)));
	const narrow = read.filter((path) => !wide.includes(path));
	const visibility = { homes, visible: [...narrow, ...write], seesAll: wide.includes('/') };
	const certificates = certificateMounts(program, environment, visibility);
	const args = [
		...isolation(sandbox),
		...(wide.includes('/') ? bind('--ro-bind', ['/']) : system()),
		...bind(
			'--ro-bind',
			wide.filter((path) => path !== '/'),
		),
		...['--dev', '/dev', '--proc', '/proc'],
		...bind('--ro-bind-try', machineFiles()),
		...privateFolders.filter((path) => isFolder(path)).flatMap((path) => ['--tmpfs', path]),
		...(sandbox.network ? resolverFolders.flatMap((path) => ['--ro-bind-try', path, path]) : []),
		...(wide.length > 0 ? [...homes.flatMap(withoutDotfiles), ...hidden(environment)] : []),
		...bind('--ro-bind', narrow),
		...programFile(program, visibility),
		...certificates.mounts,
		...bind('--bind', write),
		...bind('--ro-bind', sandbox.protect.filter((path) => existsSync(path)).map(realPath)),
		...readOnlyAtLast(wide, homes),
		...['--chdir', realPath(program.cwd), '--', program.file, ...program.args],
	];
	return { args, cwd: '/', env: { ...program.env, TMPDIR: '/tmp' }, warnings: certificates.warnings };
}

/** The empty folders that mounts were made in. */
function readOnlyAtLast(wide: readonly string[], homes: readonly string[]): string[] {
	const made = [
		...(wide.length > 0 ? homes : []),
		...(isFolder('/run') ? ['/run'] : []),
		...(wide.includes('/') ? [] : ['/']),
	];
	return made.flatMap((path) => ['--remount-ro', path]);
}

/**
 * What of /proc belongs to the machine and not to a process. The kernel lets root write it by its user id alone, without
 * a capability: `core_pattern` names a program that it then starts outside of the sandbox.
 */
function machineFiles(): string[] {
	const entries = readdirSync('/proc', { withFileTypes: true });
	return entries.flatMap((entry) => {
		if (/^\d+$/.test(entry.name)) return [];
		const path = join('/proc', entry.name);
		return entry.isDirectory() || (entry.isFile() && isWritable(path)) ? [path] : [];
	});
}

function isolation({ network }: Sandbox): string[] {
	const shared = network ? [] : ['--unshare-net'];
	const namespaces = ['--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'];
	return ['--die-with-parent', '--unshare-user-try', ...namespaces, ...shared, '--cap-drop', 'ALL'];
}

/** A merged system has links such as /bin → usr/bin. */
function system(): string[] {
	return systemFolders.flatMap((path) => {
		const found = lstatSync(path, { throwIfNoEntry: false });
		if (found === undefined) return [];
		return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
	});
}

function withoutDotfiles(home: string): string[] {
	const visible = readdirSync(home).filter((name) => !name.startsWith('.'));
	const mounts = visible.slice(0, SANDBOX_HOME_ENTRIES).flatMap((name) => {
		const path = join(home, name);
		const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
		return isLink ? ['--symlink', readlinkSync(path), path] : ['--ro-bind-try', path, path];
	});
	return ['--tmpfs', home, ...mounts];
}

/** The folders that are dotfiles of the home folder, unless the environment says otherwise. */
function hidden(environment: Readonly<NodeJS.ProcessEnv>): string[] {
	const named = ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME'];
	const folders = named
		.map((name) => environment[name] ?? '')
		.filter((path) => path !== '/' && isFolder(path));
	return folders.flatMap((path) => ['--tmpfs', realPath(path), '--remount-ro', realPath(path)]);
}

interface Visibility {
	readonly homes: readonly string[];
	readonly visible: readonly string[];
	readonly seesAll: boolean;
}

/** The program itself can be read wherever it is. */
function programFile({ file }: FoundProgram, visibility: Visibility): string[] {
	return isSeen(file, visibility) ? [] : ['--ro-bind', realPath(file), file];
}

/** Whether a path can be read without a mount of its own. The visible entries of a home folder count as hidden. */
function isSeen(path: string, { homes, visible, seesAll }: Visibility): boolean {
	const isIn = (folders: readonly string[]): boolean => folders.some((folder) => isInside(path, folder));
	return (seesAll ? !isIn([...homes, ...privateFolders]) : isIn(systemFolders)) || isIn(visible);
}

/** Not a dotfile, nor a link to one. */
function isVisibleInHome(path: string, homes: readonly string[]): boolean {
	return homes.some(
		(home) => path.startsWith(`${home}/`) && path[home.length + 1] !== '.' && realPath(path) === path,
	);
}

/**
 * The certificate authorities that the variables of this user name can be read. Those of an entry cannot, unless its
 * sandbox shows them: else a configuration could show any file by naming it.
 */
function certificateMounts(
	{ env }: FoundProgram,
	environment: Readonly<NodeJS.ProcessEnv>,
	visibility: Visibility,
): { mounts: string[]; warnings: string[] } {
	const hidden = certificatePaths(env).filter(({ path }) => existsSync(path) && !isSeen(path, visibility));
	const isOfUser = ({ name, path }: CertificatePath): boolean =>
		env[name] === environment[name] && !visibility.homes.some((home) => isInside(home, realPath(path)));
	const mounts = hidden.filter(isOfUser).flatMap(({ path }) => ['--ro-bind', realPath(path), path]);
	const warnings = hidden
		.filter(
			(each) => !isOfUser(each) && !(visibility.seesAll && isVisibleInHome(each.path, visibility.homes)),
		)
		.map(({ name, path }) => `${name} is ${path}, which its sandbox hides: add it to \`sandbox.read\``);
	return { mounts, warnings };
}

function bind(option: string, paths: readonly string[]): string[] {
	// An outer folder first: a later mount hides what is below it.
	const sorted = [...new Set(paths)].sort((a, b) => a.length - b.length);
	return sorted.flatMap((path) => [option, path, path]);
}

/** The home folders of this environment and of this user: an entry may set another HOME. */
function homeFolders({ HOME }: Readonly<NodeJS.ProcessEnv>): string[] {
	const known = [HOME ?? '', homedir(), userInfo().homedir].filter((path) => path !== '');
	const real = known.filter((path) => isFolder(path)).map(realPath);
	return [...new Set(real)].filter((path) => path !== '/');
}

function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		throw spawnError(`the path ${path} of its sandbox does not exist`, 'Correct `sandbox`, or create it.', {
			path,
		});
	}
}

/** True when any user may write to it. */
function isWritable(path: string): boolean {
	const mode = lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0;
	return (mode & WRITE_BITS) !== 0;
}

function isFolder(path: string): boolean {
	// It may be missing.
	return attempt(() => lstatSync(path).isDirectory() || lstatSync(realpathSync(path)).isDirectory(), false);
}
