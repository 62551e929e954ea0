/*
 * The process of the shared hub: take the lock, end the orphans of a crashed hub, listen,
 * serve until stopped or idle, and clean up.
 */
import { basename } from 'node:path';
import { loadConfiguration } from '../../config/load.ts';
import { STARTED_BY } from '../../config/self-entry.ts';
import { messageOf, OrchestraError } from '../../errors.ts';
import { packageVersion } from '../../files/package-version.ts';
import { certificatesFolder, loadIdentity } from '../../link/certificates/certificates.ts';
import type { LinkPeer } from '../../link/link.ts';
import type { Log } from '../../log.ts';
import { type SharedState, sharedState } from '../../mcp/server/mcp-session.ts';
import { BRIDGE_PID_VARIABLE, FEATURES, REFUSED } from '../../plugin/features.ts';
import type { PluginHandlers } from '../../plugin/server/handlers.ts';
import { stopGroup } from '../../process/guard/process-tree.ts';
import { within } from '../../rpc/clock.ts';
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
import { HUB_CONTROL, type RetirementAnswer, withControl } from './hub-control.ts';
import { hubDetails } from './hub-details.ts';
import type { HubFolder } from './hub-folder.ts';
import { HubListeners } from './hub-listeners.ts';
import type { HubRecord } from './hub-record.ts';
import { keepPort, lastAddress } from './last-port.ts';
import { ownIdentity } from './process-identity.ts';
import { HUB_IDLE_MS, LEARN_ALONE_MS, RETIREMENT_ANSWER_MS } from './shared-limits.ts';

/** Why a bridge that this hub started is refused. */
const OWN_BRIDGE = 'it was started by this hub, through one of its own entries';

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
	/** The fabric worker: advertises tools of this hub to other hubs. */
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
	/** The state folder of the hub. */
	readonly folder: string;
	readonly hub: Hub;
	readonly opened: OpenedHub;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly journalFile: string;
	readonly shared: SharedState;
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
		await new SharedHub({ ...options, log }).run();
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

class SharedHub {
	readonly #options: RunHubOptions;
	readonly #shared = sharedState();
	readonly #activity = new Activity();
	readonly #forwarded = new BridgeEnvironment();
	readonly #http = new HttpSwitch((address) => this.#openAtLastPort(address));
	readonly #retiring = new AbortController();
	/** The bridge that requested the end of an idle hub. */
	#asker: LinkPeer | undefined;
	#listeners: HubListeners | undefined;
	#opened: OpenedHub | undefined;
	#worker: HubWorker | undefined;
	/** Whether clients over HTTP were promised the hub, by its configuration or by an earlier run. */
	#servesHttp = false;

	constructor(options: RunHubOptions) {
		this.#options = options;
	}

