/*
 * Entries of the configuration that start this program itself.
 *
 * The file that adds `mctl serve` to an agent is the file that `mctl serve` reads, so
 * without a check the hub would start itself recursively. An entry is recognized by its
 * command; behind a shell or a script, by an environment variable: every child gets the
 * chain of hubs and entries that started it. A chain does not lead to a hub twice, also
 * not through other hubs: a bridge passes its chain to the hub that it connects to, whose
 * children get it too. Nor is it longer than a bound, so a loop of any length ends.
 *
 * Hubs that run may be connected in a circle without having started each other. Then the
 * items of their lists have the path they came on (`hub/hub-path.ts`).
 */
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { attempt, OrchestraError } from '../errors.ts';
import { makeFolders } from '../files/make-folders.ts';
import { packageRoot } from '../files/package-root.ts';
import { sha256 } from '../files/sha256.ts';
import { readState, writeState } from '../files/state-file.ts';
import { stateFolder } from '../files/state-folder.ts';
import type { EntryPlace } from '../oauth/account.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';
import { decodePercent } from '../protocol/uri-template.ts';
import { HUB_CHAIN_LIMIT, JOINED_CHAIN_LIMIT } from './config-limits.ts';
import { projectRoot } from './project-file.ts';
import type { FileSections } from './sections/sections.ts';

/** The chain that started this process, outermost first: a JSON list of `hub:place` and `file#name`. */
export const STARTED_BY = 'ORCHESTRA_STARTED_BY';

/** The same chain in a request of a hub to a listener on loopback, percent-encoded. */
export const STARTED_BY_HEADER = 'orchestra-started-by';

const HUB_ID_CHARACTERS = 24;

const serverCommands = ['serve', 'bridge'];
const selfFiles = ['dist/cli/main.js', 'mctl', 'mctl.cmd'];

/** Flags that select another hub than that of the folder. */
const elsewhere = /^--(?:config|orchestrator-addr)(?:=|$)/;

