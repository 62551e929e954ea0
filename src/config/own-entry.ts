/*
 * Entries of the configuration that start this program itself.
 *
 * The file that adds `mctl serve` to an agent is the file that `mctl serve` reads, so
 * without a check the hub would start itself recursively. An entry is recognized by its
 * command; behind a wrapper script, by an environment variable: every child gets the
 * chain of entries that started it.
 */
import { realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageRoot } from '../files/package-root.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';

/** The chain of entries that started this process, outermost first: a JSON list of `file#name`. */
export const STARTED_BY = 'ORCHESTRA_STARTED_BY';

/** Longest chain that is kept. */
const CHAIN_LIMIT = 32;

/** The location of an entry. */
export interface EntryPlace {
	readonly file: string;
	/** Its name or id there. */
	readonly name: string;
}

const serverCommands = ['serve', 'bridge'];
const ownFiles = ['dist/cli/main.js', 'mctl', 'mctl.cmd'];

/** Flags that select another hub than that of the folder. */
const elsewhere = /^--(?:config|orchestrator-addr)(?:=|$)/;

/** True when this command is `mctl serve` or `mctl bridge`, however it is started, for the hub of its folder. */
export function isOwnCommand({ command, args = [] }: Pick<SpawnRecord, 'command' | 'args'>): boolean {
	const words = [command, ...args];
	if (!words.some((word) => serverCommands.includes(word))) return false;
	const at = words.findIndex(isOwnProgram);
	if (words.some((word) => elsewhere.test(word))) return false;
	return (
		at !== -1 && serverCommands.includes(words.slice(at + 1).find((word) => !word.startsWith('-')) ?? '')
	);
}

/** True when the entry is in the chain that started this process. */
export function isStartedBy(environment: Readonly<NodeJS.ProcessEnv>, entry: EntryPlace): boolean {
	return chainOf(environment).includes(linkOf(entry));
}

/** The environment variable with the chain for a child that the entry starts. */
export function markedEnvironment(
	environment: Readonly<NodeJS.ProcessEnv>,
	entry: EntryPlace,
): Record<string, string> {
	const chain = [...chainOf(environment).filter((link) => link !== linkOf(entry)), linkOf(entry)];
	return { [STARTED_BY]: JSON.stringify(chain.slice(-CHAIN_LIMIT)) };
}

function isOwnProgram(word: string): boolean {
	if (/^mctl(?:\.cmd|\.js|\.mjs)?$/i.test(basename(word))) return true;
	// Only a path can be a link to this program; a configuration may have hundreds of words.
	if (!/[/\\]/.test(word)) return false;
	const place = realPath(word);
	return place !== undefined && ownPlaces().has(place);
}

let places: ReadonlySet<string> | undefined;

function ownPlaces(): ReadonlySet<string> {
	places ??= new Set(ownFiles.flatMap((file) => realPath(join(packageRoot(), file)) ?? []));
	return places;
}

function realPath(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch {
		return undefined; // no such file
	}
}

function chainOf(environment: Readonly<NodeJS.ProcessEnv>): string[] {
	try {
		const chain: unknown = JSON.parse(environment[STARTED_BY] ?? '[]');
		return Array.isArray(chain) ? chain.filter((link) => typeof link === 'string').slice(-CHAIN_LIMIT) : [];
	} catch {
		return []; // another program's variable of the same name
	}
}

function linkOf({ file, name }: EntryPlace): string {
	return `${file}#${name}`;
}
