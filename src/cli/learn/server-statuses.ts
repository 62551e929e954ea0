/*
 * The state of every configured MCP server: from the shared hub when it runs, else from
 * what is known on disk. Nothing is started.
 */
import type { Configuration, ServerEntry, ServerScope, ServerSettings } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { attempt, OrchestraError } from '../../errors.ts';
import { stateFolder } from '../../files/state-folder.ts';
import { reportOf, type SourceReport, type SourceStatus, stateOf } from '../../hub/source-status.ts';
import { ScopeChoice } from '../../hub/sources/mcp/process/scope-choice.ts';
import { commandOf } from '../../hub/sources/mcp/process/server-failure.ts';
import {
	type CachedServer,
	cacheFilesHere,
	leftOutText,
	readFailure,
	readKnown,
} from '../../hub/sources/mcp/server-cache.ts';
import { serverLogPath } from '../../hub/sources/mcp/server-files.ts';
import { OverriddenTools } from '../../hub/sources/mcp/tools/overridden-tools.ts';
import { ToolAllowlist } from '../../hub/sources/mcp/tools/tool-allowlist.ts';
import { Log } from '../../log.ts';
import type { LeftOutItem } from '../../mcp/client/list-pages.ts';
import type { SignInState } from '../../oauth/sign-in-state.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { MASK } from '../../token-shapes.ts';
import { serverNamesOf } from '../../trust/tool-name.ts';
import type { CommandPlace } from '../command.ts';
import { downLines } from '../hub-client/down-servers.ts';
import { hubFolderHere } from '../hub-client/hub-location.ts';
import { prefixOf } from '../target/call-target.ts';

type Environment = Readonly<NodeJS.ProcessEnv>;

export interface ListedServer extends SourceReport {
	readonly kind: ServerEntry['kind'];
	readonly isEnabled: boolean;
	/** The command line, or the URL without the parts that may be secret. */
	readonly command: string;
	/** The sign-in of a remote server; null for a program on this machine. */
	readonly signIn: SignInState | null;
	/** The tools that are left out of its list, and why. */
	readonly leftOut: readonly LeftOutItem[];
	/** The file with the entry. */
	readonly file: string;
	/** Without the fixed values of its overrides. */
	readonly settings: ServerSettings;
	/** The scope from its next start: `session` for a server that sends requests to its clients, unless its entry names another. */
	readonly scope: ServerScope;
}

/** One for each entry, in the order of the configuration. */
export async function serverStatuses(
	{ mcpServers }: Configuration,
	{ cwd, environment }: CommandPlace,
): Promise<ListedServer[]> {
	const running = mcpServers.length === 0 ? [] : await fromHub({ cwd, environment });
	const signIn = await signIns(mcpServers, environment);
	return mcpServers.map((entry) => {
		const live = running.find(({ name }) => name === entry.name);
		const status = entry.isEnabled && live ? live : fromDisk(entry, environment);
		const command = commandOf(entry);
		const { isEnabled, kind, file } = entry;
		const settings = { ...entry.settings, overrides: withoutValues(entry.settings.overrides) };
		const { next: scope } = new ScopeChoice({
			entry,
			files: cacheFilesHere(entry, environment),
			log: Log.silent,
		});
		const { leftOut = [] } = knownServer(entry, environment) ?? {};
		const about = { kind, isEnabled, command, signIn: signIn(entry), leftOut, file, settings, scope };
		return { ...status, ...about };
	});
}

/** The code of authorization is loaded only when there is a remote server. */
async function signIns(
	entries: readonly ServerEntry[],
	environment: Environment,
): Promise<(entry: ServerEntry) => SignInState | null> {
	if (entries.every(({ kind }) => kind === 'stdio')) return () => null;
	const { signInStateOf } = await import('../../oauth/sign-in-state.ts');
	const { otherEntries } = await import('../../config/same-url.ts');
	return (entry) =>
		entry.kind === 'stdio'
			? null
			: signInStateOf(entry, { environment, otherEntries: () => otherEntries(entry, environment) });
}

