/* The merged configuration: variables expanded, paths absolute. */
import type { EntryPlace } from '../oauth/account.ts';
import type { IdentityProvider, OAuthSettings } from '../oauth/auth-settings.ts';
import type { ChildLimits } from '../process/sandbox/child-limits.ts';
import type { Sandbox } from '../process/sandbox/sandbox.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';
import type { SecretStrings, SecretText } from '../secrets/secret-text.ts';
import type { JsonValue } from '../wire/json.ts';

/** Who shares a process of a server: all clients, the calls of one client session, or nobody. */
export type ServerScope = 'shared' | 'session' | 'call';

/**
 * What happens when a server changes a tool that was accepted: nothing, a report, or the tool is in quarantine until it
 * is accepted again.
 */
export type PinMode = 'off' | 'warn' | 'quarantine';

/** The override of a parameter of a tool for clients. */
export interface ParameterOverride {
	readonly description?: string | undefined;
	/** Sent when the client sends none. */
	readonly default?: JsonValue | undefined;
	readonly hidden?: boolean | undefined;
	/** The value of a hidden parameter, sent in every call. A `SecretText` is resolved with the first. */
	readonly value?: JsonValue | SecretText | undefined;
	readonly enum?: readonly JsonValue[] | undefined;
}

/** The override of a tool for clients. */
export interface ToolOverride {
	readonly title?: string | undefined;
	readonly description?: string | undefined;
	readonly annotations?:
		| {
				readonly title?: string | undefined;
				readonly readOnlyHint?: boolean | undefined;
				readonly destructiveHint?: boolean | undefined;
				readonly idempotentHint?: boolean | undefined;
				readonly openWorldHint?: boolean | undefined;
		  }
		| undefined;
	/** Keyed by name. */
	readonly parameters?: Readonly<Record<string, ParameterOverride>> | undefined;
}

/** How the hub runs an MCP server, with its defaults. Times are in milliseconds. */
export interface ServerSettings {
	readonly scope: ServerScope;
	/** Whether the entry names the scope. */
	readonly hasOwnScope: boolean;
	readonly startMs: number;
	readonly timeoutMs: number;
	readonly maxMs: number;
	readonly idleMs: number;
	readonly concurrency: number;
	readonly queue: number;
	readonly restart: boolean;
	readonly allow: readonly string[] | undefined;
	readonly deny: readonly string[];
	/** New names of tools by their own names. */
	readonly rename: Readonly<Record<string, string>>;
	/** Keyed by the names that the server gives its tools. */
	readonly overrides: Readonly<Record<string, ToolOverride>>;
	readonly learn: boolean;
	readonly eager: boolean;
	readonly alwaysLoad: boolean;
	readonly prefix: boolean;
	readonly redact: boolean;
	/** Whether its messages are recorded, or the folder for the recordings. */
	readonly record: boolean | string;
	/** The loaded configuration always has it. */
	readonly pin: PinMode | undefined;
	readonly results: ServerResults | undefined;
	/** Whether its tools take `_select`, an expression that picks from the result. */
	readonly select: boolean;
}

/** An MCP server that we start ourselves. */
export interface StdioServerEntry {
	readonly kind: 'stdio';
	readonly name: string;
	readonly record: SpawnRecord;
	/** Absolute file with further environment variables, which is read at the start. */
	readonly envFile?: string | undefined;
	/** Environment variables with secret references, which are resolved at the start. */
	readonly secrets?: SecretStrings | undefined;
	readonly settings: ServerSettings;
	readonly isEnabled: boolean;
	/** The file that contains the entry. */
	readonly file: string;
	/** True when it is in the configuration of the user and not in that of a project. */
	readonly isOfUser?: boolean | undefined;
}

/** An MCP server that is reached by URL. */
export interface RemoteServerEntry {
	readonly kind: 'http' | 'sse' | 'ws';
	readonly name: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Headers with secret references, which are resolved when it is dialed. */
	readonly secrets?: SecretStrings | undefined;
	/** A shell command that prints headers. */
	readonly headersHelper?: string | undefined;
	/** The absolute folder that it runs in. */
	readonly cwd?: string | undefined;
	/** How to sign in; undefined means the defaults. */
	readonly oauth: OAuthSettings | undefined;
	/** Other entries with this URL, in the files that were read. */
	readonly sameUrl?: readonly EntryPlace[] | undefined;
	readonly timeoutMs: number | undefined;
	readonly settings: ServerSettings;
	readonly isEnabled: boolean;
	readonly file: string;
	readonly isOfUser?: boolean | undefined;
}

export type ServerEntry = StdioServerEntry | RemoteServerEntry;

