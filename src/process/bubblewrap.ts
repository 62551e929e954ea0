/*
 * The command line of bubblewrap for a sandbox.
 *
 * The whole system is mounted read-only, or only the listed folders and those of the
 * system. Each home folder is an empty one with its visible entries, so a dotfile that
 * is made later stays hidden too. /tmp and /run are private, because sockets there
 * reach other programs. The environment is inherited and not an argument: it may have
 * secrets. The processes stay in the group of the child and keep its mark.
 */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { isInside } from '../files/is-inside.ts';
import { spawnError } from './find-command.ts';
import type { FoundProgram, Sandbox } from './sandbox.ts';

/** What every program needs, when only listed folders can be read. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc'];
const privateFolders = ['/tmp', '/var/tmp', '/run'];
/** With a network: the name servers, which a link in /etc may lead to. */
const resolverFolders = ['/run/systemd/resolve', '/run/NetworkManager', '/run/resolvconf'];
/** Most visible entries of a home folder. */
const HOME_ENTRIES = 2000;

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
	const args = [
		...isolation(sandbox),
		...(wide.includes('/') ? bind('--ro-bind', ['/']) : system()),
		...bind(
			'--ro-bind',
			wide.filter((path) => path !== '/'),
		),
		...['--dev', '/dev', '--proc', '/proc'],
		...privateFolders.filter((path) => isFolder(path)).flatMap((path) => ['--tmpfs', path]),
		...(sandbox.network ? resolverFolders.flatMap((path) => ['--ro-bind-try', path, path]) : []),
		...(wide.length > 0 ? [...homes.flatMap(withoutDotfiles), ...hidden(environment)] : []),
		...bind('--ro-bind', narrow),
		...ownFile(program, { homes, visible: [...narrow, ...write], seesAll: wide.includes('/') }),
		...bind('--bind', write),
		...bind('--ro-bind', sandbox.protect.filter((path) => existsSync(path)).map(realPath)),
		...readOnlyAtLast(wide, homes),
		...['--chdir', realPath(program.cwd), '--', program.file, ...program.args],
	];
	return { args, cwd: '/', env: { ...program.env, TMPDIR: '/tmp' } };
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

function isolation({ network }: Sandbox): string[] {
	const shared = network ? [] : ['--unshare-net'];
	const own = ['--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try'];
	return ['--die-with-parent', '--unshare-user-try', ...own, ...shared, '--cap-drop', 'ALL'];
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
	const mounts = visible.slice(0, HOME_ENTRIES).flatMap((name) => {
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
function ownFile({ file }: FoundProgram, { homes, visible, seesAll }: Visibility): string[] {
	const isIn = (folders: readonly string[]): boolean => folders.some((folder) => isInside(file, folder));
	const isSeen = seesAll ? !isIn([...homes, ...privateFolders]) : isIn(systemFolders);
	return isSeen || isIn(visible) ? [] : ['--ro-bind', realPath(file), file];
}

function bind(option: string, paths: readonly string[]): string[] {
	// An outer folder first: a later mount hides what is below it.
	const sorted = [...new Set(paths)].sort((a, b) => a.length - b.length);
	return sorted.flatMap((path) => [option, path, path]);
}

/** Of this environment and of this user: an entry may set another HOME. */
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

function isFolder(path: string): boolean {
	try {
		return lstatSync(path).isDirectory() || lstatSync(realpathSync(path)).isDirectory();
	} catch {
		return false; // missing
	}
}
