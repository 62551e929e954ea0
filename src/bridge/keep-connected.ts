/* Have a hub, and have one again whenever it is lost, until told to stop. */
import { OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { LATE_HUB_MS, RECONNECT_FIRST_MS, RECONNECT_LONGEST_MS, STEADY_MS } from './bridge-limits.ts';
import type { DialedHub } from './dial-hub.ts';
import type { Relay } from './relay.ts';

export interface KeepConnectedOptions {
	relay: Relay;
	/** One attempt. */
	open: () => Promise<DialedHub>;
	/** Ends it; the hub of the moment is closed. */
	signal: AbortSignal;
	log: Log;
}

/**
 * Resolves when `signal` is aborted and the last hub is closed; with false when an attempt to connect is still under
 * way, which cannot be called off: a hub that is being started, a lock that another process holds. Rejects when the first attempt shows that
 * no other can do better: an address or a certificate that is wrong.
 */
export async function keepConnected({ relay, open, signal, log }: KeepConnectedOptions): Promise<boolean> {
	const aborted = new Promise<void>((resolve) =>
		signal.addEventListener('abort', () => resolve(), { once: true }),
	);
	let pauseMs = RECONNECT_FIRST_MS;
	for (let attempts = 0; !signal.aborted; attempts++) {
		const startedAt = performance.now();
		try {
			const hub = await openUnless(aborted, open);
			if (hub === 'late') return false;
			if (hub) await useHub(hub, relay, aborted);
		} catch (thrown) {
			const error = OrchestraError.from(thrown);
			if (attempts === 0 && error.code === 'bad_input') throw error;
			relay.unreachable(error);
			if (pauseMs === RECONNECT_FIRST_MS) warn(log, error);
		}
		if (signal.aborted) break;
		if (performance.now() - startedAt >= STEADY_MS) pauseMs = RECONNECT_FIRST_MS;
		else pauseMs = await pause(pauseMs, aborted);
	}
	return true;
}

/**
 * Undefined when `aborted` came first; an attempt under way is then waited for, if it ends soon, and its hub closed.
 * `late` when it does not end soon.
 * What is wrong with the address or a certificate is told even then.
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
	await pause(LATE_HUB_MS, closed);
	if (OrchestraError.is(failure, 'bad_input')) throw failure;
	return isOver ? undefined : 'late';
}

/** Serve with this hub until it is gone, and throw why. Returns when `aborted` comes first. */
async function useHub(hub: DialedHub, relay: Relay, aborted: Promise<void>): Promise<void> {
	const lost = relay.attach(hub.transport);
	const reason = await Promise.race([hub.closed, lost, aborted]);
	if (reason === undefined) return hub.close();
	relay.detach(reason);
	// Nobody waits for the remains of a connection that is gone.
	void hub.close().catch(() => {});
	throw reason;
}

/** Gives back how long the next pause is to be. */
async function pause(ms: number, aborted: Promise<void>): Promise<number> {
	let timer: NodeJS.Timeout | undefined;
	await Promise.race([aborted, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
	clearTimeout(timer);
	return Math.min(ms * 2, RECONNECT_LONGEST_MS);
}

function warn(log: Log, { message, hint }: OrchestraError): void {
	log.warn(`no orchestrator: ${message}${hint === undefined ? '' : ` (${hint})`}; trying again`);
}
