/*
 * The bridge process: MCP on stdin and stdout, forwarded to a hub.
 *
 * Reading starts before the connection is made; early messages are queued. At the
 * end of input or at a signal, in-flight calls are drained, then everything is closed
 * and the process exits.
 */

import { randomUUID } from 'node:crypto';
import { OrchestraError } from '../errors.ts';
import { packageVersion } from '../files/package-version.ts';
import { Log } from '../log.ts';
import { onAbort } from '../rpc/abortable.ts';
import { within } from '../rpc/clock.ts';
import { deferred } from '../rpc/deferred.ts';
import { isExporting } from '../telemetry/is-exporting.ts';
import { drainedOrStopped } from '../transport/serve-stdio.ts';
import { StdioTransport, type StdioTransportOptions } from '../transport/stdio-transport.ts';
import { withTrace } from '../transport/trace.ts';
import type { Transport } from '../transport/transport.ts';
import { BRIDGE_DRAIN_MS, DISCONNECT_MS, FLUSH_MS, REFUSAL_MS } from './bridge-limits.ts';
import { type DialedHub, type DialHubOptions, dialHub, type FindHub } from './dial-hub.ts';
import { keepConnected } from './keep-connected.ts';
import { Relay, type RelayOptions } from './relay.ts';
import type { RequestSpans } from './request-spans.ts';

export interface BridgeOptions
	extends StdioTransportOptions,
		Pick<DialHubOptions, 'kind' | 'view'>,
		Pick<RelayOptions, 'earlyTools' | 'onRoots' | 'preface' | 'instructions' | 'queueMs' | 'stalledMs'> {
	findHub: FindHub;
	/** Aborted to shut down. */
	signal?: AbortSignal | undefined;
	/** Receives one line with the address of each connection. */
	say: (line: string) => void;
	/** Called when the bridge has ended, but its last responses cannot be flushed or its connection cannot be closed. */
	onStuck?: (() => void) | undefined;
}

/**
 * Serve until the client disconnects. Resolves when everything is answered, flushed and closed. Rejects when the
 * first connection attempt fails for a permanent reason, a wrong address or certificate, after the client got it.
 */
export async function runBridge(options: BridgeOptions): Promise<void> {
	const log = options.log ?? Log.fromEnvironment('transport.stdio');
	const stop = new AbortController();
	const stdio = new StdioTransport({ ...options, log });
	const transport = withTrace(stdio);
	const inputEnd = deferred();
	const unread = deferred();
	const spans = await openSpans(log);
	const relay = new Relay(transport, {
		...options,
		log,
		onInputEnd: inputEnd.resolve,
		onStalled: unread.resolve,
	});
	// The hub cancels what runs when the bridge disconnects.
	stdio.onBroken((error) => {
		log.warn(`stdout is closed (${error.message}); the bridge ends and its running requests are canceled`);
		unread.resolve();
	});
	stdio.watchOutput(() => !relay.isIdle);
	const stopped = deferred();
	const { kind, view } = options;
	const dialing = { sessionId: randomUUID(), view, signal: stop.signal, log, kind };
	const hubs = keepConnected({ relay, open: opener(options, dialing, spans), signal: stop.signal, log });
	transport.start(relay);
	const stopListening = onAbort(options.signal, () => {
		transport.stopReading();
		stopped.resolve();
	});
	let isQuiet = true;
	try {
		await Promise.race([inputEnd.promise, unread.promise, hubs]);
		await Promise.race([drain(relay, stopped.promise, log), unread.promise]);
		relay.finish(new OrchestraError('closed', 'the bridge is closing'));
		stop.abort();
		isQuiet = (await within(hubs, DISCONNECT_MS)) ?? false;
	} catch (thrown) {
		const ended = Promise.race([inputEnd.promise, stopped.promise, unread.promise]);
		await refuse(relay, OrchestraError.from(thrown), ended);
		throw thrown;
	} finally {
		await Promise.all([closeOutput(transport, options.onStuck), spans?.close()]);
		stopListening();
		if (!isQuiet) options.onStuck?.();
	}
}

/** An agent does not show why a pipe was closed, so it gets the reason in answers first. */
async function refuse(relay: Relay, reason: OrchestraError, ended: Promise<unknown>): Promise<void> {
	relay.refuse(reason);
	await within(ended, REFUSAL_MS);
	relay.finish(reason);
}

async function drain(relay: Relay, stopped: Promise<unknown>, log: Log): Promise<void> {
	if (await drainedOrStopped(relay.drained(BRIDGE_DRAIN_MS), stopped)) return;
	log.warn('requests were still running at the end of the drain; they are answered with an error');
}

/** Loaded when the environment names a collector. */
async function openSpans(log: Log): Promise<RequestSpans | undefined> {
	const environment = process.env;
	if (!isExporting(environment)) return undefined;
	const { openTracer } = await import('../telemetry/open-tracer.ts');
	const { RequestSpans } = await import('./request-spans.ts');
	const version = packageVersion();
	const tracer = openTracer({ environment, serviceName: 'orchestra-bridge', version, log });
	return tracer && new RequestSpans(tracer);
}

/** Flush the last responses. A client that does not read must not keep the process alive. */
async function closeOutput(transport: Transport, onStuck: (() => void) | undefined): Promise<void> {
	const closed = transport.close().then(() => true);
	if (!(await within(closed, FLUSH_MS))) onStuck?.();
}

/** Makes the function for one connection attempt. */
function opener(
	{ findHub, say }: BridgeOptions,
	options: DialHubOptions,
	spans: RequestSpans | undefined,
): () => Promise<DialedHub> {
	return async () => {
		for (;;) {
			const endpoint = await findHub();
			const hub = await dialHub(endpoint, options);
			if (endpoint.isCurrent?.() === false) {
				// The client named its project meanwhile, which happens once.
				await hub.close();
				continue;
			}
			spans?.observe(hub.transport);
			say(`transport.stdio: connected to orchestrator at ${endpoint.address}`);
			return hub;
		}
	};
}
