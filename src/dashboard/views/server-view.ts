/* Everything about one source, and the actions on it. */
import type { PluginEntry, PolicyRule, ServerEntry } from '../../config/configuration.ts';
import { entryFiles, type ServerFile, writeServerFile } from '../../config/edit/editable-files.ts';
import { enabledEdit, quarantineEdit } from '../../config/edit/entry-switches.ts';
import { OrchestraError } from '../../errors.ts';
import { controlServer } from '../../hub/shared/hub-control.ts';
import { able, type ServerLine } from '../../hub/source.ts';
import { commandOf } from '../../hub/sources/mcp/process/server-failure.ts';
import { quoted } from '../../printable.ts';
import { commandLine } from '../../process/spawn-record.ts';
import { policyOf } from '../../trust/policy.ts';
import type { PolicyRuleRow, ServerEvent, ServerPage } from '../api/api-catalogue.ts';
import type { DoneReply, ServerAction, SourceRow } from '../api/api-types.ts';
import { logsCommand, serverCommand } from '../commands/mctl-commands.ts';
import type { DashboardDeps } from '../dashboard-deps.ts';
import type { CatalogueView } from './catalogue-view.ts';
import type { MemorySamples } from './memory-samples.ts';
import { acceptDrifts, driftsOf } from './pin-drifts.ts';
import { ruleOfServer } from './policy-change.ts';
import { sourceRows } from './source-rows.ts';

/** Lines of stderr and stdout in a reply. */
const LINES = 1000;

const actions: readonly ServerAction[] = [
	'start',
	'stop',
	'restart',
	'enable',
	'disable',
	'accept',
	'quarantine',
];

type Deps = DashboardDeps & {
	readonly catalogue: CatalogueView;
	readonly memory: MemorySamples;
};

/** Throws `not_found`. */
export async function serverPage(id: string, deps: Deps): Promise<ServerPage> {
	const row = sourceRows(deps, deps.memory).find((each) => each.id === id);
	if (row === undefined) throw noSuchSource(id);
	const entry = entryOf(id, deps);
	const source = deps.hub.sources.find((each) => each.id === id);
	const lines = able(source, 'control')?.lines();
	const catalogue = await deps.catalogue.rowsOf(id);
	const { sources } = await deps.catalogue.costs();
	return {
		...row,
		target: entry === undefined ? null : targetOf(entry),
		source: entry?.file ?? null,
		log: lines?.last(LINES) ?? [],
		catalogue,
		environment: entry === undefined ? [] : environmentOf(entry),
		tokens: sources.find(({ backend }) => backend === id)?.tokens ?? null,
		history: lines?.events().map(eventOf) ?? [],
		rules: await rulesOf(id, deps),
		policyTarget: ruleOfServer(id, deps),
		...(row.drifted > 0 ? driftsOf(id, deps) : { drift: [], driftSha256: null }),
		commands: commandsFor(row),
	};
}

/** Carry out an action; with `accept`, `sha256` is the hash of what the page showed. Throws the reason when it fails. */
export async function actOnServer(
	{ id, action, sha256 }: { id: string; action: unknown; sha256: unknown },
	deps: Deps,
): Promise<DoneReply> {
	if (!isServerAction(action))
		throw new OrchestraError('bad_input', 'a server has no such action', {
			hint: 'Use start, stop, restart, enable or disable.',
		});
	let untrusted: string | undefined;
	if (action === 'enable' || action === 'disable')
		untrusted = await editEntry(id, (file) => enabledEdit(file, id, action === 'enable'), deps);
	else if (action === 'quarantine') untrusted = await editEntry(id, (file) => quarantineEdit(file, id), deps);
	else if (action === 'accept') await acceptDrifts(id, typeof sha256 === 'string' ? sha256 : undefined, deps);
	else await controlServer(deps.hub, action, id);
	const message = untrusted && `The project file is not trusted, because ${untrusted}: mctl trust`;
	return { isDone: true, command: serverCommand(action, id), message };
}

