/*
 * The shared hub as a process: take the lock, end what an earlier hub left, listen,
 * serve until told to stop, leave nothing behind.
 */
import { loadConfiguration } from '../../config/load.ts';
import { messageOf, OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { sharedState } from '../../mcp/face.ts';
import { FEATURES } from '../../plugin/features.ts';
import { servePlugin } from '../../plugin/plugin-server.ts';
import { endGroup } from '../../process/stop.ts';
import { certificatesFolder, loadIdentity } from '../../quic/certificates.ts';
import type { LinkListener } from '../../quic/link.ts';
import { fileJournal } from '../journal.ts';
import { type OpenedHub, openHub } from '../open-hub.ts';
import { orchestratorHandlers } from '../orchestrator.ts';
import { hubDetails } from './hub-details.ts';
import type { HubFolder, HubRecord } from './hub-folder.ts';
import { identityOf } from './process-identity.ts';

/** The default address: loopback, any free port. */
const LISTEN_ADDRESS = '127.0.0.1:0';
/** How often the list of our processes is written down, in milliseconds. */
const REMEMBER_MS = 1000;

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
	const { folder, log } = options;
	if (!(await folder.lock())) {
		throw new OrchestraError('bad_input', 'a hub runs here already', {
			hint: 'mctl hub status shows it; mctl hub stop ends it.',
		});
	}
	try {
		await endLeftovers(folder, log);
		await serveUntilStopped(options);
	} finally {
		folder.unlock();
	}
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
	const address = configuration.hub.listenAddress ?? LISTEN_ADDRESS;
	// The port must be known before plugins start, and handlers need the hub: each is made in its turn.
	let opened: OpenedHub | undefined;
	const listeners: LinkListener[] = [];
	const handlers = orchestratorHandlers({
		opened: () => whenOpen(opened),
		shared,
		log,
		details: () => hubDetails(whenOpen(opened).hub),
	});
	const identity = await loadIdentity(certsDir, 'orchestrator');
	try {
		listeners.push(await servePlugin({ address, identity, handlers, log }));
		const { tcpAddress } = configuration.hub;
		if (tcpAddress !== undefined)
			listeners.push(await servePlugin({ address: tcpAddress, identity, handlers, log, kind: 'tls' }));
		const listening = listeners[0]?.address ?? address;
		const journal = fileJournal(folder.journalFile, log);
		opened = await openHub({ cwd, environment, log, journal, address: listening, certsDir });
		const record = {
			...ownIdentity(),
			address: listening,
			certsDir,
			root: configuration.root,
			startedAt: new Date().toISOString(),
			features: FEATURES,
		};
		folder.announce(record);
		log.info(`the hub of ${configuration.root} listens on ${listening}`);
		opened.hub.warm();
		await stopped(signal, rememberer({ folder, record, log }, opened));
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
			folder.keepAnnounced(record);
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
	readonly record: HubRecord;
	readonly log: Log;
}

/** Resolves when the signal comes; `remember` is called then, and now and then until then. */
function stopped(signal: AbortSignal, remember: () => void): Promise<void> {
	return new Promise((resolve) => {
		const timer = setInterval(remember, REMEMBER_MS);
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