/** The names that a server listed last. */
export interface CachedNames {
	readonly name: string;
	/** The prefix of every name for agents. */
	readonly prefix: string;
	readonly tools: readonly string[];
	readonly prompts: readonly string[];
}

/** The names of all enabled servers that were seen before. */
export function cachedNames({ cwd, environment }: CommandPlace): CachedNames[] {
	const { configuration } = loadConfiguration({ cwd, environment });
	return configuration.mcpServers.flatMap((entry) => {
		const known = entry.isEnabled ? knownServer(entry, environment) : undefined;
		if (known === undefined) return [];
		const tools = knownTools(entry, known, environment).map(({ name }) => name);
		const prompts = known.prompts.map(({ name }) => name);
		return [{ name: entry.name, prefix: prefixOf(entry), tools, prompts }];
	});
}

/** A tool by the name that agents see, as its server listed it last; undefined when it is unknown. */
export function knownToolNamed({ cwd, environment }: CommandPlace, name: string): Tool | undefined {
	const { configuration } = loadConfiguration({ cwd, environment });
	const enabled = configuration.mcpServers.filter(({ isEnabled }) => isEnabled);
	const { server, tool: own } = serverNamesOf(enabled).read(name);
	const owners = enabled.filter((entry) =>
		server === undefined ? !entry.settings.prefix : entry.name === server,
	);
	for (const entry of owners) {
		const known = knownServer(entry, environment);
		const found = known && knownTools(entry, known, environment).find((tool) => tool.name === own);
		if (found) return found;
	}
	return undefined;
}

/** Undefined when the server was never seen or the file is damaged. */
function knownServer(entry: ServerEntry, environment: Environment): CachedServer | undefined {
	// The hub warns about a damaged file and writes it again.
	return attempt(() => readKnown(cacheFilesHere(entry, environment)));
}

/** The tools of a known server as clients see them, under its own or its new names. */
function knownTools(
	{ name: server, settings }: ServerEntry,
	{ tools }: CachedServer,
	environment: Environment,
): readonly Tool[] {
	const { overrides } = settings;
	const overridden = new OverriddenTools({ server, overrides, environment, log: Log.silent });
	return new ToolAllowlist(settings).exposed(overridden.apply(tools));
}

/** A value that the client does not choose may come from the environment. */
function withoutValues(overrides: ServerSettings['overrides']): ServerSettings['overrides'] {
	const shown = Object.entries(overrides).map(([tool, { parameters = {}, ...words }]) => {
		const each = Object.entries(parameters).map(([name, parameter]) => {
			return [name, parameter.value === undefined ? parameter : { ...parameter, value: MASK }] as const;
		});
		return [tool, { ...words, parameters: Object.fromEntries(each) }] as const;
	});
	return Object.fromEntries(shown);
}

/** What is missing from the lists of a server, and why. */
export function missingLines(server: ListedServer): string[] {
	return [...downLines(server), ...server.leftOut.map((item) => leftOutText(server.name, item))];
}

/** Nothing when no hub runs or it does not respond: then the files are shown. */
async function fromHub({ cwd, environment }: CommandPlace): Promise<readonly SourceReport[]> {
	const folder = hubFolderHere({ cwd, environment });
	const record = folder.running();
	if (record === undefined) return [];
	try {
		const { askHubAt } = await import('../hub-client/ask-hub.ts');
		return (await askHubAt(folder, record)).servers;
	} catch {
		return []; // `mctl hub status` says what is wrong with it
	}
}

function fromDisk(entry: ServerEntry, environment: Environment): SourceReport {
	const known = knownServer(entry, environment);
	const failure = readFailure(cacheFilesHere(entry, environment));
	const data = failure?.needsSignIn ? { status: 401 } : {};
	const error = failure && new OrchestraError('closed', failure.message, { data });
	const status: SourceStatus = {
		state: entry.isEnabled ? stateOf([], known !== undefined, error !== undefined) : 'disabled',
		error,
		era: known?.era,
		revision: known?.revision,
		version: known?.serverInfo?.version,
		tools: known && knownTools(entry, known, environment).length,
		logFile: serverLogPath(stateFolder(environment), entry.name),
	};
	return reportOf({ id: entry.name, kind: 'mcp', status }, () => null);
}
