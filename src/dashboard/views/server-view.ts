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
import { PinDrifts } from './pin-drifts.ts';
import type { PolicyChange } from './policy-change.ts';
import { sourceRowOf } from './source-rows.ts';

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

export class ServerView {
	readonly #deps: DashboardDeps;
	readonly #catalogue: CatalogueView;
	readonly #memory: MemorySamples;
	readonly #drifts: PinDrifts;
	readonly #policy: PolicyChange;

	constructor(
		deps: DashboardDeps,
		{ catalogue, memory, policy }: { catalogue: CatalogueView; memory: MemorySamples; policy: PolicyChange },
	) {
		this.#policy = policy;
		this.#deps = deps;
		this.#catalogue = catalogue;
		this.#memory = memory;
		this.#drifts = new PinDrifts(deps);
	}

	/** Throws `not_found`. */
	async page(id: string): Promise<ServerPage> {
		const row = sourceRowOf(id, this.#deps, this.#memory);
		if (row === undefined) throw noSuchSource(id);
		const entry = this.#entryOf(id);
		const source = this.#deps.hub.sources.find((each) => each.id === id);
		const lines = able(source, 'control')?.lines();
		const catalogue = await this.#catalogue.rowsOf(id);
		const { sources } = await this.#catalogue.costs();
		return {
			...row,
			target: entry === undefined ? null : targetOf(entry),
			source: entry?.file ?? null,
			log: lines?.last(LINES) ?? [],
			catalogue,
			environment: entry === undefined ? [] : environmentOf(entry),
			tokens: sources.find(({ backend }) => backend === id)?.tokens ?? null,
			history: lines?.events().map(eventOf) ?? [],
			rules: await this.#rulesOf(id),
			policyTarget: this.#policy.ofServer(id),
			...(row.drifted > 0 ? this.#drifts.of(id) : { drift: [], driftSha256: null }),
			commands: commandsFor(row),
		};
	}

	/** Carry out an action. Throws the reason when it fails. */
	async act(id: string, action: ServerAction, sha256?: string): Promise<DoneReply> {
		const command = serverCommand(action, id);
		let untrusted: string | undefined;
		if (action === 'enable' || action === 'disable')
			untrusted = await this.#edit(id, (file) => enabledEdit(file, id, action === 'enable'));
		else if (action === 'quarantine') untrusted = await this.#edit(id, (file) => quarantineEdit(file, id));
		else if (action === 'accept') await this.#drifts.accept(id, sha256);
		else await controlServer(this.#deps.hub, action, id);
		const message = untrusted && `The project file is not trusted, because ${untrusted}: mctl trust`;
		return { isDone: true, command, message };
	}

	/** Change the entry of a server or plugin, and use the changed configuration. Returns why the file is not trusted. */
	async #edit(id: string, edit: (file: ServerFile) => string | undefined): Promise<string | undefined> {
		const { environment, opened } = this.#deps;
		const { root } = opened.configuration();
		const entry = this.#entryOf(id);
		const files = [...entryFiles('project', root, environment), ...entryFiles('user', root, environment)];
		const file = files.find(({ path }) => path === entry?.file);
		if (entry === undefined || file === undefined) throw noSuchSource(id);
		const text = edit(file);
		if (text === undefined) return undefined;
		const untrusted = await writeServerFile(file, text, environment);
		await opened.reload();
		return untrusted;
	}

	async #rulesOf(id: string): Promise<PolicyRuleRow[]> {
		const { hub, opened } = this.#deps;
		const routes = [...(await hub.catalogue.list('tools')).routes.values()];
		const tools = routes.flatMap(({ source, toolName }) => (source.id === id && toolName ? [toolName] : []));
		return policyOf(opened.configuration()).rulesAbout(tools).map(ruleRow);
	}

	#entryOf(id: string): ServerEntry | PluginEntry | undefined {
		const { mcpServers, plugins } = this.#deps.opened.configuration();
		return mcpServers.find(({ name }) => name === id) ?? plugins.find((plugin) => plugin.id === id);
	}
}

export function isServerAction(value: unknown): value is ServerAction {
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