	/** Serve until stopped, idle or replaced. */
	async run(): Promise<void> {
		const { folder, cwd, environment, log, openWorker, signal } = this.#options;
		const { configuration } = loadConfiguration({ cwd, environment });
		const certsDir = certificatesFolder(this.#options.certsDir ?? configuration.hub.certsDir);
		const identity = await loadIdentity(certsDir, 'orchestrator');
		const { hub } = configuration;
		// Open before plugins start: the handlers use the hub that is opened after them.
		const listeners = new HubListeners({ folder, hub, identity, handlers: this.#handlers(), log });
		this.#listeners = listeners;
		let stopTimers = (): void => {};
		try {
			await listeners.open();
			const opened = await this.#openHub(certsDir, listeners);
			this.#opened = opened;
			this.#worker = await openWorker?.(opened, log);
			this.#servesHttp = await this.#openRequestedHttp(opened);
			const record = this.#recorder(certsDir, listeners, opened);
			folder.announce(record());
			this.#http.onOpen = () => folder.announce(record());
			log.info(`the hub of ${configuration.root} listens on ${listeners.address}`);
			opened.hub.warm();
			stopTimers = startTimers(opened.hub);
			const isDone = (): boolean => this.#isIdle();
			const stopped = AbortSignal.any([signal, this.#retiring.signal]);
			await runHeartbeat(stopped, { folder, record, listeners, opened, log, isDone });
		} finally {
			stopTimers();
			log.info('the hub is shutting down');
			folder.withdraw();
			await this.#worker?.close();
			this.#shared.suspendedCalls.close();
			await this.#http.close();
			// The bridge gets the answer before its connection is closed.
			if (this.#asker) await within(this.#asker.closed, RETIREMENT_ANSWER_MS);
			await listeners.close();
			await this.#opened?.close();
		}
	}

	/** Throws `closed` while the hub is starting. */
	get #hub(): OpenedHub {
		if (this.#opened) return this.#opened;
		throw new OrchestraError('closed', 'the hub is still starting', { hint: 'Try again in a moment.' });
	}

	#openHub(certsDir: string, listeners: HubListeners): Promise<OpenedHub> {
		const { folder, cwd, environment, log, openFabric } = this.#options;
		return openHub({
			cwd,
			environment,
			log,
			journal: fileJournal(folder.journalFile, log),
			address: () => listeners.openNetwork(),
			certsDir,
			forwarded: () => this.#forwarded.current,
			openFabric,
			lastingResults: `hub-${basename(folder.path)}`,
		});
	}

	/** The handlers for clients and plugins, counted as activity. */
	#handlers(): PluginHandlers {
		const shared = this.#shared;
		const opened = (): OpenedHub => this.#hub;
		const details = (): Record<string, string> => hubDetails(this.#hub, this.#worker?.overview());
		const served = orchestratorHandlers({ opened, shared, log: this.#options.log, details });
		const hub = (): Hub => this.#hub.hub;
		const controlled = withControl(served, { hub, http: this.#http, retire: (peer) => this.#retire(peer) });
		return this.#activity.observe(this.#withForwardedVariables(controlled));
	}

	/** Variables that a bridge forwards with its registration are applied before the answer. */
	#withForwardedVariables(handlers: PluginHandlers): PluginHandlers {
		const forwarded = this.#forwarded;
		const warn = rateLimited((line) => this.#options.log.warn(line));
		return {
			...handlers,
			register: async (manifest, call) => {
				const hub = this.#hub;
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

	/** Open HTTP where it was requested, or where a hub that was killed had it. False when it is not open. */
	async #openRequestedHttp(opened: OpenedHub): Promise<boolean> {
		const { folder, httpAddress, log } = this.#options;
		const requested = httpAddress ?? opened.configuration().hub.httpAddr;
		if (requested !== undefined) return (await this.#http.ensure(requested)) !== undefined;
		const { httpUrl } = folder.killed() ?? {};
		if (httpUrl === undefined) return false;
		const { protocol, hostname, port } = new URL(httpUrl);
		try {
			await this.#http.ensure(`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`);
			return true;
		} catch (thrown) {
			log.warn(`MCP over HTTP is not at ${httpUrl} any more: ${messageOf(thrown)}`);
			return false;
		}
	}

	/** Where any port will do, that of the last run is taken when it is free. */
	async #openAtLastPort(address: string): Promise<HubHttp> {
		const { path } = this.#options.folder;
		const last = lastAddress(path, address);
		// Another program may have the port by now.
		const again = last === undefined ? undefined : await this.#openHttp(last).catch(() => undefined);
		const http = again ?? (await this.#openHttp(address));
		keepPort(path, http.url);
		return http;
	}

	async #openHttp(address: string): Promise<HubHttp> {
		const { openHttp, folder, environment, log } = this.#options;
		if (openHttp === undefined) throw new OrchestraError('internal', 'this hub does not serve HTTP');
		const opened = this.#hub;
		const http = await openHttp({
			address,
			folder: folder.path,
			hub: opened.hub,
			opened,
			environment,
			journalFile: folder.journalFile,
			shared: this.#shared,
			worker: () => this.#worker?.overview(),
			onRequest: () => this.#activity.begin(),
			log,
		});
		log.info(`MCP over HTTP is at ${http.url}`);
		return http;
	}

	/** Returns a function that builds the current record. */
	#recorder(certsDir: string, listeners: HubListeners, opened: OpenedHub): () => HubRecord {
		const about = {
			...ownIdentity(),
			certsDir,
			root: this.#options.folder.root,
			startedAt: new Date().toISOString(),
			version: packageVersion(),
			features: [...FEATURES, HUB_CONTROL],
		};
		return () => ({
			...about,
			address: listeners.address,
			networkAddress: listeners.networkAddress,
			httpUrl: this.#http.current?.url,
			unset: opened.unset(),
		});
	}

	/**
	 * End an idle hub, because a bridge of a newer version asks for it. The hub decides, since only it knows that no client
	 * uses it. From the decision on it accepts no connection, and a client whose connection was not accepted has sent
	 * nothing: so no call is lost, whatever connects at the same moment. It finds the next hub.
	 */
	#retire(peer: LinkPeer): RetirementAnswer {
		const isUnused = this.#idleMs > 0 && this.#http.current === undefined && this.#activity.isIdle(1);
		if (!isUnused) return 'used';
		if (!this.#listeners?.closeIfAlone()) return 'connected';
		this.#asker = peer;
		this.#retiring.abort();
		return 'retired';
	}

	/** A hub that clients reach which cannot start it does not stop by default. 0: never. */
	get #idleMs(): number {
		const { idleMs, listenAddr, tcpAddr } = this.#hub.configuration().hub;
		const isReached = this.#servesHttp || this.#worker?.isOpen === true;
		return idleMs ?? (isReached || listenAddr !== undefined || tcpAddr !== undefined ? 0 : HUB_IDLE_MS);
	}

	#isIdle(): boolean {
		const idleMs = this.#idleMs;
		if (idleMs === 0 || this.#activity.idleMs < idleMs) return false;
		this.#options.log.info(`no client for ${Math.round(idleMs / 1000)} s: shutting down`);
		return true;
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
