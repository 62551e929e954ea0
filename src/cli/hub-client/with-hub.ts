/*
 * An MCP session with the hub of the working directory, for one command: with the
 * shared hub when it runs, so that its plugins are not started twice, else with a hub
 * of its own that ends with the command.
 */
import type { Configuration } from '../../config/configuration.ts';
import { firstLine } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import { serveJournal } from '../../hub/journal/serve-journal.ts';
import { openHub } from '../../hub/open-hub.ts';
import { serveSession } from '../../hub/sessions/serve-session.ts';
import { controlServer } from '../../hub/shared/hub-control.ts';
import type { HubRecord } from '../../hub/shared/hub-record.ts';
import { reportOf, type SourceReport } from '../../hub/source-status.ts';
import { ServerConnection } from '../../mcp/client/server-connection.ts';
import { sharedState } from '../../mcp/server/mcp-session.ts';
import { MCP_TUNNEL } from '../../plugin/features.ts';
import type { ElicitResult } from '../../protocol/client-methods.ts';
import { abortable } from '../../rpc/abortable.ts';
import { methodNotFound } from '../../rpc/rpc-error.ts';
import { withExamples } from '../../tool/discover.ts';
import { memoryPair } from '../../transport/memory-transport.ts';
import type { Transport } from '../../transport/transport.ts';
import { HUB_DIAL_MS } from '../cli-limits.ts';
import type { CommandInput, CommandPlace } from '../command.ts';
import { downText } from './down-servers.ts';
import { openFabric } from './fabric-openers.ts';
import { errorOfHub } from './hub-error.ts';
import { hubFolderHere } from './hub-location.ts';

export interface HubSession {
	/** Call an MCP method of the hub; a signal of the command ends it. */
	readonly request: ServerConnection['request'];
	readonly listAll: ServerConnection['listAll'];
	/** Resolves when the hub has found a tool, or knows that it has none of this name; at once for a hub that runs. */
	find(tool: string): Promise<void>;
	/** Start an MCP server that lists nothing. Rejects with the reason when it cannot be used. */
	start(server: string): Promise<void>;
	/** Why plugins and servers that may have what is not listed are down. */
	downReasons(): Promise<string[]>;
}

/** A part of the sources of the configuration. */
export interface NeededSources {
	/** The names of MCP servers. */
	readonly servers: readonly string[];
	readonly hasPlugins: boolean;
}

export interface HubSessionOptions {
	/** How long a list waits for what starts, in milliseconds. Default: 2 s in this process, else what the running hub waits. */
	readonly listWaitMs?: number | undefined;
	/** A configuration file in place of that of the folder: the session is with a hub of this process. */
	readonly file?: string | undefined;
	/** The sources that are needed: when this process runs the hub, nothing else is started. Default: everything. */
	readonly needs?: NeededSources | undefined;
	/** Receives one sentence for each plugin that failed, when this process runs the hub. Default: failures are logged. */
	readonly onFailed?: ((text: string) => void) | undefined;
	/** Answers `elicitation/create`; without it the session has no elicitation. */
	readonly onElicitation?: ((params: unknown) => Promise<ElicitResult>) | undefined;
	/** Receives notifications other than the progress of a request. */
	readonly onNotification?: ((method: string, params: unknown) => void) | undefined;
}

/** Open a session, do `work`, and close everything that was opened. */
export async function withHub<T>(
	{ cwd, environment, out, signal }: Pick<CommandInput, 'cwd' | 'environment' | 'out' | 'signal'>,
	work: (session: HubSession) => Promise<T>,
	{ onElicitation, onNotification, ...limits }: HubSessionOptions = {},
): Promise<T> {
	const isShared = limits.file === undefined;
	const record = isShared ? hubFolderHere({ cwd, environment }).running() : undefined;
	const opened = await (record?.features?.includes(MCP_TUNNEL)
		? joinShared(record, { cwd, environment })
		: openOwn({ cwd, environment, out }, limits));
	try {
		const connection = await ServerConnection.open(async () => opened.transport, {
			clientInfo: { name: 'mctl', version: packageVersion() },
			capabilities: onElicitation ? { elicitation: { form: {} } } : {},
			knownEra: 'legacy',
			onRequest: (method, params) => {
				if (method === 'elicitation/create' && onElicitation) return onElicitation(params);
				throw methodNotFound(method);
			},
			onNotification,
			signal,
		});
		if (limits.listWaitMs !== undefined) await abortable(() => opened.settle(limits.listWaitMs ?? 0), signal);
		return await work({
			request: (method, params, options) => connection.request(method, params, { signal, ...options }),
			listAll: (kind, options) => connection.listAll(kind, { signal, ...options }),
			find: (tool) => abortable(() => opened.find(tool), signal),
			start: (server) => abortable(() => opened.start(server, signal), signal),
			downReasons: async () => {
				const mayHave = ({ id, kind }: DownSource): boolean =>
					kind !== 'mcp' || (limits.needs?.servers.includes(id) ?? false);
				return (await opened.sources()).filter(mayHave).flatMap(({ downReason }) => downReason ?? []);
			},
		});
	} finally {
		await opened.close();
	}
}

