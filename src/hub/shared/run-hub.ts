/*
 * The process of the shared hub: take the lock, end the orphans of a crashed hub, listen,
 * serve until stopped or idle, and clean up.
 */
import { basename } from 'node:path';
import type { HubSection } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { STARTED_BY } from '../../config/self-entry.ts';
import { messageOf, OrchestraError } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import { certificatesFolder, loadIdentity } from '../../link/certificates/certificates.ts';
import type { Log } from '../../log.ts';
import { type SharedState, sharedState } from '../../mcp/server/mcp-session.ts';
import { BRIDGE_PID_VARIABLE, FEATURES, REFUSED } from '../../plugin/features.ts';
import type { PluginHandlers } from '../../plugin/server/handlers.ts';
import { stopGroup } from '../../process/guard/process-tree.ts';
import type { ExportCounts } from '../../telemetry/tracer.ts';
import type { WorkerOverview } from '../fabric-overview.ts';
import type { Hub } from '../hub.ts';
import { SESSION_GRACE_MS } from '../hub-limits.ts';
import { fileJournal } from '../journal/journal.ts';
import { rateLimited } from '../log-rate.ts';
import { type OpenedHub, openHub } from '../open-hub.ts';
import { orchestratorHandlers } from '../orchestrator/orchestrator-handlers.ts';
import type { OpenFabric } from '../sources/build-sources.ts';
import { Activity } from './activity.ts';
import { BridgeEnvironment } from './bridge-environment.ts';
import { runHeartbeat } from './heartbeat.ts';
import { HttpSwitch } from './http-switch.ts';
import { HUB_CONTROL, withControl } from './hub-control.ts';
import { hubDetails } from './hub-details.ts';
import type { HubFolder } from './hub-folder.ts';
import { HubListeners } from './hub-listeners.ts';
import type { HubRecord } from './hub-record.ts';
import { keepPort, lastAddress } from './last-port.ts';
import { identityOf } from './process-identity.ts';
import { Retirement } from './retirement.ts';
import { HUB_IDLE_MS, LEARN_ALONE_MS } from './shared-limits.ts';

export interface RunHubOptions {
	readonly folder: HubFolder;
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly certsDir: string | undefined;
	readonly log: Log;
	/** `host:port` of the HTTP listener. Default: from the configuration, else none. */
	readonly httpAddress?: string | undefined;
	/** Opens the HTTP listener, which is in a layer above. */
	readonly openHttp?: ((deps: HubHttpDeps) => Promise<HubHttp>) | undefined;
	/** Opens the tools of other hubs, which are in a layer above. */
	readonly openFabric?: OpenFabric | undefined;
	/** Offers tools of this hub to other hubs. */
	readonly openWorker?: ((opened: OpenedHub, log: Log) => Promise<HubWorker>) | undefined;
	/** Aborted to stop the hub. */
	readonly signal: AbortSignal;
}

/** The worker of a hub, which serves others. */
export interface HubWorker {
	/** Whether it serves something now. */
	readonly isOpen: boolean;
	/** Undefined while it serves nothing. */
	overview(): WorkerOverview | undefined;
	/** Accept no more calls, finish those that run, and leave. */
	close(): Promise<void>;
}

/** The deps of the HTTP listener that come from its hub. */
export interface HubHttpDeps {
	readonly address: string;
	readonly settings: HubSection;
	/** The state folder of the hub. */
	readonly folder: string;
	readonly hub: Hub;
	readonly opened: OpenedHub;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly journalFile: string;
	readonly shared: SharedState;
	/** The counts of exported and dropped spans; undefined when none are exported. */
	readonly spans?: (() => ExportCounts) | undefined;
	/** The advertisement of this hub to others. */
	readonly worker?: (() => WorkerOverview | undefined) | undefined;
	/** A request begins; returns the function to call when it is over. */
	readonly onRequest: () => () => void;
	readonly log: Log;
}

/** The open HTTP listener of a hub. */
export interface HubHttp {
	readonly url: string;
	/** A URL of the dashboard that lets one browser in, once. */
	dashboardUrl?(): string;
	close(): Promise<void>;
}

/** Run the hub until it is stopped or idle. Throws `bad_input` when another one runs here. */
export async function runHub(options: RunHubOptions): Promise<void> {
	const log = withoutQueries(options.log);
	const { folder } = options;
	const lock = await folder.lock();
	if (lock === undefined) {
		throw new OrchestraError('bad_input', 'a hub is already running here', {
			hint: 'mctl hub status shows it; mctl hub stop ends it.',
		});
	}
	try {
		await endOrphans(folder, log);
		await serveUntilStopped({ ...options, log });
	} finally {
		folder.unlock();
		lock.release();
	}
}

/** Search queries are not written to a log that is retained for weeks. */
function withoutQueries(log: Log): Log {
	if (log.isDebug) return log;
	return log.redacted((message) => message.replace(/^(Dynamic resource request: [^?]*)\?.*$/s, '$1'));
}

