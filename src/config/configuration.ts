/* The merged configuration: variables expanded, paths absolute. */
import type { OAuthSettings } from '../oauth/auth-settings.ts';
import type { ChildLimits } from '../process/child-limits.ts';
import type { Sandbox } from '../process/sandbox.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';
import type { SecretText, SecretTexts } from '../secrets/secret-text.ts';

/** Who shares a process of a server: all clients, the calls of one client session, or nobody. */
export type ServerScope = 'shared' | 'session' | 'call';

/**
 * What happens when a server changes a tool that was accepted: nothing, a report, or the tool is held back until it is
 * accepted again.
 */
export type PinMode = 'off' | 'tell' | 'hold';

/** How the hub runs an MCP server. Times are in milliseconds. */
export interface ServerSettings {
	/** Default `shared`. */
	readonly scope: ServerScope;
	/** Deadline of a start with its handshake. Default 60 s: a first `npx` downloads. */
	readonly startMs: number;
	/** Idle timeout of a call; progress restarts it. Default 30 s. */
	readonly timeoutMs: number;
	/** Total timeout of a call. Default 10 minutes. */
	readonly maxMs: number;
	/** Idle time after which the process is stopped; 0 means never. Default 10 minutes. */
	readonly idleMs: number;
	/** Calls in flight. Default 64. */
	readonly concurrency: number;
	/** Calls that wait for one in flight. Default 1,000. */
	readonly queue: number;
	/** Whether it is started again after a crash. Default true. */
	readonly restart: boolean;
	/** Patterns of the tools that are offered; undefined for all. */
	readonly allow: readonly string[] | undefined;
	/** Patterns of the tools that are not offered. */
	readonly deny: readonly string[];
	/** New names of tools by their own names. */
	readonly rename: Readonly<Record<string, string>>;
	/** Start it with the hub, and do not stop it when idle. Default false. */
	readonly eager: boolean;
	/** Whether its tools and prompts are called `server__name`. Default true. */
	readonly prefix: boolean;
	/** Whether secrets are replaced in its results too. Default false. */
	readonly redact: boolean;
	/** Whether its messages are recorded, or the folder for the recordings. Default false. */
	readonly record: boolean | string;
	/** Default: that of all servers, else `tell`. The loaded configuration always has it. */
	readonly pin: PinMode | undefined;
}

/** An MCP server that we start ourselves. */
export interface StdioServerEntry {
	readonly kind: 'stdio';
	readonly name: string;
	readonly record: SpawnRecord;
	/** Environment variables with secret references, which are resolved at the start. */
	readonly secrets?: SecretTexts | undefined;
	readonly settings: ServerSettings;
	readonly isEnabled: boolean;
	/** The file that contains the entry. */
	readonly file: string;
}

/** An MCP server that is reached by URL. */
export interface RemoteServerEntry {
	readonly kind: 'http' | 'sse';
	readonly name: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Headers with secret references, which are resolved when it is dialed. */
	readonly secrets?: SecretTexts | undefined;
	/** How to sign in; undefined means the defaults. */
	readonly oauth: OAuthSettings | undefined;
	readonly timeoutMs: number | undefined;
	readonly settings: ServerSettings;
	readonly isEnabled: boolean;
	readonly file: string;
}

export type ServerEntry = StdioServerEntry | RemoteServerEntry;

