/*
 * An MCP session with the hub of the working directory, for one command: with the
 * shared hub when it runs, so that its plugins are not started twice, else with a hub
 * of its own that ends with the command.
 */
import type { Configuration } from '../config/configuration.ts';
import { OrchestraError } from '../errors.ts';
import { packageVersion } from '../files/package-version.ts';
import { openHub } from '../hub/open-hub.ts';
import { serveJournal } from '../hub/serve-journal.ts';
import { serveSession } from '../hub/serve-session.ts';
import type { HubRecord } from '../hub/shared/hub-record.ts';
import { Log } from '../log.ts';
import { sharedState } from '../mcp/server/mcp-session.ts';
import { MCP_TUNNEL } from '../plugin/features.ts';
import type { ElicitResult } from '../protocol/client-methods.ts';
import type { IncomingCall } from '../rpc/incoming-call.ts';
import { Peer } from '../rpc/peer.ts';
import { methodNotFound } from '../rpc/rpc-error.ts';
import { withExamples } from '../tool/discover.ts';
import { memoryPair } from '../transport/memory-transport.ts';
import type { Transport } from '../transport/transport.ts';
import type { CommandInput } from './command.ts';
import { openFabric } from './fabric-openers.ts';
import { hubFolderHere } from './hub-location.ts';

const PROTOCOL_VERSION = '2025-11-25';
const DIAL_MS = 5000;
/** How long the command of a person waits for a server that starts; a first start may download it. */
export const START_WAIT_MS = 60_000;

export interface HubSession {
	/** Call an MCP method of the hub; a signal of the command ends it. */
	readonly request: Peer['request'];
	/** Resolves when the hub has found a tool, or knows that it has none of this name; at once for a hub that runs. */
	find(tool: string): Promise<void>;
}

/** A part of the backends of the configuration. */
export interface NeededBackends {
	/** The names of MCP servers. */
	readonly servers: readonly string[];
	readonly hasPlugins: boolean;
}

export interface HubSessionOptions {
	/** How long a list waits for what starts, in milliseconds, when this process runs the hub. Default 2 s. */
	readonly listWaitMs?: number | undefined;
	/** What is needed: when this process runs the hub, nothing else is started. Default: everything. */
	readonly needs?: NeededBackends | undefined;
	/** The command prints the problems of the configuration itself. */
	readonly reportsProblems?: boolean | undefined;
	/** Answers `elicitation/create`; without it the session cannot be asked. */
	readonly onQuestion?: ((params: unknown) => Promise<ElicitResult>) | undefined;
	/** Receives notifications other than the progress of a request. */
	readonly onNotification?: ((method: string, params: unknown) => void) | undefined;
}

/** Open a session, do `work`, and close everything that was opened. */
export async function withHub<T>(
	{ environment, signal }: Pick<CommandInput, 'environment' | 'signal'>,
	work: (session: HubSession) => Promise<T>,
	{ onQuestion, onNotification, ...limits }: HubSessionOptions = {},
): Promise<T> {
	const record = hubFolderHere(environment).running();
	const opened = await (record?.features?.includes(MCP_TUNNEL)
		? joinShared(record)
		: openOwn(environment, limits));
	const onRequest = ({ method, params }: IncomingCall): unknown => {
		if (method === 'elicitation/create' && onQuestion) return onQuestion(params);
		throw methodNotFound(method);
	};
	const peer = new Peer(opened.transport, { onRequest, ...(onNotification && { onNotification }) });
	opened.transport.start(peer);
	try {
		const clientInfo = { name: 'mctl', version: packageVersion() };
		const capabilities = onQuestion ? { elicitation: { form: {} } } : {};
		const hello = { protocolVersion: PROTOCOL_VERSION, capabilities, clientInfo };
		await peer.request('initialize', hello, { signal });
		peer.notify('notifications/initialized');
		return await work({
			request: (method, params, options) => peer.request(method, params, { signal, ...options }),
			find: (tool) => aborting(opened.find(tool), signal),
		});
	} finally {
		await opened.close();
	}
}

interface Opened extends Pick<HubSession, 'find'> {
	readonly transport: Transport;
	close(): Promise<void>;
}

async function joinShared({ address, certsDir }: HubRecord): Promise<Opened> {
	const { PluginClient } = await import('../plugin/client/plugin-client.ts');
	const { loadIdentity, ORCHESTRATOR_NAME: peerName } = await import('../link/certificates/certificates.ts');
	const identity = await loadIdentity(certsDir, 'mctl-client');
	const client = await PluginClient.connect({ address, identity, peerName, handshakeMs: DIAL_MS });
	return { transport: client.openTunnel(), find: async () => {}, close: () => client.close() };
}

async function openOwn(
	environment: Readonly<NodeJS.ProcessEnv>,
	{ listWaitMs, needs, reportsProblems }: Pick<HubSessionOptions, 'listWaitMs' | 'needs' | 'reportsProblems'>,
): Promise<Opened> {
	// The error of a call says what a warning about its server would say.
	const level = environment['LOG_LEVEL'] ?? (needs ? 'error' : 'warn');
	const log = Log.fromEnvironment('orchestra', { ...environment, LOG_LEVEL: level });
	const narrow = needs && ((configuration: Configuration) => withOnly(configuration, needs));
	const journal = serveJournal(async () => hubFolderHere(environment).path, log);
	// A person who calls one tool again and again has seen them; mctl doctor and mctl trust diff show them.
	const reportsFindings = needs === undefined;
	const options = {
		environment,
		log,
		journal,
		listWaitMs,
		narrow,
		openFabric,
		reportsProblems,
		reportsFindings,
	};
	const opened = await openHub({ cwd: process.cwd(), ...options });
	const [transport, far] = memoryPair();
	serveSession(far, { opened: () => opened, shared: sharedState(), log });
	const find = async (tool: string): Promise<void> => void (await opened.hub.hasTool(tool));
	return { transport, find, close: () => opened.close() };
}

function withOnly(configuration: Configuration, { servers, hasPlugins }: NeededBackends): Configuration {
	const mcpServers = configuration.mcpServers.filter(({ name }) => servers.includes(name));
	return { ...withExamples(configuration), mcpServers, plugins: hasPlugins ? configuration.plugins : [] };
}

function aborting(work: Promise<void>, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const onAbort = (): void => reject(OrchestraError.from(signal.reason, 'canceled'));
		if (signal.aborted) return onAbort();
		signal.addEventListener('abort', onAbort, { once: true });
		work.then(resolve, reject);
	});
}