export interface ToolsSection {
	/** Absolute folders; undefined when no file names any. */
	readonly roots: readonly string[] | undefined;
	/** Whether the bundled example tools are served too. */
	readonly examples: boolean | undefined;
	/** Settings for tools, nested or dotted as written. */
	readonly config: Readonly<Record<string, unknown>>;
	/** Default timeout of one run, when neither the tool nor `timeouts` sets one. */
	readonly timeoutMs: number | undefined;
	/** Timeout of one run, by tool id. */
	readonly timeouts: Readonly<Record<string, number>>;
	/** The sandbox of tools. Default: everything that this user may. */
	readonly sandbox?: Sandbox | undefined;
	/** The same for one tool, by its id. */
	readonly sandboxes?: Readonly<Record<string, Sandbox>> | undefined;
	readonly limits?: ChildLimits | undefined;
	/** The project folder when its file is not trusted: tools below it get the default environment and nothing more. */
	readonly untrustedFolder?: string | undefined;
	/** The project folder when `config` of its file is blocked. */
	readonly blockedConfigFolder?: string | undefined;
}

export interface LibrarySection {
	readonly prompts: string | undefined;
	readonly resources: string | undefined;
}

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

/** The shared hub. A value that is absent gets its default where it is used. Paths are absolute. */
export interface HubSection {
	readonly listenAddr: string | undefined;
	readonly tcpAddr: string | undefined;
	readonly certsDir: string | undefined;
	readonly httpAddr: string | undefined;
	readonly httpPublic: boolean | undefined;
	readonly httpCert: string | undefined;
	readonly httpKey: string | undefined;
	readonly idleMs: number | undefined;
}

/** How this hub takes part in the fabric. */
export interface FabricSection {
	/** Addresses of the NATS servers, `tls://host:port`. */
	readonly servers: readonly string[];
	/** The name of this hub. */
	readonly name: string;
	/** The name of its group; equal workers share one. Default: `name`. */
	readonly group: string;
	/** An nkey seed or the content of a `.creds` file. */
	readonly credentials: SecretText | string | undefined;
	/** Absolute file of the certificate authority of the servers. */
	readonly ca: string | undefined;
	/** Patterns of the tools that other hubs may call. Default: none; for `mctl worker` all. */
	readonly offer: readonly string[] | undefined;
	/** Patterns of the tools of other hubs, as `group__tool`. Default: all. */
	readonly use: readonly string[] | undefined;
	/** The action when other hubs change their tools. Default: that of all servers, else `warn`. */
	readonly pin: PinMode | undefined;
	/** The labels by which hubs choose this worker: `gpu`, `zone=a`. */
	readonly labels: readonly string[];
	/** Which workers may run calls of this hub; the first rule that matches a tool counts. */
	readonly rules: readonly FabricRule[];
	/** Calls of other hubs that run at once here. */
	readonly limits: FabricLimits;
	/** `host:port` for health and metrics of `mctl worker`. Default: none. */
	readonly httpAddr: string | undefined;
	/** The absolute file that it comes from. */
	readonly file: string;
}

/** Which workers may run the calls of some tools. */
export interface FabricRule {
	/** Patterns, as `group__tool`. */
	readonly tools: readonly string[];
	/** A worker needs all of these labels. */
	readonly require: readonly string[];
	/** Workers with all of these are chosen first. */
	readonly prefer: readonly string[];
}

/** How many calls of other hubs a worker runs at once; above it calls are refused. */
export interface FabricLimits {
	/** The calls of all hubs together. */
	readonly calls?: number | undefined;
	/** The calls of each hub. */
	readonly perHub?: number | undefined;
	/** The calls of each tool, by a pattern of its listed name. */
	readonly perTool?: Readonly<Record<string, number>> | undefined;
}

/** The action of a rule. */
export type PolicyAction = 'allow' | 'ask' | 'deny';

/** The claims of a server about a tool that a rule can test: its annotations. */
export type ToolClaims = Readonly<Record<'readOnly' | 'destructive' | 'openWorld' | 'idempotent', boolean>>;

/** One rule: which calls it matches, and what happens to them. */
export interface PolicyRule {
	/** Patterns of tool names, as clients see them; `*` stands for any characters. */
	readonly tools: readonly string[];
	/** Patterns of client names. */
	readonly clients: readonly string[];
	/** Matches only tools with these claims; undefined for all tools. */
	readonly when: Readonly<Partial<ToolClaims>> | undefined;
	readonly action: PolicyAction;
	/** With `ask`, `once` approves the calls of a plan together, before it runs. Default: each call by itself. */
	readonly plan?: 'once' | undefined;
	/** Shown to the caller of a refused call. */
	readonly reason: string | undefined;
	/** Whether the tools of a `deny` are left out of lists. */
	readonly hide: boolean;
	readonly file: string;
	readonly line: number;
}

/** Most calls of one client within a minute: all of them, those of one server, those of one tool. */
export interface CallRates {
	readonly client?: number | undefined;
	readonly server?: number | undefined;
	readonly tool?: number | undefined;
}

