/* Everything about one backend, and the actions on it. */
import type { PluginEntry, PolicyRule, ServerEntry } from '../config/configuration.ts';
import { entryFiles, type ServerFile, writeServerFile } from '../config/edit/editable-files.ts';
import { enabledEdit } from '../config/edit/enable-server.ts';
import { holdEdit } from '../config/edit/hold-server.ts';
import { OrchestraError } from '../errors.ts';
import type { ServerLine } from '../hub/backends/backend.ts';
import { controlServer } from '../hub/shared/hub-control.ts';
import { quoted } from '../printable.ts';
import { matchesWildcard } from '../trust/wildcard.ts';
import type { PolicyRuleRow, ServerEvent, ServerPage } from './api-offers.ts';
import type { BackendRow, DoneReply, ServerAction } from './api-types.ts';
import { backendRowOf } from './backend-rows.ts';
import type { CatalogueView } from './catalogue-view.ts';
import type { DashboardParts } from './dashboard-parts.ts';
import { logsCommand, serverCommand } from './mctl-commands.ts';
import type { MemorySamples } from './memory-samples.ts';
import { PinDrifts } from './pin-drifts.ts';
import type { PolicyChange } from './policy-change.ts';

/** Lines of stderr and stdout in a reply. */
const LINES = 1000;

const actions: readonly ServerAction[] = ['start', 'stop', 'restart', 'enable', 'disable', 'accept', 'hold'];

export class ServerView {
	readonly #parts: DashboardParts;
	readonly #catalogue: CatalogueView;
	readonly #memory: MemorySamples;
	readonly #drifts: PinDrifts;
	readonly #policy: PolicyChange;

	constructor(
		parts: DashboardParts,
		{ catalogue, memory, policy }: { catalogue: CatalogueView; memory: MemorySamples; policy: PolicyChange },
	) {
		this.#policy = policy;
		this.#parts = parts;
		this.#catalogue = catalogue;
		this.#memory = memory;
		this.#drifts = new PinDrifts(parts);
	}

	/** Throws `not_found`. */
	async page(id: string): Promise<ServerPage> {
		const row = backendRowOf(id, this.#parts, this.#memory);
		if (row === undefined) throw noSuchBackend(id);
		const entry = this.#entryOf(id);
		const backend = this.#parts.hub.backends.find((each) => each.id === id);
		const lines = backend?.lines?.();
		const catalogue = await this.#catalogue.rowsOf(id);
		const names = catalogue.filter(([kind]) => kind === 'tool').map((offer) => offer[1]);
		return {
			...row,
			target: entry === undefined ? null : targetOf(entry),
			source: entry?.file ?? null,
			log: lines?.last(LINES) ?? [],
			logFile: backend?.serverStatus?.().logFile ?? null,
			catalogue,
			environment: entry === undefined ? [] : environmentOf(entry),
			history: lines?.notes().map(eventOf) ?? [],
			rules: this.#parts.opened.configuration().policy.flat().filter(matchesAny(names)).map(ruleRow),
			policyTarget: this.#policy.ofServer(id),
			...(row.hasDrift ? this.#drifts.of(id) : { drift: [], driftSha256: null }),
			commands: commandsFor(row),
		};
	}

	/** Carry out an action. Throws the reason when it fails. */
	async act(id: string, action: ServerAction, sha256?: string): Promise<DoneReply> {
		const command = serverCommand(action, id);
		let untrusted: string | undefined;
		if (action === 'enable' || action === 'disable')
			untrusted = await this.#edit(id, (file) => enabledEdit(file, id, action === 'enable'));
		else if (action === 'hold') untrusted = await this.#edit(id, (file) => holdEdit(file, id));
		else if (action === 'accept') await this.#drifts.accept(id, sha256);
		else await controlServer(this.#parts.hub, action, id);
		const message = untrusted && `The project file is not trusted, because ${untrusted}: mctl trust`;
		return { isDone: true, command, message };
	}

	/** Change the entry of a server or plugin, and use the changed configuration. Returns why the file is not trusted. */
	async #edit(id: string, edit: (file: ServerFile) => string | undefined): Promise<string | undefined> {
		const { environment, opened } = this.#parts;
		const { root } = opened.configuration();
		const entry = this.#entryOf(id);
		const files = [...entryFiles('project', root, environment), ...entryFiles('user', root, environment)];
		const file = files.find(({ path }) => path === entry?.file);
		if (entry === undefined || file === undefined) throw noSuchBackend(id);
		const text = edit(file);
		if (text === undefined) return undefined;
		const untrusted = await writeServerFile(file, text, environment);
		await opened.reload();
		return untrusted;
	}

	#entryOf(id: string): ServerEntry | PluginEntry | undefined {
		const { mcpServers, plugins } = this.#parts.opened.configuration();
		return mcpServers.find(({ name }) => name === id) ?? plugins.find((plugin) => plugin.id === id);
	}
}

export function isServerAction(value: unknown): value is ServerAction {
	return actions.some((each) => each === value);
}

function noSuchBackend(id: string): OrchestraError {
	return new OrchestraError('not_found', `the configuration has no server or plugin "${id}"`, {
		hint: 'mctl list servers and mctl list plugins show them.',
	});
}

function targetOf(entry: ServerEntry | PluginEntry): string {
	if ('binary' in entry) return [entry.binary, ...entry.args].map(quoted).join(' ');
	if (entry.kind !== 'stdio') return entry.url;
	return [entry.record.command, ...(entry.record.args ?? [])].map(quoted).join(' ');
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

/** The first word of a note is the state: `started: pid 12`, `ended: …`, `stopped: unused`. */
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

function matchesAny(names: readonly string[]): (rule: PolicyRule) => boolean {
	return ({ tools }) => tools.some((pattern) => names.some((name) => matchesWildcard(pattern, name)));
}

function ruleRow({ action, tools, clients, when, reason, file, line }: PolicyRule): PolicyRuleRow {
	const claims = when === undefined ? '' : ` when ${JSON.stringify(when)}`;
	const match = `tools ${tools.join(', ')}, clients ${clients.join(', ')}${claims}`;
	return { decision: action, match, rule: `${file}:${line}`, reason: reason ?? null };
}

/** Those that work for its kind: only a server or a plugin has a process, and only a server has pins and a prefix. */
function commandsFor(row: Pick<BackendRow, 'id' | 'kind'>): Record<string, string> {
	const { id, kind } = row;
	const isServer = kind === 'mcp';
	const own = isServer || kind === 'plugin' ? actions : [];
	return {
		...Object.fromEntries(
			own
				.filter((action) => isServer || (action !== 'accept' && action !== 'hold'))
				.map((action): [string, string] => [action, serverCommand(action, id)]),
		),
		log: logsCommand(row, true),
		check: 'mctl doctor',
		...(isServer && { policy: `mctl policy test ${quoted(id)}__TOOL` }),
	};
}
