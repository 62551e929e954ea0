/*
 * The arguments of `mctl call` and `mctl show`: a server and its tool, a program or URL and
 * its tool, or a name as agents see it. What a name can belong to follows from the
 * configuration, so that nothing else is started for it.
 */
import type { Configuration, ServerEntry } from '../../config/configuration.ts';
import { type BlockedFile, blockedText, trustHint } from '../../config/trust/blocked.ts';
import { OrchestraError } from '../../errors.ts';
import { blockedReasonOf } from '../../hub/project-trust.ts';
import { quoted } from '../../printable.ts';
import { ServerNames, serverNamesOf, toolPrefix } from '../../trust/tool-name.ts';
import type { CommandPlace } from '../command.ts';
import type { NeededSources } from '../hub-client/with-hub.ts';
import { refuseUnused } from '../problem-lines.ts';
import { brokenTool, type Project } from './project.ts';

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
	const [second] = rest;
	const hasTool = second !== undefined && !second.includes('=');
	const tool = hasTool ? second : undefined;
	const after = hasTool ? rest.slice(1) : rest;
	if (isProgram(first) || isUrl(first))
		return { address: first, server: undefined, tool, args: after, needs: undefined };
	const entry = configuration.mcpServers.find(({ name }) => name === first);
	if (entry) return { ...ofServer(entry), tool, args: after };
	const clientServer = await ofClient(first, { cwd, environment });
	if (clientServer)
		return { address: first, clientServer, server: undefined, tool, args: after, needs: undefined };
	const { owner, own } = ownerOf(first, configuration);
	if (owner) return { ...ofServer(owner), tool: own, args: rest };
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

/** True for a `stdio:` URI, a URL, and a server of a client. */
export function isAddress(arg: string): boolean {
	return isProgram(arg) || isUrl(arg) || isOfClient(arg);
}

function isProgram(arg: string): boolean {
	return arg.startsWith('stdio:');
}

export function isUrl(arg: string): boolean {
	return /^https?:\/\//i.test(arg);
}

function isOfClient(arg: string): boolean {
	return /^[a-z-]+:[^/]/.test(arg);
}

/** A server of a client, as in `cursor:github`; undefined for other forms. */
export async function ofClient(
	arg: string,
	{ cwd, environment }: CommandPlace,
): Promise<ServerEntry | undefined> {
	if (!isOfClient(arg)) return undefined;
	const { clientServerNamed } = await import('./client-servers.ts');
	return clientServerNamed(arg, { cwd, environment });
}

/** Throws `bad_input` when the argument names a server or plugin of a project that is not trusted, or a tool of the server. */
export function refuseBlocked(arg: string, blocked: readonly BlockedFile[]): void {
	for (const file of blocked) {
		const isItsOwn = file.effects.some(
			({ kind, name }) =>
				(kind !== 'setting' && arg === name) ||
				(kind === 'server' && new ServerNames([name]).find(arg) !== undefined),
		);
		if (isItsOwn) throw new OrchestraError('bad_input', blockedText(file), { hint: trustHint(file) });
	}
}

/** The sources that a hub must have for a name: its server, or every source that may have names without a prefix. */
export function neededFor(name: string, configuration: Configuration): NeededSources | undefined {
	if (/^[a-z][\w+.-]*:/i.test(name)) return undefined; // a URI may be of any server
	const { owner } = ownerOf(name, configuration);
	if (owner) return { servers: [owner.name], hasPlugins: false };
	const bare = configuration.mcpServers.filter(({ settings }) => !settings.prefix);
	return { servers: bare.map((entry) => entry.name), hasPlugins: true };
}

/** `files__`, as agents see it, or nothing for a server whose tools keep their names. */
export function prefixOf({ name, settings }: Pick<ServerEntry, 'name' | 'settings'>): string {
	return settings.prefix ? toolPrefix(name) : '';
}

const nothing: NeededSources = { servers: [], hasPlugins: false };

/** The server that a name begins with, and the rest of the name. */
export function ownerOf(
	name: string,
	{ mcpServers }: Pick<Configuration, 'mcpServers'>,
): { owner: ServerEntry | undefined; own: string } {
	const enabled = mcpServers.filter(({ isEnabled }) => isEnabled);
	const { server, tool } = serverNamesOf(enabled).read(name);
	return { owner: enabled.find((entry) => entry.name === server), own: tool };
}

function ofServer(server: ServerEntry): Pick<CallTarget, 'address' | 'server' | 'needs'> {
	const { name, isEnabled, file } = server;
	if (isEnabled) return { address: undefined, server, needs: { servers: [name], hasPlugins: false } };
	throw disabledError(name, file);
}

/** About a server or plugin. */
export function disabledError(name: string, file: string): OrchestraError {
	return new OrchestraError('bad_input', `${name} is disabled in ${file}`, {
		hint: `Enable it with: mctl enable ${quoted(name)}`,
	});
}