/** True when this command is `mctl serve` or `mctl bridge`, however it is started, for the hub of its folder. */
export function isSelfCommand({ command, args = [] }: Pick<SpawnRecord, 'command' | 'args'>): boolean {
	const commandLine = [command, ...args];
	if (!commandLine.some((arg) => serverCommands.includes(arg))) return false;
	const at = commandLine.findIndex(isSelfProgram);
	if (commandLine.some((arg) => elsewhere.test(arg))) return false;
	return (
		at !== -1 && serverCommands.includes(commandLine.slice(at + 1).find((arg) => !arg.startsWith('-')) ?? '')
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
	return { [STARTED_BY]: JSON.stringify(chain.slice(-HUB_CHAIN_LIMIT)) };
}

/** Throws `bad_input` when the hub of this place (its folder, or its one file) is in the chain that started this process, or the chain is too long. */
export function refuseSelf(environment: Readonly<NodeJS.ProcessEnv>, place: string): void {
	const chain = chainOf(environment);
	const entry = chain.at(-1) ?? '';
	if (chain.length >= HUB_CHAIN_LIMIT)
		throw new OrchestraError('bad_input', `hubs and entries that start each other: ${chain.length}`, {
			hint: `The last one is "${entry}". Remove an entry of the chain.`,
			data: { chain },
		});
	if (!chain.includes(hubLink(place))) return;
	throw new OrchestraError('bad_input', `this process was started by the hub of ${place}, as "${entry}"`, {
		hint: 'A hub does not use itself, through a shell or another hub either: remove that entry.',
		data: { chain },
	});
}

/**
 * The id of the hub whose children have this environment, the same in all its processes; undefined outside of a hub.
 * It says nothing about the machine or the folder.
 */
export function hubIdIn(environment: Readonly<NodeJS.ProcessEnv>): string | undefined {
	const link = chainOf(environment).at(-1);
	if (link === undefined || !link.startsWith(HUB)) return undefined;
	return sha256(`${machineId(environment)}\0${link}`).slice(0, HUB_ID_CHARACTERS);
}

/** Random, written once to the state folder. */
function machineId(environment: Readonly<NodeJS.ProcessEnv>): string {
	const folder = stateFolder(environment);
	const file = join(folder, 'hub-salt.json');
	try {
		const known = readState(file);
		if (typeof known === 'string') return known;
		makeFolders(folder, 0o700);
		writeState(file, randomUUID());
		return String(readState(file));
	} catch {
		return hostname(); // nothing can be stored
	}
}

/** The chain of a hub for its children: what started it, and what started the bridges that are connected. */
export class HubChain {
	/** The hub in a chain. */
	readonly #own: string;
	readonly #base: readonly string[];
	readonly #joined = new Map<object, readonly string[]>();

	constructor(environment: Readonly<NodeJS.ProcessEnv>, place: string) {
		this.#own = hubLink(place);
		this.#base = chainOf(environment).filter((link) => link !== this.#own);
	}

	/** The value of the variable. */
	get text(): string {
		const joined = [...new Set([...this.#joined.values()].flat())].slice(-JOINED_CHAIN_LIMIT);
		return JSON.stringify([...new Set([...this.#base, ...joined]), this.#own].slice(-HUB_CHAIN_LIMIT));
	}

	/** The environment for children, with the chain of the moment in which it is read. */
	within(environment: Readonly<NodeJS.ProcessEnv>): Readonly<NodeJS.ProcessEnv> {
		return Object.defineProperty({ ...environment }, STARTED_BY, { get: () => this.text, enumerable: true });
	}

	/** Whether the header of a request says that it comes from an entry of this hub. */
	isSelfRequest(header: string | string[] | undefined): boolean {
		return typeof header === 'string' && chainIn(decodePercent(header)).includes(this.#own);
	}

	/** A bridge was started by this chain. Returns the function for its end; undefined when this hub is in the chain. */
	join(text: string | undefined): (() => void) | undefined {
		const chain = chainIn(text);
		if (chain.includes(this.#own)) return undefined;
		const client = {};
		if (chain.length > 0) this.#joined.set(client, chain);
		return () => void this.#joined.delete(client);
	}
}

const HUB = 'hub:';

function hubLink(place: string): string {
	return `${HUB}${place}`;
}

function isSelfProgram(word: string): boolean {
	if (/^mctl(?:\.cmd|\.js|\.mjs)?$/i.test(basename(word))) return true;
	// Only a path can be a link to this program; a configuration may have hundreds of arguments.
	return /[/\\]/.test(word) && isSelfFile(word);
}

/** True when the path is this program or a link to it: an installed package links its main file, a checkout its script. */
export function isSelfFile(path: string): boolean {
	const place = realPath(path);
	return place !== undefined && selfPlaces().has(place);
}

let places: ReadonlySet<string> | undefined;

function selfPlaces(): ReadonlySet<string> {
	places ??= new Set(selfFiles.flatMap((file) => realPath(join(packageRoot(), file)) ?? []));
	return places;
}

function realPath(path: string): string | undefined {
	// There may be no such file.
	return attempt(() => realpathSync(path));
}

function chainOf(environment: Readonly<NodeJS.ProcessEnv>): string[] {
	return chainIn(environment[STARTED_BY]);
}

function chainIn(text = '[]'): string[] {
	// It may be another program's variable of the same name.
	return attempt(() => {
		const chain: unknown = JSON.parse(text);
		return Array.isArray(chain)
			? chain.filter((link) => typeof link === 'string').slice(-HUB_CHAIN_LIMIT)
			: [];
	}, []);
}

function linkOf({ file, name }: EntryPlace): string {
	return `${file}#${name}`;
}

/** Without those entries; `skipped` gets a sentence for each. */
export function withoutSelf(
	sections: FileSections,
	{ environment, root }: { environment: Readonly<NodeJS.ProcessEnv>; root: string },
	skipped: string[],
): FileSections {
	const isOther = (place: EntryPlace, record: SpawnRecord): boolean => {
		// The arguments first: to find a root is several system calls, and a configuration may have hundreds of entries.
		const isSelf = isSelfCommand(record) && projectRoot(record.cwd ?? root, environment['HOME']) === root;
		if (!isSelf && !isStartedBy(environment, place)) return true;
		const why = isSelf ? 'is this program itself' : 'started this process';
		skipped.push(`"${place.name}" in ${place.file} ${why}, so it is not started from here`);
		return false;
	};
	return {
		...sections,
		mcpServers: sections.mcpServers.filter(
			(server) => server.kind !== 'stdio' || isOther(server, server.record),
		),
		plugins: sections.plugins.filter(({ id, binary, args, file }) =>
			isOther({ name: id, file }, { command: binary, args }),
		),
	};
}
