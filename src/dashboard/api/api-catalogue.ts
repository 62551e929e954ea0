/* The items of the hub and how it is set up, in the dashboard's API: catalogue, servers, library, settings. Types only. */
import type { MatchReason } from '../../search/document.ts';
import type { ApiObject, LogLine, ProblemRow, SourceRow } from './api-types.ts';

/** Everything that can be called or read, in short rows. */
export interface CatalogueReply {
	/** Rises with each change. */
	readonly version: number;
	readonly backends: readonly string[];
	readonly rows: readonly CatalogueRow[];
}

export type CatalogueKind = 'tool' | 'prompt' | 'resource' | 'template' | 'skill';

/** Kind, name or URI, index in `backends`, and the first line of the description. */
export type CatalogueRow = readonly [CatalogueKind, string, number, string];

export interface ToolReply {
	readonly name: string;
	readonly backend: string;
	/** The definition that `tools/list` gives: name, title, description, inputSchema, outputSchema, annotations, icons. */
	readonly tool: ApiObject;
	/** The parameters in one line. */
	readonly signature: string;
	/** The decision of the policy for this client without arguments, and the rule as `file:line`. */
	readonly policy: string | null;
	readonly rule: string | null;
	/** The pattern of a rule about it; null when none can name it. */
	readonly policyTarget: PolicyTarget | null;
	/** Calls the tool in a terminal; the page adds the arguments as JSON. */
	readonly command: string;
}

export interface PromptReply {
	readonly name: string;
	readonly backend: string;
	/** The definition that `prompts/list` gives: name, title, description, arguments. */
	readonly prompt: ApiObject;
	/** Gets the prompt in a terminal; the page adds the arguments. */
	readonly command: string;
}

/** Null when no server lists it. */
export interface ResourceReply {
	readonly backend: string | null;
	/** The definition that `resources/list` or `resources/templates/list` gives: name, title, description, mimeType, size. */
	readonly resource: ApiObject | null;
}

export interface SearchReply {
	/** Best first. */
	readonly hits: readonly ToolSearchHit[];
	readonly ms: number;
}

export interface ToolSearchHit {
	readonly kind: CatalogueKind;
	readonly name: string;
	readonly backend: string;
	readonly summary: string;
	readonly score: number;
	readonly why: readonly MatchReason[];
}

/** Everything about one backend. */
export interface ServerPage extends SourceRow {
	/** The command or URL of the entry, with secrets replaced; null for the hub's own. */
	readonly target: string | null;
	/** Where its entry is, as `file`; null for the hub's own. */
	readonly source: string | null;
	/** stderr and stray stdout, oldest first. */
	readonly log: readonly LogLine[];
	readonly catalogue: readonly CatalogueRow[];
	/** Names only, never values. */
	readonly environment: readonly string[];
	/** The tokens of the definitions of its tools; null when they are not known. */
	readonly tokens: number | null;
	readonly history: readonly ServerEvent[];
	/** Rules of the policy that match its tools. */
	readonly rules: readonly PolicyRuleRow[];
	/** The pattern of a rule about all its tools; null when no pattern matches them alone. */
	readonly policyTarget: PolicyTarget | null;
	readonly drift: readonly DriftRow[];
	/** The hash of the tools as they are now. Send it with `accept`, so that nothing is accepted that was not shown. */
	readonly driftSha256: string | null;
	/** The `mctl` command of each action, and of others that may help, by name. */
	readonly commands: Readonly<Record<string, string>>;
}

/** A change of the state of a server. */
export interface ServerEvent {
	readonly at: number;
	readonly state: string;
	readonly pid: number | null;
	readonly message: string | null;
}

/** The tools of a new rule, and the file that gets it. */
export interface PolicyTarget {
	/** The name or pattern of tools. */
	readonly tools: string;
	readonly file: string | null;
	/** Whether the file is the user's own, for all projects. */
	readonly isOfUser: boolean;
}

export interface PolicyRequest {
	readonly server: string;
	/** Without one the rule is about all tools of the server. */
	readonly tool?: string | undefined;
	readonly action: 'allow' | 'ask' | 'deny';
}

export interface PolicyRuleRow {
	readonly decision: string;
	/** The patterns of the rule, in words. */
	readonly match: string;
	/** `file:line` */
	readonly rule: string;
	readonly reason: string | null;
}

/** A part of the catalogue that differs from the pinned one. */
export interface DriftRow {
	readonly kind: CatalogueKind | 'server';
	readonly name: string;
	readonly change: 'added' | 'removed' | 'changed';
	/** `description`, `inputSchema`, …; a tool has a row for each part that differs. Null when the values are not known. */
	readonly part: string | null;
	/** The text before and after, for a word diff. */
	readonly before: string | null;
	readonly after: string | null;
	/** Whether it is left out of lists until it is accepted. */
	readonly isQuarantined: boolean;
	/** The findings of the scan about it. */
	readonly findings: readonly string[];
}

export interface SkillsReply {
	/** Sorted by URI. */
	readonly skills: readonly SkillRow[];
}

/** A skill of a server, the library or the project. */
export interface SkillRow {
	/** The URI of its SKILL.md; `/api/resource?uri=` reads it. */
	readonly uri: string;
	readonly name: string;
	readonly description: string;
	/** The number of its files and of their bytes; null when only its server knows them. */
	readonly files: number | null;
	readonly bytes: number | null;
	/** Patterns of the tools that it says it uses. */
	readonly tools: readonly string[];
	/** Shows it in a terminal. */
	readonly command: string;
}

export interface LibraryReply {
	/** Best first; all documents by URI when the query is empty. */
	readonly matches: readonly LibraryMatch[];
	/** Tokens of the matches that fit the budget. */
	readonly tokens: number;
	readonly budget: number | null;
	/** Documents that match. */
	readonly total: number;
	/** There are more documents than `matches`. */
	readonly isCut: boolean;
	readonly ms: number;
}

export interface LibraryMatch {
	readonly uri: string;
	readonly title: string;
	readonly summary: string;
	readonly category: string;
	readonly tags: readonly string[];
	readonly tokens: number;
	/** The score from 0 to 1, relative to the best. */
	readonly score: number;
	readonly why: readonly MatchReason[];
	/** False for a match that does not fit the budget. */
	readonly isWithinBudget: boolean;
}

export interface LibraryDocument {
	readonly uri: string;
	readonly mimeType: string;
	/** Markdown. */
	readonly text: string;
	readonly tokens: number;
	readonly command: string;
}

export interface SettingsReply {
	/** The files in order of precedence, the strongest first. */
	readonly files: readonly SettingsFile[];
	/** The configuration as merged, one row per value, with secrets replaced. */
	readonly values: readonly SettingRow[];
	readonly problems: readonly ProblemRow[];
	readonly notes: readonly string[];
}

export interface SettingsFile {
	readonly path: string;
	/** `project`, `user`, `client`. */
	readonly kind: string;
	readonly exists: boolean;
}

export interface SettingRow {
	/** `mcpServers.github.command` */
	readonly key: string;
	/** The value as JSON. */
	readonly value: string;
	/** Where it comes from, as `file:line`, marked when it is blocked; `default` when no file has it. */
	readonly source: string;
}