export interface ToolsSection {
	/** Absolute folders; undefined when no file names any. */
	readonly roots: readonly string[] | undefined;
	/** Whether the bundled example tools are offered too. */
	readonly examples: boolean | undefined;
	/** Settings for tools, nested or dotted as written. */
	readonly config: Readonly<Record<string, unknown>>;
	/** Default timeout of one run, when neither the tool nor `timeouts` sets one. */
	readonly timeoutMs: number | undefined;
	/** Timeout of one run, by tool id. */
	readonly timeouts: Readonly<Record<string, number>>;
	/** What tools may reach. Default: everything that this user may. */
	readonly sandbox?: Sandbox | undefined;
	/** The same for one tool, by its id. */
	readonly sandboxes?: Readonly<Record<string, Sandbox>> | undefined;
	readonly limits?: ChildLimits | undefined;
	/** The project folder when its file is not trusted: tools below it get the default environment and nothing more. */
	readonly untrustedFolder?: string | undefined;
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
	readonly secretEnv?: SecretTexts | undefined;
	readonly secretConfig?: SecretTexts | undefined;
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

/** The addresses of the shared hub. An undefined value gets its default where it is used. */
export interface HubSection {
	/** `host:port` of the QUIC listener. */
	readonly listenAddress: string | undefined;
	/** `host:port` of the TLS listener; none when undefined. */
	readonly tcpAddress: string | undefined;
	/** Absolute folder of the certificates. */
	readonly certsDir: string | undefined;
	/** `host:port` of the HTTP listener; none when undefined. */
	readonly httpAddress: string | undefined;
	/** True when the HTTP listener may have an address that other machines reach. */
	readonly httpPublic: boolean | undefined;
	/** Absolute files of the certificate chain and key of the HTTP listener, as PEM. */
	readonly httpCert: string | undefined;
	readonly httpKey: string | undefined;
	/** Idle timeout without a client, in milliseconds; 0 means never. */
	readonly idleMs: number | undefined;
}

/** How this hub takes part in the fabric. */
export interface FabricSection {
	/** Addresses of the NATS servers, `tls://host:port`. */
	readonly servers: readonly string[];
	/** The name of this hub. */
	readonly name: string;
	/** The name of what it offers; equal workers share one. Default: `name`. */
	readonly group: string;
	/** An nkey seed or the content of a `.creds` file. */
	readonly credentials: SecretText | string | undefined;
	/** Absolute file of the certificate authority of the servers. */
	readonly ca: string | undefined;
	/** Patterns of the tools that other hubs may call. Default: none; for `mctl worker` all. */
	readonly offer: readonly string[] | undefined;
	/** Patterns of the tools of other hubs, as `group__tool`. Default: all. */
	readonly use: readonly string[] | undefined;
	/** What happens when other hubs change their tools. Default: that of all servers, else `tell`. */
	readonly pin: PinMode | undefined;
	/** The absolute file that it comes from. */
	readonly file: string;
}

/** What a rule does with a call. */
export type PolicyAction = 'allow' | 'ask' | 'deny';

/** The claims of a server about a tool that a rule can test: its annotations. */
export const claimNames = ['readOnly', 'destructive', 'openWorld', 'idempotent'] as const;

export type ToolClaims = Readonly<Record<(typeof claimNames)[number], boolean>>;

/** One rule: which calls it matches, and what happens to them. */
export interface PolicyRule {
	/** Patterns of tool names, as clients see them; `*` stands for any characters. */
	readonly tools: readonly string[];
	/** Patterns of client names. */
	readonly clients: readonly string[];
	/** Matches only tools with these claims; undefined for all tools. */
	readonly when: Readonly<Partial<ToolClaims>> | undefined;
	readonly action: PolicyAction;
	/** Shown to the caller of a refused call. */
	readonly reason: string | undefined;
	/** Whether the tools of a `deny` are left out of lists. */
	readonly hide: boolean;
	readonly file: string;
	readonly line: number;
}

export const limitNames = [
	'messageBytes',
	'requestMs',
	'idleMs',
	'listMs',
	'resultBytes',
	'toolOutputBytes',
	'toolEvents',
	'toolsAtOnce',
	'memoryBytes',
	'processes',
	'openFiles',
] as const;

export type Limits = Readonly<Partial<Record<(typeof limitNames)[number], number>>>;

/** What `tools/list` holds: every tool, or the tools that search and call the others. */
export type ExposeMode = 'search' | 'all';

/** What agents see of the tools. */
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
}

export interface Configuration {
	/** The project folder: that of the configuration file, else the working directory. */
	readonly root: string;
	/** The files that were read, highest precedence first. */
	readonly files: readonly string[];
	/** In the order of the files, the project's first. */
	readonly mcpServers: readonly ServerEntry[];
	readonly tools: ToolsSection;
	readonly library: LibrarySection;
	readonly plugins: readonly PluginEntry[];
	readonly hub: HubSection;
	readonly limits: Limits;
	/** For servers without a mode of their own: the strictest of all files. */
	readonly pin: PinMode | undefined;
	/** The rules of each file that has some; the strictest decision of all files counts. */
	readonly policy: readonly (readonly PolicyRule[])[];
	readonly toolList: ToolListSection;
	readonly views: Readonly<Record<string, ToolView>>;
	readonly clients: Readonly<Record<string, ClientSettings>>;
	/** Undefined when this hub takes no part. */
	readonly fabric: FabricSection | undefined;
}
