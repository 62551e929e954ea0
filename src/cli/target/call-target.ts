/*
 * The target of `mctl call`, `show`, `run` and `list`: a server and its tool, a program or URL
 * and its tool, or a name as agents see it. What a name can belong to follows from the
 * configuration, so that nothing else is started for it.
 */
import type { Configuration, ServerEntry } from '../../config/configuration.ts';
import type { OrchestraError } from '../../errors.ts';
import { blockedReasonOf } from '../../hub/project-trust.ts';
import { toolPrefix } from '../../trust/tool-name.ts';
import type { CommandPlace } from '../command.ts';
import type { NeededSources } from '../hub-client/with-hub.ts';
import { refuseUnused } from '../problem-lines.ts';
import { brokenTool, type Project } from './project.ts';
import { disabledError, ownerOf, readTargetName, refuseBlocked } from './target-name.ts';

export interface CallTarget {
	/** A `stdio:` URI, a URL, or a server of a client as in `cursor:github`, to connect to; undefined for the hub. */
	readonly address: string | undefined;
	/** The server of a client. */
	readonly clientServer?: ServerEntry | undefined;
	/** The server of the configuration; undefined when the name says nothing about it. */
	readonly server: ServerEntry | undefined;
	/** The name at the server, or as agents see it without one. Undefined when it is missing. */
	readonly tool: string | undefined;
	/** The arguments after it. */
	readonly args: readonly string[];
	/** The sources that the hub must have; undefined for all. */
	readonly needs: NeededSources | undefined;
	/** The error of a tool of this name whose folder has a problem. */
	readonly broken?: OrchestraError | undefined;
	/** A sentence: why it is not there, when a plugin of a project that is not trusted may have it. */
	readonly blockedReason?: string | undefined;
}

/** The target that the arguments name. Throws `bad_input` for a server that is disabled, blocked or not usable. */
export async function callTarget(
	args: readonly string[],
	{ configuration, tools, blocked, configProblems, toolProblems }: Omit<Project, 'roots'>,
	{ cwd, environment }: CommandPlace,
): Promise<CallTarget> {
	const [first = '', ...rest] = args;
	const entries = { entries: configuration.mcpServers, prefixed: prefixedServers(configuration) };
	const named = await readTargetName(first, entries, { cwd, environment });
	if (named.form === 'server' && named.tool !== undefined)
		return { ...ofServer(named.entry), tool: named.tool, args: rest };
	if (named.form === 'server') return { ...ofServer(named.entry), ...toolAndArgs(rest) };
	if (named.form !== 'other') {
		const clientServer = named.form === 'client' ? named.entry : undefined;
		return { address: first, clientServer, server: undefined, needs: undefined, ...toolAndArgs(rest) };
	}
	const isOfFolder = tools.some(({ id }) => id === first);
	if (!isOfFolder) {
		refuseBlocked(first, blocked);
		refuseUnused(first, configProblems, configuration.mcpServers);
	}
	const needs = isOfFolder
		? nothing
		: (await isPlan(first, configuration, environment))
			? undefined
			: neededFor(first, configuration);
	const broken = brokenTool({ toolProblems }, first);
	const blockedReason = blockedReasonOf(first, blocked);
	return { address: undefined, server: undefined, tool: first, args: rest, needs, broken, blockedReason };
}

/** What follows a server: its tool, when the first argument is no `key=value`, and the arguments of the tool. */
function toolAndArgs(rest: readonly string[]): Pick<CallTarget, 'tool' | 'args'> {
	const [tool, ...args] = rest;
	return tool === undefined || tool.includes('=') ? { tool: undefined, args: rest } : { tool, args };
}

/** The servers whose tools are named `server__tool`. */
export function prefixedServers({ mcpServers }: Pick<Configuration, 'mcpServers'>): ServerEntry[] {
	return mcpServers.filter(({ isEnabled, settings }) => isEnabled && settings.prefix);
}

/** Whether a name is that of a saved plan, which may call any tool. */
async function isPlan(
	name: string,
	{ plans, root }: Configuration,
	environment: CommandPlace['environment'],
): Promise<boolean> {
	if (plans !== true) return false;
	const { trustedPlanFiles } = await import('../../config/trust/plan-files.ts');
	return trustedPlanFiles(root, environment).some((plan) => plan.name === name);
}

/** The sources that a hub must have for a name: its server, or every source that may have names without a prefix. */
export function neededFor(name: string, configuration: Configuration): NeededSources | undefined {
	if (/^[a-z][\w+.-]*:/i.test(name)) return undefined; // a URI may be of any server
	const { owner } = ownerOf(name, prefixedServers(configuration));
	if (owner) return { servers: [owner.name], hasPlugins: false };
	const bare = configuration.mcpServers.filter(({ settings }) => !settings.prefix);
	return { servers: bare.map((entry) => entry.name), hasPlugins: true };
}

/** `files__`, as agents see it, or nothing for a server whose tools keep their names. */
export function prefixOf({ name, settings }: Pick<ServerEntry, 'name' | 'settings'>): string {
	return settings.prefix ? toolPrefix(name) : '';
}

const nothing: NeededSources = { servers: [], hasPlugins: false };

function ofServer(server: ServerEntry): Pick<CallTarget, 'address' | 'server' | 'needs'> {
	const { name, isEnabled, file } = server;
	if (isEnabled) return { address: undefined, server, needs: { servers: [name], hasPlugins: false } };
	throw disabledError(name, file);
}
