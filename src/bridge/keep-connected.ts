/* Keep a relay connected to a hub: reconnect with exponential backoff until aborted. */

import { OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { onAbort } from '../rpc/abortable.ts';
import { within } from '../rpc/clock.ts';
import { deferred } from '../rpc/deferred.ts';
import { RestartPolicy } from '../rpc/restart-policy.ts';
import { type Ending, Supervisor } from '../rpc/supervisor.ts';
import { LATE_CONNECT_MS, RECONNECT_FIRST_MS, RECONNECT_MAX_MS, STABLE_MS } from './bridge-limits.ts';
import type { DialedHub } from './dial-hub.ts';
import { MOVED, type Relay } from './relay.ts';

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
	const limits = { firstMs: RECONNECT_FIRST_MS, maxMs: RECONNECT_MAX_MS, stableMs: STABLE_MS };
	const policy = new RestartPolicy(limits);
	let hasOpened = false;
	let permanent: OrchestraError | undefined;
	const over = deferred();
	onAbort(signal, over.resolve);
	const unreachable = (error: OrchestraError): void => {
		relay.unreachable(error);
		if (policy.isFresh) warn(log, error);
	};
	const supervisor = new Supervisor<DialedHub>(
		{
			name: 'the hub',
			start: async (_closing, onEnd) => {
				const hub = await open().catch((thrown: unknown) => {
					const error = OrchestraError.from(thrown);
					if (error.code === 'bad_input' && (!hasOpened || signal.aborted)) permanent = error;
					else unreachable(error);
					throw error;
				});
				if (!signal.aborted) serve(hub, relay, { onEnd, unreachable, signal });
				return hub;
			},
			stop: (hub) => hub.close(),
			onDown: () => {
				hasOpened = true;
				if (permanent) over.resolve();
			},
			onStarted: () => {
				hasOpened = true;
			},
			isNeeded: () => !signal.aborted && permanent === undefined,
		},
		{ policy, log },
	);
	if (!signal.aborted) supervisor.keepUp();
	await over.promise;
	const isAttempt = supervisor.isStarting;
	const closed = supervisor.close().then(() => true);
	const isOver = isAttempt ? ((await within(closed, LATE_CONNECT_MS)) ?? false) : await closed;
	if (permanent) throw permanent;
	return isOver;
}

/** Serve with this hub until it is lost or another one is to be used. One that was lost after a while is dialed at once. */
function serve(
	hub: DialedHub,
	relay: Relay,
	on: { onEnd: (ending: Ending) => void; unreachable: (error: OrchestraError) => void; signal: AbortSignal },
): void {
	const startedAt = performance.now();
	const lost = relay.attach(hub.transport);
	void Promise.race([hub.closed, lost]).then((reason) => {
		if (on.signal.aborted) return;
		relay.detach(reason);
		if (reason === MOVED) return on.onEnd({ error: MOVED, isCrash: false });
		on.unreachable(reason);
		on.onEnd({ error: reason, isCrash: performance.now() - startedAt < STABLE_MS });
	});
}

function warn(log: Log, { message, hint }: OrchestraError): void {
	log.warn(`no orchestrator: ${message}${hint === undefined ? '' : ` (${hint})`}; trying again`);
}
