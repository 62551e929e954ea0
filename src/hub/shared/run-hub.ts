/*
 * The shared hub as a process: take the lock, end what an earlier hub left, listen,
 * serve until told to stop, leave nothing behind.
 */
import type { HubSection } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { messageOf, OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { sharedState } from '../../mcp/face.ts';
import { BRIDGE_PID_VARIABLE, FEATURES } from '../../plugin/features.ts';
import type { PluginHandlers } from '../../plugin/handlers.ts';
import { servePlugin } from '../../plugin/plugin-server.ts';
import { endGroup } from '../../process/stop.ts';
import { certificatesFolder, loadIdentity } from '../../quic/certificates.ts';
import type { LinkListener } from '../../quic/link.ts';
import { fileJournal } from '../journal.ts';
import { type OpenedHub, openHub } from '../open-hub.ts';
import { orchestratorHandlers } from '../orchestrator.ts';
import { Activity } from './activity.ts';
import { DeliveredValues } from './delivered-variables.ts';
import { hubDetails } from './hub-details.ts';
import type { HubFolder } from './hub-folder.ts';
import type { HubRecord } from './hub-record.ts';
import { identityOf } from './process-identity.ts';

/** The default address: loopback, any free port. */
const LISTEN_ADDRESS = '127.0.0.1:0';
/** How often the list of our processes is written down and the heartbeat renewed, in milliseconds. */
const REMEMBER_MS = 1000;
/** After how long without a client a hub ends that nobody can know by its address, in milliseconds. */
const IDLE_MS = 15 * 60_000;

export interface RunHubOptions {
	readonly folder: HubFolder;
	readonly cwd: string;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
	readonly certsDir: string | undefined;
	readonly log: Log;
	/** Aborted to stop the hub. */
	readonly signal: AbortSignal;
}

/** Run the hub until it is told to stop. Throws `bad_input` when another one runs here. */
export async function runHub(options: RunHubOptions): Promise<void> {
	const log = withoutQueries(options.log);
	const { folder } = options;
	const lock = await folder.lock();
	if (lock === undefined) {
		throw new OrchestraError('bad_input', 'a hub runs here already', {
			hint: 'mctl hub status shows it; mctl hub stop ends it.',
		});
	}
	try {
		await endLeftovers(folder, log);
		await serveUntilStopped({ ...options, log });
	} finally {
		folder.unlock();
		lock.release();
	}
}

/** What users look for is not kept in a log that lives for weeks. */
function withoutQueries(log: Log): Log {
	if (log.isDebug) return log;
	return log.redacted((message) => message.replace(/^(Dynamic resource request: [^?]*)\?.*$/s, '$1'));
}

async function endLeftovers(folder: HubFolder, log: Log): Promise<void> {
	const left = folder.leftovers();
	for (const { pid } of left) log.warn(`ending process ${pid}, which an earlier hub left behind`);
	await Promise.all(left.map(({ pid }) => endGroup(pid)));
}

async function serveUntilStopped(options: RunHubOptions): Promise<void> {
	const { folder, cwd, environment, log, signal } = options;
	const { configuration } = loadConfiguration({ cwd, environment });
	const certsDir = certificatesFolder(options.certsDir ?? configuration.hub.certsDir);
	const shared = sharedState();
	const activity = new Activity();
	const delivered = new DeliveredValues();
	const address = configuration.hub.listenAddress ?? LISTEN_ADDRESS;
	// The port must be known before plugins start, and handlers need the hub: each is made in its turn.
	let opened: OpenedHub | undefined;
	const listeners: LinkListener[] = [];
	const served = orchestratorHandlers({
		opened: () => whenOpen(opened),
		shared,
		log,
		details: () => hubDetails(whenOpen(opened).hub, activity.clients),
	});
	const handlers = activity.observe(takingVariables(served, { delivered, opened: () => whenOpen(opened), log }));
	const identity = await loadIdentity(certsDir, 'orchestrator');
	try {
		listeners.push(await servePlugin({ address, identity, handlers, log }));
		const { tcpAddress } = configuration.hub;
		if (tcpAddress !== undefined)
			listeners.push(await servePlugin({ address: tcpAddress, identity, handlers, log, kind: 'tls' }));
		const listening = listeners[0]?.address ?? address;
		const journal = fileJournal(folder.journalFile, log);
		const isOpen = await openHub({
			cwd,
			environment,
			log,
			journal,
			address: listening,
			certsDir,
			delivered: () => delivered.current,
		});
		opened = isOpen;
		const about = {
			...ownIdentity(),
			address: listening,
			certsDir,
			root: folder.root,
			startedAt: new Date().toISOString(),
			features: FEATURES,
		};
		const record = (): HubRecord => ({ ...about, unset: isOpen.unset() });
		folder.announce(record());
		log.info(`the hub of ${configuration.root} listens on ${listening}`);
		opened.hub.warm();
		const idleMs = idleLimit(configuration.hub);
		const remember = rememberer({ folder, record, log }, opened);
		await stopped(signal, remember, () => isIdle(activity, idleMs, log));
	} finally {
		log.info('the hub stops');
		shared.parking.close();
		await Promise.all(listeners.map((listener) => listener.close()));
		await opened?.close();
	}
}

/** Keeps in the folder what others need to find us and to end what we started, whoever deletes it. Never throws. */
function rememberer({ folder, record, log }: Remembered, { hub }: OpenedHub): () => void {
	let complaint = '';
	return () => {
		try {
			folder.keepAnnounced(record());
			folder.rememberProcesses(hub.processes().flatMap(({ pid }) => identityOf(pid) ?? []));
			complaint = '';
		} catch (thrown) {
			// A full disk is no reason to stop serving, nor to say so every second.
			const message = messageOf(thrown);
			if (message !== complaint) log.warn(`${folder.path} cannot be written: ${message}`);
			complaint = message;
		}
	};
}

interface Remembered {
	readonly folder: HubFolder;
	/** As it is now. */
	readonly record: () => HubRecord;
	readonly log: Log;
}

/** The same handlers; values that a bridge delivers when it registers are used before it is answered. */
function takingVariables(
	handlers: PluginHandlers,
	{ delivered, opened, log }: { delivered: DeliveredValues; opened: () => OpenedHub; log: Log },
): PluginHandlers {
	return {
		...handlers,
		async register(manifest, call) {
			const { unset, reload } = opened();
			if (delivered.take(manifest, call.peer.name, unset())) await reload();
			else if (BRIDGE_PID_VARIABLE in manifest.env && unset().length > 0) {
				const names = unset().map((name) => `\${${name}}`);
				log.warn(`${names.join(', ')} is not set in ${delivered.current.environmentName}`);
			}
			return handlers.register?.({ ...manifest, env: {} }, call) ?? { accepted: false };
		},
	};
}

/** A hub with an address of its own serves peers that cannot start it, so it stays unless told otherwise. */
function idleLimit({ idleMs, listenAddress, tcpAddress }: HubSection): number {
	return idleMs ?? (listenAddress === undefined && tcpAddress === undefined ? IDLE_MS : 0);
}

function isIdle(activity: Activity, idleMs: number, log: Log): boolean {
	if (idleMs === 0 || activity.idleMs < idleMs) return false;
	log.info(`no client for ${Math.round(idleMs / 1000)} s`);
	return true;
}

/** Resolves when the signal comes or the hub is idle; `remember` is called then, and every second until then. */
function stopped(signal: AbortSignal, remember: () => void, isDone: () => boolean): Promise<void> {
	return new Promise((resolve) => {
		const timer = setInterval(() => {
			remember();
			if (isDone()) stop();
		}, REMEMBER_MS);
		const stop = (): void => {
			clearInterval(timer);
			remember();
			resolve();
		};
		if (signal.aborted) stop();
		else signal.addEventListener('abort', stop, { once: true });
	});
}

function whenOpen(opened: OpenedHub | undefined): OpenedHub {
	if (opened) return opened;
	throw new OrchestraError('closed', 'the hub is still starting', { hint: 'Try again in a moment.' });
}

function ownIdentity(): { pid: number; startTime: string } {
	return identityOf(process.pid) ?? { pid: process.pid, startTime: '' };
}
