/*
 * The state of every configured MCP server: from the shared hub when it runs, else from
 * what is known on disk. Nothing is started.
 */
import type { Configuration, ServerEntry, ServerSettings } from '../config/configuration.ts';
import { loadConfiguration } from '../config/load.ts';
import { packageVersion } from '../files/package-version.ts';
import { stateFolder } from '../files/state-folder.ts';
import type { ServerState } from '../hub/backends/backend.ts';
import { type KnownServer, knownFileOf, readKnown } from '../hub/backends/mcp/known-server.ts';
import { commandOf } from '../hub/backends/mcp/server-failure.ts';
import { serverLogPath } from '../hub/backends/mcp/server-files.ts';
import { ToolNames } from '../hub/backends/mcp/tool-names.ts';
import type { ServerDetails } from '../hub/shared/hub-details.ts';
import type { SignInState } from '../oauth/stored-sign-in.ts';
import type { Tool } from '../protocol/mcp-types.ts';
import { prefixOf } from './call-target.ts';
import { hubFolderHere } from './hub-location.ts';

type Environment = Readonly<NodeJS.ProcessEnv>;

export interface ListedServer extends Omit<ServerDetails, 'state'> {
	/** `off` for a server that is disabled. */
	readonly state: ServerState | 'off';
	readonly kind: ServerEntry['kind'];
	readonly isEnabled: boolean;
	/** The command line, or the URL without the parts that may be secret. */
	readonly command: string;
	/** Of a remote server; null for a program on this machine. */
	readonly signIn: SignInState | null;
	/** The file with the entry. */
	readonly file: string;
	readonly settings: ServerSettings;
}

/** One for each entry, in the order of the configuration. */
export async function serverStatuses(
	{ mcpServers }: Configuration,
	environment: Environment,
): Promise<ListedServer[]> {
	const running = mcpServers.length === 0 ? [] : await fromHub(environment);
	const signIn = await signIns(mcpServers, environment);
	return mcpServers.map((entry) => {
		const live = running.find(({ name }) => name === entry.name);
		const status = entry.isEnabled && live ? live : fromDisk(entry, environment);
		const command = commandOf(entry);
		const { name, isEnabled, kind, file, settings } = entry;
		const state = isEnabled ? status.state : 'off';
		return { ...status, name, state, kind, isEnabled, command, signIn: signIn(entry), file, settings };
	});
}

/** The code of authorization is loaded only when there is a remote server. */
async function signIns(
	entries: readonly ServerEntry[],
	environment: Environment,
): Promise<(entry: ServerEntry) => SignInState | null> {
	if (entries.every(({ kind }) => kind === 'stdio')) return () => null;
	const { storedSignIn } = await import('../oauth/stored-sign-in.ts');
	return (entry) => (entry.kind === 'stdio' ? null : storedSignIn(entry, environment));
}

/** The names that a server offered last. */
export interface KnownOffers {
	readonly name: string;
	/** In front of every name, as agents see it. */
	readonly prefix: string;
	readonly tools: readonly string[];
	readonly prompts: readonly string[];
}

/** The names of all enabled servers that were seen before. */
export function knownOffers(environment: Environment): KnownOffers[] {
	const { configuration } = loadConfiguration({ cwd: process.cwd(), environment });
	return configuration.mcpServers.flatMap((entry) => {
		const known = entry.isEnabled ? knownServer(entry, environment) : undefined;
		if (known === undefined) return [];
		const tools = knownTools(entry, known).map(({ name }) => name);
		const prompts = known.prompts.map(({ name }) => name);
		return [{ name: entry.name, prefix: prefixOf(entry), tools, prompts }];
	});
}

/** A tool by the name that agents see, as its server offered it last; undefined when it is unknown. */
export function knownToolNamed(environment: Environment, name: string): Tool | undefined {
	const { configuration } = loadConfiguration({ cwd: process.cwd(), environment });
	for (const entry of configuration.mcpServers) {
		const known = entry.isEnabled ? knownServer(entry, environment) : undefined;
		const tools = known === undefined ? [] : knownTools(entry, known);
		const found = tools.find((tool) => prefixOf(entry) + tool.name === name);
		if (found) return found;
	}
	return undefined;
}

/** Undefined when the server was never seen or the file is damaged. */
function knownServer(entry: ServerEntry, environment: Environment): KnownServer | undefined {
	try {
		return readKnown(knownFileOf(stateFolder(environment), entry, packageVersion()));
	} catch {
		return undefined; // the hub warns about a damaged file and writes it again
	}
}

/** The tools that a known server offers to clients, under its own or its new names. */
function knownTools(entry: ServerEntry, known: KnownServer): readonly Tool[] {
	return new ToolNames(entry.settings).offered(known.tools);
}

/** Nothing when no hub runs or it does not respond: then the files are shown. */
async function fromHub(environment: Environment): Promise<readonly ServerDetails[]> {
	const folder = hubFolderHere(environment);
	const record = folder.running();
	if (record === undefined) return [];
	try {
		const { askHubAt } = await import('./ask-hub.ts');
		return (await askHubAt(folder, record)).servers;
	} catch {
		return []; // `mctl hub status` says what is wrong with it
	}
}

function fromDisk(entry: ServerEntry, environment: Environment): ServerDetails {
	const known = knownServer(entry, environment);
	return {
		name: entry.name,
		state: known ? 'known' : 'configured',
		pid: null,
		processes: 0,
		memoryBytes: null,
		era: known?.era ?? null,
		revision: known?.revision ?? null,
		version: known?.serverInfo?.version ?? null,
		tools: known ? knownTools(entry, known).length : null,
		lastError: null,
		nextTryAt: null,
		startedAt: null,
		calls: 0,
		logFile: serverLogPath(stateFolder(environment), entry.name),
	};
}