async function endOrphans(folder: HubFolder, log: Log): Promise<void> {
	const left = folder.orphans();
	for (const { pid } of left) log.warn(`ending process ${pid}, an orphan of a hub that crashed`);
	await Promise.all(left.map(({ pid }) => stopGroup(pid)));
}

async function serveUntilStopped(options: RunHubOptions): Promise<void> {
	const { folder, cwd, environment, log } = options;
	const { configuration } = loadConfiguration({ cwd, environment });
	const certsDir = certificatesFolder(options.certsDir ?? configuration.hub.certsDir);
	const shared = sharedState();
	const activity = new Activity();
	const forwarded = new BridgeEnvironment();
	// Listeners must be open before plugins start, and handlers need the hub, so the handlers refer to it lazily.
	let opened: OpenedHub | undefined;
	let worker: HubWorker | undefined;
	const overview = (): WorkerOverview | undefined => worker?.overview();
	const http = new HttpSwitch((address) =>
		openAtLastPort(address, options, { opened: whenOpen(opened), shared, activity, worker: overview }),
	);
	let retirement: Retirement | undefined;
	let stopTimers = (): void => {};
	const retires = (): Retirement => whenOpen(retirement);
	const deps = { shared, activity, forwarded, http, retirement: retires, worker: overview, log };
	const handlers = handlersOf(() => whenOpen(opened), deps);
	const identity = await loadIdentity(certsDir, 'orchestrator');
	const listeners = await HubListeners.open({ folder, hub: configuration.hub, identity, handlers, log });
	try {
		opened = await openHubOf(options, { certsDir, listeners, forwarded });
		worker = await options.openWorker?.(opened, log);
		const address = await openRequestedHttp(http, opened, options);
		const record = recorder({ folder, certsDir, listeners, opened, http });
		folder.announce(record());
		http.onOpen = () => folder.announce(record());
		log.info(`the hub of ${configuration.root} listens on ${listeners.address}`);
		opened.hub.warm();
		const current = opened;
		stopTimers = startTimers(current.hub);
		// A hub that other hubs may call does not stop when it has no client of its own.
		const isReached = (): boolean => address !== undefined || worker?.isOpen === true;
		const limitMs = (): number => idleLimit(current.configuration().hub, isReached());
		const isUnused = (): boolean => limitMs() > 0 && http.current === undefined && activity.isIdle(1);
		retirement = new Retirement(isUnused, () => listeners.closeIfAlone());
		const signal = AbortSignal.any([options.signal, retirement.signal]);
		const isDone = (): boolean => isIdle(activity, limitMs(), log);
		await runHeartbeat(signal, { folder, record, listeners, opened, log, isDone });
	} finally {
		stopTimers();
		log.info('the hub is shutting down');
		folder.withdraw();
		await worker?.close();
		shared.suspendedCalls.close();
		await http.close();
		await retirement?.answered();
		await listeners.close();
		await opened?.close();
	}
}

/** Schedule the work that a hub does a while after its start. Returns a function that cancels it. */
function startTimers({ sessions }: Hub): () => void {
	const alone = setTimeout(() => sessions.learn(), LEARN_ALONE_MS);
	const others = setTimeout(() => sessions.endOthers(), SESSION_GRACE_MS);
	return () => {
		clearTimeout(alone);
		clearTimeout(others);
	};
}

/** Open HTTP where it was requested, or where a hub that was killed had it. Returns the address; undefined when it is not open. */
async function openRequestedHttp(
	http: HttpSwitch,
	opened: OpenedHub,
	{ folder, httpAddress, log }: RunHubOptions,
): Promise<string | undefined> {
	const requested = httpAddress ?? opened.configuration().hub.httpAddr;
	if (requested !== undefined) return (await http.ensure(requested)) && requested;
	const { httpUrl } = folder.killed() ?? {};
	if (httpUrl === undefined) return undefined;
	const { protocol, hostname, port } = new URL(httpUrl);
	const address = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
	try {
		return (await http.ensure(address)) && address;
	} catch (thrown) {
		log.warn(`MCP over HTTP is not at ${httpUrl} any more: ${messageOf(thrown)}`);
		return undefined;
	}
}

function openHubOf(
	{ folder, cwd, environment, log, openFabric }: RunHubOptions,
	{
		certsDir,
		listeners,
		forwarded,
	}: { certsDir: string; listeners: HubListeners; forwarded: BridgeEnvironment },
): Promise<OpenedHub> {
	return openHub({
		cwd,
		environment,
		log,
		journal: fileJournal(folder.journalFile, log),
		address: () => listeners.openNetwork(),
		certsDir,
		forwarded: () => forwarded.current,
		openFabric,
		lastingResults: `hub-${basename(folder.path)}`,
	});
}