type DownSource = Pick<SourceReport, 'id' | 'kind' | 'state' | 'downReason'>;

interface Opened extends Pick<HubSession, 'find'> {
	readonly transport: Transport;
	start(server: string, signal: AbortSignal): Promise<void>;
	/** Wait until the servers that were never listed have answered or failed; a hub of this process does so for each list. */
	settle(waitMs: number): Promise<void>;
	sources(): Promise<readonly DownSource[]>;
	close(): Promise<void>;
}

async function joinShared(record: HubRecord, { cwd, environment }: CommandPlace): Promise<Opened> {
	const { address, certsDir } = record;
	const { PluginClient } = await import('../../plugin/client/plugin-client.ts');
	const { loadIdentity, ORCHESTRATOR_NAME: peerName } = await import(
		'../../link/certificates/certificates.ts'
	);
	const identity = await loadIdentity(certsDir, 'mctl-client');
	const client = await PluginClient.connect({ address, identity, peerName, handshakeMs: HUB_DIAL_MS });
	const start = async (server: string, signal: AbortSignal): Promise<void> => {
		const { controlHub } = await import('./control-hub.ts');
		await controlHub(record, { action: 'start', server }, signal);
	};
	const sources = async (): Promise<readonly DownSource[]> => {
		const { askHubAt } = await import('./ask-hub.ts');
		return (await askHubAt(hubFolderHere({ cwd, environment }), record)).backends;
	};
	const settle = async (waitMs: number): Promise<void> => {
		const signal = AbortSignal.timeout(waitMs);
		const late = (await sources()).filter(
			({ kind, state }) => kind === 'mcp' && ['configured', 'starting'].includes(state),
		);
		// The list is made without those that failed, and names them.
		await Promise.allSettled(late.map(({ id }) => start(id, signal)));
	};
	const transport = client.openTunnel();
	return { transport, find: async () => {}, start, settle, sources, close: () => client.close() };
}

async function openOwn(
	{ cwd, environment, out }: Pick<CommandInput, 'cwd' | 'environment' | 'out'>,
	{ file, listWaitMs, needs, onFailed }: Omit<HubSessionOptions, 'onElicitation' | 'onNotification'>,
): Promise<Opened> {
	// The error of a call, and the list of what failed, say what a warning would say.
	const level = environment['LOG_LEVEL'] ?? (needs || onFailed ? 'error' : 'warn');
	const log = out.log('orchestra', { ...environment, LOG_LEVEL: level });
	const narrow = needs && ((configuration: Configuration) => withOnly(configuration, needs));
	const journal = serveJournal(async () => hubFolderHere({ cwd, environment }).path, log);
	// A user who calls one tool again and again has seen them; mctl doctor and mctl trust diff show them.
	const reportsFindings = needs === undefined;
	const options = {
		file,
		environment,
		log,
		journal,
		listWaitMs,
		narrow,
		openFabric,
		// Such a command says those of what it uses.
		reportsProblems: needs !== undefined || onFailed !== undefined,
		reportsFindings,
	};
	const opened = await openHub({ cwd, ...options });
	const [transport, far] = memoryPair();
	serveSession(far, { opened: () => opened, shared: sharedState(), log });
	const find = async (tool: string): Promise<void> => void (await opened.hub.hasTool(tool));
	const start = async (server: string): Promise<void> => {
		// It was started for the list; a second start would fail in the same way.
		const { error, failedStarts = 0 } = opened.hub.sources.find(({ id }) => id === server)?.status ?? {};
		if (error && failedStarts > 0) throw error;
		await controlServer(opened.hub, 'start', server);
	};
	const close = (): Promise<void> => {
		for (const { id, kind, status } of onFailed ? opened.hub.sources : [])
			if (status.error && kind !== 'mcp') onFailed?.(downText(id, 'failed', firstLine(status.error.message)));
		return opened.close();
	};
	const sources = async (): Promise<readonly DownSource[]> =>
		opened.hub.sources.map((source) => reportOf(source, () => null));
	return { transport, find, start, settle: async () => {}, sources, close };
}

/** Throws the reason when the only server that can have a name cannot be used. */
export async function startOnlyServer(session: HubSession, needs: NeededSources | undefined): Promise<void> {
	const [server, ...others] = needs?.servers ?? [];
	if (server === undefined || others.length > 0 || needs?.hasPlugins) return;
	await session.start(server).catch((thrown: unknown) => {
		throw errorOfHub(thrown);
	});
}

function withOnly(configuration: Configuration, { servers, hasPlugins }: NeededSources): Configuration {
	const mcpServers = configuration.mcpServers.filter(({ name }) => servers.includes(name));
	return { ...withExamples(configuration), mcpServers, plugins: hasPlugins ? configuration.plugins : [] };
}
