/*
 * The bridge as a process: MCP on stdin and stdout, a hub somewhere else.
 *
 * Reading starts at once, while the connection is being made; what comes early
 * waits. At the end of input or at a signal the calls in flight may finish, then
 * all is closed and the process ends by itself.
 */

import { randomUUID } from 'node:crypto';
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { within } from '../rpc/clock.ts';
import { deferred } from '../rpc/deferred.ts';
import { onSignals } from '../transport/on-signals.ts';
import { StdioTransport, type StdioTransportOptions } from '../transport/stdio-transport.ts';
import { isTracing, traced, traceToStderr } from '../transport/trace.ts';
import type { Transport } from '../transport/transport.ts';
import { BRIDGE_DRAIN_MS, FLUSH_MS } from './bridge-limits.ts';
import { type DialedHub, type DialHubOptions, dialHub } from './dial-hub.ts';
import type { FindHub } from './hub-place.ts';
import { keepConnected } from './keep-connected.ts';
import { Relay } from './relay.ts';

export interface BridgeOptions extends StdioTransportOptions, Pick<DialHubOptions, 'kind'> {
	findHub: FindHub;
	/** Gets the one line that says where the bridge is connected to. */
	say: (line: string) => void;
	/** How long messages wait for a hub that is away. Default 5 s. */
	holdMs?: number | undefined;
	/** How long the client may read nothing while much waits for it. Default 60 s. */
	unreadMs?: number | undefined;
	/** Called when the bridge is over, but its last answers cannot leave because nobody reads them. */
	onStuck?: (() => void) | undefined;
}

/**
 * Serve until the client is gone. Resolves when everything is answered, flushed and closed. Rejects when the
 * first attempt shows that there can be no connection: an address or a certificate that is wrong.
 */
export async function runBridge(options: BridgeOptions): Promise<void> {
	const log = options.log ?? Log.fromEnvironment('transport.stdio');
	const stop = new AbortController();
	const stdio = new StdioTransport({ ...options, log });
	const transport = isTracing(process.env) ? traced(stdio, traceToStderr) : stdio;
	const inputEnd = deferred();
	const unread = deferred();
	const relay = new Relay(transport, {
		log,
		holdMs: options.holdMs,
		unreadMs: options.unreadMs,
		onInputEnd: inputEnd.resolve,
		onUnread: unread.resolve,
	});
	const releaseSignals = onSignals(() => transport.stopReading());
	const open = opener(options, { sessionId: randomUUID(), signal: stop.signal, log, kind: options.kind });
	const hubs = keepConnected({ relay, open, signal: stop.signal, log });
	transport.start(relay);
	try {
		await Promise.race([inputEnd.promise, unread.promise, hubs]);
		const isDone = await Promise.race([relay.drained(BRIDGE_DRAIN_MS), unread.promise]);
		if (isDone === false)
			log.warn(`requests were still running after ${BRIDGE_DRAIN_MS} ms; they are answered with an error`);
		relay.finish(new OrchestraError('closed', 'the bridge is closing'));
		stop.abort();
		await hubs;
	} catch (thrown) {
		relay.finish(OrchestraError.from(thrown));
		throw thrown;
	} finally {
		await closeOutput(transport, options.onStuck);
		releaseSignals();
	}
}

/** Give the last answers a moment to leave. A client that does not read must not keep the process. */
async function closeOutput(transport: Transport, onStuck: (() => void) | undefined): Promise<void> {
	const closed = transport.close().then(() => true);
	if (!(await within(closed, FLUSH_MS))) onStuck?.();
}

/** What makes one attempt to connect. */
function opener({ findHub, say }: BridgeOptions, options: DialHubOptions): () => Promise<DialedHub> {
	return async () => {
		const place = await findHub();
		const hub = await dialHub(place, options);
		say(`transport.stdio: connected to orchestrator at ${place.address}`);
		return hub;
	};
}