interface HandlerDeps extends Pick<HubHttpDeps, 'worker'> {
	readonly shared: SharedState;
	readonly activity: Activity;
	readonly forwarded: BridgeEnvironment;
	readonly http: HttpSwitch;
	readonly retirement: () => Retirement;
	readonly log: Log;
}

/** The handlers for clients and plugins, counted as activity. */
function handlersOf(
	opened: () => OpenedHub,
	{ shared, activity, forwarded, http, retirement, worker, log }: HandlerDeps,
): PluginHandlers {
	const details = (): Record<string, string> => hubDetails(opened(), worker?.());
	const served = orchestratorHandlers({ opened, shared, log, details });
	const controlled = withControl(served, { hub: () => opened().hub, http: () => http, retirement });
	return activity.observe(withForwardedVariables(controlled, { forwarded, opened, log }));
}

interface ListenerDeps extends Pick<HubHttpDeps, 'opened' | 'shared' | 'worker'> {
	readonly activity: Activity;
}

/** Where any port will do, that of the last run is taken when it is free. */
async function openAtLastPort(address: string, options: RunHubOptions, deps: ListenerDeps): Promise<HubHttp> {
	const { path } = options.folder;
	const last = lastAddress(path, address);
	// Another program may have the port by now.
	const again =
		last === undefined ? undefined : await openListener(last, options, deps).catch(() => undefined);
	const http = again ?? (await openListener(address, options, deps));
	keepPort(path, http.url);
	return http;
}

async function openListener(
	address: string,
	{ openHttp, folder, environment, log }: RunHubOptions,
	{ opened, shared, activity, worker }: ListenerDeps,
): Promise<HubHttp> {
	if (openHttp === undefined) throw new OrchestraError('internal', 'this hub does not serve HTTP');
	const http = await openHttp({
		address,
		settings: opened.configuration().hub,
		folder: folder.path,
		hub: opened.hub,
		spans: opened.spans,
		worker,
		opened,
		environment,
		journalFile: folder.journalFile,
		shared,
		onRequest: () => activity.begin(),
		log,
	});
	log.info(`MCP over HTTP is at ${http.url}`);
	return http;
}

interface Recorded {
	readonly folder: HubFolder;
	readonly certsDir: string;
	readonly listeners: HubListeners;
	readonly opened: OpenedHub;
	readonly http: HttpSwitch;
}

/** Returns a function that builds the current record. */
function recorder({ folder, certsDir, listeners, opened, http }: Recorded): () => HubRecord {
	const about = {
		...(identityOf(process.pid) ?? { pid: process.pid, startTime: '' }),
		certsDir,
		root: folder.root,
		startedAt: new Date().toISOString(),
		version: packageVersion(),
		features: [...FEATURES, HUB_CONTROL],
	};
	return () => ({
		...about,
		address: listeners.address,
		networkAddress: listeners.networkAddress,
		httpUrl: http.current?.url,
		unset: opened.unset(),
	});
}

const OWN_BRIDGE = 'it was started by this hub, through one of its own entries';

/** Wrap the handlers: variables that a bridge forwards with its registration are applied before the answer. */
function withForwardedVariables(
	handlers: PluginHandlers,
	{ forwarded, opened, log }: { forwarded: BridgeEnvironment; opened: () => OpenedHub; log: Log },
): PluginHandlers {
	const warn = rateLimited((line) => log.warn(line));
	return {
		...handlers,
		async register(manifest, call) {
			const hub = opened();
			const leave = hub.chain.join(manifest.env[STARTED_BY]);
			if (leave === undefined) return { accepted: false, rejectReason: OWN_BRIDGE, features: [REFUSED] };
			void call.peer.closed.then(leave);
			if (forwarded.take(manifest, call.peer.name, hub.unset())) await hub.reload();
			else if (BRIDGE_PID_VARIABLE in manifest.env && hub.unset().length > 0) {
				const names = hub.unset().map((name) => `\${${name}}`);
				warn(`${names.join(', ')} is not set in ${forwarded.current.environmentName}`);
			}
			return handlers.register?.({ ...manifest, env: {} }, call) ?? { accepted: false };
		},
	};
}

/** A hub with a configured address has clients that cannot start it, so by default it does not stop when idle. */
function idleLimit({ idleMs, listenAddr, tcpAddr }: HubSection, isReached: boolean): number {
	const isReachable = listenAddr !== undefined || tcpAddr !== undefined || isReached;
	return idleMs ?? (isReachable ? 0 : HUB_IDLE_MS);
}

function isIdle(activity: Activity, idleMs: number, log: Log): boolean {
	if (idleMs === 0 || activity.idleMs < idleMs) return false;
	log.info(`no client for ${Math.round(idleMs / 1000)} s: shutting down`);
	return true;
}

function whenOpen<T>(opened: T | undefined): T {
	if (opened) return opened;
	throw new OrchestraError('closed', 'the hub is still starting', { hint: 'Try again in a moment.' });
}