/** Change the entry of a server or plugin, and use the changed configuration. Returns why the file is not trusted. */
async function editEntry(
	id: string,
	edit: (file: ServerFile) => string | undefined,
	deps: Deps,
): Promise<string | undefined> {
	const { environment, opened } = deps;
	const { root } = opened.configuration();
	const entry = entryOf(id, deps);
	const files = [...entryFiles('project', root, environment), ...entryFiles('user', root, environment)];
	const file = files.find(({ path }) => path === entry?.file);
	if (entry === undefined || file === undefined) throw noSuchSource(id);
	const text = edit(file);
	if (text === undefined) return undefined;
	const untrusted = await writeServerFile(file, text, environment);
	await opened.reload();
	return untrusted;
}

async function rulesOf(id: string, { hub, opened }: Deps): Promise<PolicyRuleRow[]> {
	const routes = [...(await hub.catalogue.list('tools')).routes.values()];
	const tools = routes.flatMap(({ source, toolName }) => (source.id === id && toolName ? [toolName] : []));
	return policyOf(opened.configuration()).rulesAbout(tools).map(ruleRow);
}

function entryOf(id: string, { opened }: Deps): ServerEntry | PluginEntry | undefined {
	const { mcpServers, plugins } = opened.configuration();
	return mcpServers.find(({ name }) => name === id) ?? plugins.find((plugin) => plugin.id === id);
}

function isServerAction(value: unknown): value is ServerAction {
	return actions.some((each) => each === value);
}

function noSuchSource(id: string): OrchestraError {
	return new OrchestraError('not_found', `the configuration has no server or plugin "${id}"`, {
		hint: 'mctl list servers and mctl list plugins show them.',
	});
}

function targetOf(entry: ServerEntry | PluginEntry): string {
	return 'binary' in entry ? commandLine({ command: entry.binary, args: entry.args }) : commandOf(entry);
}

/** Names of environment variables and headers; values never leave. */
function environmentOf(entry: ServerEntry | PluginEntry): string[] {
	if ('binary' in entry) return sortedNames(entry.env, entry.secretEnv);
	if (entry.kind === 'stdio') return sortedNames(entry.record.env, entry.secrets);
	return sortedNames(entry.headers, entry.secrets).map((name) => `header ${name}`);
}

function sortedNames(plain: object = {}, secret: object = {}): string[] {
	return [...new Set([...Object.keys(plain), ...Object.keys(secret)])].sort();
}

/** The first word of an event is the state: `started: pid 12`, `ended: …`, `stopped: unused`. */
function eventOf({ at, text }: ServerLine): ServerEvent {
	const [, state = text, message] = /^([a-z ]+):\s*(.*)$/s.exec(text) ?? [];
	const pid = /\bpid (\d+)/.exec(text)?.[1];
	const isPid = message === `pid ${pid}`;
	return {
		at,
		state,
		pid: pid === undefined ? null : Number(pid),
		message: isPid ? null : (message ?? null),
	};
}

function ruleRow({ action, tools, clients, when, reason, file, line }: PolicyRule): PolicyRuleRow {
	const claims = when === undefined ? '' : ` when ${JSON.stringify(when)}`;
	const match = `tools ${tools.join(', ')}, clients ${clients.join(', ')}${claims}`;
	return { decision: action, match, rule: `${file}:${line}`, reason: reason ?? null };
}

/** The commands that work for its kind: only a server or a plugin has a process, and only a server has pins and a prefix. */
function commandsFor(row: Pick<SourceRow, 'id' | 'kind'>): Record<string, string> {
	const { id, kind } = row;
	const isServer = kind === 'mcp';
	const own = isServer || kind === 'plugin' ? actions : [];
	return {
		...Object.fromEntries(
			own
				.filter((action) => isServer || (action !== 'accept' && action !== 'quarantine'))
				.map((action): [string, string] => [action, serverCommand(action, id)]),
		),
		log: logsCommand(row, true),
		check: 'mctl doctor',
		...(isServer && { policy: `mctl policy test ${quoted(id)}__TOOL` }),
	};
}
