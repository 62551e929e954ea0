/*
 * The merged configuration: variables expanded, paths absolute.
 *
 * Most types are those of the tables of keys (`sections/`), where each key is described; a
 * value that is absent gets its default where it is used. Entries are other than they are written.
 */
import type { EntryPlace } from '../oauth/account.ts';
import type { RemoteServer } from '../oauth/open-remote-transport.ts';
import type { ChildLimits } from '../process/sandbox/child-limits.ts';
import type { Sandbox } from '../process/sandbox/sandbox.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';
import type { SecretStrings } from '../secrets/secret-text.ts';
import type { Values } from './key.ts';
import type { pinModes } from './pin-mode.ts';
import type { fabricKeys, fabricLimitKeys, fabricRuleKeys } from './sections/fabric-section.ts';
import type { actions, claimKeys, policyRuleKeys } from './sections/policy-section.ts';
import type { embeddingsKeys } from './sections/search-section.ts';
import type {
	FileSections,
	hubKeys,
	limitKeys,
	rateKeys,
	registryKeys,
	tasksKeys,
	toolsKeys,
} from './sections/sections.ts';
import type { serverScopes, settingKeys } from './sections/server-entry.ts';
import type { clientKeys, exposeModes } from './sections/tool-list-section.ts';
import type { parameterKeys, toolOverrideKeys } from './sections/tool-overrides.ts';

/** Who shares a process of a server: all clients, the calls of one client session, or nobody. */
export type ServerScope = (typeof serverScopes)[number];

/**
 * What happens when a server changes a tool that was accepted: nothing, a report, or the tool is in quarantine until it
 * is accepted again.
 */
export type PinMode = (typeof pinModes)[number];

/** The override of a parameter of a tool for clients. */
export type ParameterOverride = Values<typeof parameterKeys>;

/** The override of a tool for clients. */
export type ToolOverride = Values<typeof toolOverrideKeys>;

/** How the hub runs an MCP server, with its defaults. Times are in milliseconds. */
export type ServerSettings = Values<typeof settingKeys, { readonly byDefault: unknown }> & {
	/** Whether the entry names the scope. */
	readonly hasOwnScope: boolean;
};

/** What every entry of `mcpServers` has. */
interface EntryBase {
	readonly name: string;
	readonly settings: ServerSettings;
	readonly isEnabled: boolean;
	/** The file that contains the entry. */
	readonly file: string;
	/** True when it is in the configuration of the user and not in that of a project. */
	readonly isOfUser?: boolean | undefined;
}

/** An MCP server that we start ourselves. */
export interface StdioServerEntry extends EntryBase {
	readonly kind: 'stdio';
	readonly record: SpawnRecord;
	/** Absolute file with further environment variables, which is read at the start. */
	readonly envFile?: string | undefined;
	/** Environment variables with secret references, which are resolved at the start. */
	readonly secrets?: SecretStrings | undefined;
}

/** An MCP server that is reached by URL. */
export interface RemoteServerEntry extends RemoteServer, EntryBase {
	readonly kind: 'http' | 'sse' | 'ws';
	readonly name: string;
	readonly file: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Other entries with this URL, in the files that were read. */
	readonly sameUrl?: readonly EntryPlace[] | undefined;
	readonly timeoutMs: number | undefined;
}

export type ServerEntry = StdioServerEntry | RemoteServerEntry;

export type ToolsSection = Values<typeof toolsKeys> & {
	/** The project folder when its file is not trusted: tools below it get the default environment and nothing more. */
	readonly untrustedFolder?: string;
	/** The project folder when `config` of its file is blocked. */
	readonly blockedConfigFolder?: string;
};

export interface PluginEntry {
	readonly id: string;
	/** Absolute when written with a slash, else a name to look up on PATH. */
	readonly binary: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	/** Passed to the plugin when it boots. */
	readonly config: Readonly<Record<string, string>>;
	/** Environment variables and keys of `config` with secret references. */
	readonly secretEnv?: SecretStrings | undefined;
	readonly secretConfig?: SecretStrings | undefined;
	readonly sandbox?: Sandbox | undefined;
	readonly limits?: ChildLimits | undefined;
	readonly isEnabled: boolean;
	readonly providesStorage: readonly string[];
	readonly providesAi: readonly string[];
	readonly dependsOn: readonly string[];
	/** Working directory. Default: the folder of `file`. */
	readonly cwd?: string | undefined;
	/** The file that contains the entry. */
	readonly file: string;
}

/** The shared hub. */
export type HubSection = Values<typeof hubKeys>;

/** How this hub takes part in the fabric. */
export type FabricSection = Values<typeof fabricKeys> & {
	/** The name of its group; equal workers share one. Default: `name`. */
	readonly group: string;
	/** The absolute file that it comes from. */
	readonly file: string;
};

/** Which workers may run the calls of some tools. */
export type FabricRule = Values<typeof fabricRuleKeys>;

/** How many calls of other hubs a worker runs at once; above it calls are refused. */
export type FabricLimits = Values<typeof fabricLimitKeys>;

/** The action of a rule. */
export type PolicyAction = (typeof actions)[number];

/** The claims of a server about a tool that a rule can test: its annotations. */
export type ToolClaims = Readonly<Record<keyof typeof claimKeys, boolean>>;

/** One rule: which calls it matches, and what happens to them. */
export type PolicyRule = Values<typeof policyRuleKeys> & { readonly file: string; readonly line: number };

/** Most calls of one client within a minute: all of them, those of one server, those of one tool. */
export type CallRates = Values<typeof rateKeys>;

/** Bounds that a file sets. */
export type Limits = Values<typeof limitKeys>;

/** The content of `tools/list`: every tool, or the tools that search and call the others. */
export type ExposeMode = (typeof exposeModes)[number];

/** Settings for one client, by the name in its `clientInfo`. */
export type ClientSettings = Values<typeof clientKeys>;

export type EmbeddingsSection = Values<typeof embeddingsKeys>;

/** Calls that go on when their client is gone. */
export type TasksSection = Values<typeof tasksKeys>;

/** A directory of MCP servers that `mctl search` and `mctl add` ask. */
export type RegistryEntry = Values<typeof registryKeys>;

export type Configuration = Omit<FileSections, 'tools'> & {
	readonly tools: ToolsSection;
	/** The project folder: that of the configuration file, else the working directory. */
	readonly root: string;
	/** The files that were read, highest precedence first. */
	readonly files: readonly string[];
};