/** Bounds that a file sets. */
export interface Limits extends ChildLimits {
	readonly messageBytes?: number | undefined;
	readonly requestMs?: number | undefined;
	readonly idleMs?: number | undefined;
	readonly listMs?: number | undefined;
	readonly resultBytes?: number | undefined;
	readonly toolOutputBytes?: number | undefined;
	readonly toolEvents?: number | undefined;
	readonly toolsAtOnce?: number | undefined;
	/** Default: none. */
	readonly callsPerMinute?: CallRates | undefined;
	/** Most equal calls of a client in a row within a minute; 0 for any number. Default: that of known agents alone. */
	readonly identicalCalls?: number | undefined;
	/** The action for a call above these limits. Default: it is refused. */
	readonly exceeded?: 'refuse' | 'ask' | undefined;
}

/** The content of `tools/list`: every tool, or the tools that search and call the others. */
export type ExposeMode = 'search' | 'all';

/** The settings of the tool list for agents. */
export interface ToolListSection {
	/** Default: `search` above `exposeAbove` tools. */
	readonly expose: ExposeMode | undefined;
	/** Number of tools above which agents search. Default 60. */
	readonly exposeAbove: number | undefined;
	/** Patterns of the tools that are always listed. */
	readonly always: readonly string[];
}

/** A named part of the tools. */
export interface ToolView {
	/** Patterns of the tools in it; undefined for all. */
	readonly allow: readonly string[] | undefined;
	/** Patterns of the tools that are not in it. */
	readonly deny: readonly string[];
}

/** Settings for one client, by the name in its `clientInfo`. */
export interface ClientSettings {
	/** The name of a view. */
	readonly view: string | undefined;
	readonly expose: ExposeMode | undefined;
	readonly results: ClientResults | undefined;
}

/** How much of a result a client gets. */
export interface ClientResults {
	/** 0: all of it. Default: by a table of known agents. */
	readonly budgetTokens: number | undefined;
	/** Whether a result that did not change is answered with the handle of the earlier one. */
	readonly unchanged: boolean | undefined;
	/** Whether uniform arrays become tables. */
	readonly compact: boolean | undefined;
}

export interface ResultsSection extends ClientResults {
	/** Budgets of single tools by their pattern. */
	readonly tools: Readonly<Record<string, number>>;
}

/** The settings for the results of one server. */
export type ServerResults = Pick<ClientResults, 'budgetTokens'>;

/** How search ranks, beside its own signals. */
export interface SearchSection {
	/** An endpoint of the OpenAI form that tools, documents and queries are sent to. Undefined: nothing leaves the process. */
	readonly embeddings: EmbeddingsSection | undefined;
}

export interface EmbeddingsSection {
	/** The base of the API, as `http://127.0.0.1:11434/v1`. */
	readonly url: string;
	readonly model: string;
	readonly key: SecretText | string | undefined;
}

/** Extensions of MCP. */
export interface ExtensionsSection {
	/** Identifiers that pass between clients and servers although the hub does not know them. */
	readonly pass: readonly string[];
}

/** Calls that go on when their client is gone. */
export interface TasksSection {
	/** A call of a client with tasks that takes longer becomes a task. Default 20 s. */
	readonly detachAfterMs: number | undefined;
	/** The same by patterns of tools. */
	readonly detachAfter: Readonly<Record<string, number>>;
	/** Patterns of the tools whose calls become tasks at once. */
	readonly always: readonly string[];
	/** Whether long calls of clients without tasks are stored. Default false. */
	readonly keep: boolean | undefined;
	/** Default 24 hours. */
	readonly ttlMs: number | undefined;
	/** Default 6 hours. */
	readonly maxMs: number | undefined;
}

/** A directory of MCP servers that `mctl search` and `mctl add` ask. */
export interface RegistryEntry {
	readonly name: string;
	/** Its address, without the path of the API. */
	readonly url: string;
}

export interface Configuration {
	/** The project folder: that of the configuration file, else the working directory. */
	readonly root: string;
	/** The files that were read, highest precedence first. */
	readonly files: readonly string[];
	/** The servers in the order of the files, the project's first. */
	readonly mcpServers: readonly ServerEntry[];
	readonly tools: ToolsSection;
	readonly library: LibrarySection;
	readonly plugins: readonly PluginEntry[];
	readonly hub: HubSection;
	readonly limits: Limits;
	/** The mode of servers that name none: the strictest of all files. */
	readonly pin: PinMode | undefined;
	/** The rules of each file that has some; the strictest decision of all files counts. */
	readonly policy: readonly (readonly PolicyRule[])[];
	readonly toolList: ToolListSection;
	readonly views: Readonly<Record<string, ToolView>>;
	readonly clients: Readonly<Record<string, ClientSettings>>;
	readonly results: ResultsSection;
	readonly search: SearchSection;
	readonly extensions: ExtensionsSection;
	readonly tasks: TasksSection;
	/** Whether agents may send programs. */
	readonly plans: boolean | undefined;
	/** Undefined when this hub takes no part. */
	readonly fabric: FabricSection | undefined;
	/** The identity provider of the organisation of the user. */
	readonly identityProvider: IdentityProvider | undefined;
	/** Beside the official one; the first is queried first. */
	readonly registries: readonly RegistryEntry[];
}
