/* Keep a relay connected to a hub: reconnect with exponential backoff until aborted. */
import { OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { Backoff } from '../rpc/backoff.ts';
import { LATE_CONNECT_MS, RECONNECT_FIRST_MS, RECONNECT_MAX_MS, STABLE_MS } from './bridge-limits.ts';
import type { DialedHub } from './dial-hub.ts';
import type { Relay } from './relay.ts';

export interface KeepConnectedOptions {
	relay: Relay;
	/** One connection attempt. */
	open: () => Promise<DialedHub>;
	/** Stops reconnecting and closes the current hub. */
	signal: AbortSignal;
	log: Log;
}

/**
 * Resolves when `signal` is aborted and the last hub is closed; with false when a connection attempt that cannot be
 * aborted is still in flight: a hub that is being started, a lock that another process holds. Rejects when the first
 * attempt fails for a permanent reason: a wrong address or certificate.
 */
export async function keepConnected({ relay, open, signal, log }: KeepConnectedOptions): Promise<boolean> {
	const aborted = new Promise<void>((resolve) =>
		signal.addEventListener('abort', () => resolve(), { once: true }),
	);
	const backoff = new Backoff(RECONNECT_FIRST_MS, RECONNECT_MAX_MS);
	for (let attempts = 0; !signal.aborted; attempts++) {
		const startedAt = performance.now();
		try {
			const hub = await openUnless(aborted, open);
			if (hub === 'late') return false;
			if (hub) await serveWith(hub, relay, aborted);
		} catch (thrown) {
			const error = OrchestraError.from(thrown);
			if (attempts === 0 && error.code === 'bad_input') throw error;
			relay.unreachable(error);
			if (backoff.isReset) warn(log, error);
		}
		if (signal.aborted) break;
		if (performance.now() - startedAt >= STABLE_MS) backoff.reset();
		else await pause(backoff.nextMs(), aborted);
	}
	return true;
}

/**
 * Undefined when `aborted` comes first and the attempt ends soon; its hub is then closed. `late` when the attempt does
 * not end soon. A wrong address or certificate is reported even then.
 */
async function openUnless(
	aborted: Promise<void>,
	open: () => Promise<DialedHub>,
): Promise<DialedHub | 'late' | undefined> {
	const opening = open();
	const hub = await Promise.race([opening, aborted]);
	if (hub !== undefined) return hub;
	let failure: unknown;
	let isOver = false;
	const closed = opening
		.then((late) => late.close())
		.catch((thrown: unknown) => {
			failure = thrown;
		})
		.then(() => {
			isOver = true;
		});
	await pause(LATE_CONNECT_MS, closed);
	if (OrchestraError.is(failure, 'bad_input')) throw failure;
	return isOver ? undefined : 'late';
}

/** Serve with this hub until it is lost, then throw the reason. Returns when `aborted` comes first. */
async function serveWith(hub: DialedHub, relay: Relay, aborted: Promise<void>): Promise<void> {
	const lost = relay.attach(hub.transport);
	const reason = await Promise.race([hub.closed, lost, aborted]);
	if (reason === undefined) return hub.close();
	relay.detach(reason);
	// Cleaning up a lost connection must not delay the next one.
	void hub.close().catch(() => {});
	throw reason;
}

async function pause(ms: number, aborted: Promise<void>): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	await Promise.race([aborted, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
	clearTimeout(timer);
}

function warn(log: Log, { message, hint }: OrchestraError): void {
	log.warn(`no orchestrator: ${message}${hint === undefined ? '' : ` (${hint})`}; trying again`);
}
