/*
 * A server process: JSON-RPC on stdin and stdout, from the first line to exit 0.
 *
 * End of input or a first signal: stop reading, finish what is in flight within
 * a bound, flush, close. A second signal ends the process at once. The process
 * then ends by itself, because nothing keeps it alive; whoever holds other
 * resources closes them when the returned promise resolves.
 */
import { Log } from '../log.ts';
import { Peer, type PeerOptions } from '../rpc/peer.ts';
import { onSignals } from './on-signals.ts';
import { StdioTransport, type StdioTransportOptions } from './stdio-transport.ts';
import { isTracing, traced, traceToStderr } from './trace.ts';

/** How long requests in flight have to finish after the end of input, in milliseconds. */
export const DRAIN_MS = 5000;

export interface ServeOptions extends Omit<PeerOptions, 'role' | 'onEnd' | 'log'>, StdioTransportOptions {
	/** Default 5 s. */
	drainMs?: number | undefined;
	/** Gets the peer, for requests and notifications to the client. */
	onStart?: (peer: Peer) => void;
	/** Told when no more requests will come, before those in flight are waited for. */
	onInputEnd?: () => void;
}

/** Serve until the client is gone. Resolves when everything is answered, flushed and closed. */
export async function serveStdio(options: ServeOptions): Promise<void> {
	const log = options.log ?? Log.fromEnvironment('orchestra');
	const transport = withTrace(new StdioTransport({ ...options, log }), log);
	const ended = new Promise<void>((resolve) => {
		const peer = new Peer(transport, { ...options, log, role: 'server', onEnd: () => resolve(finish(peer)) });
		options.onStart?.(peer);
		transport.start(peer);
	});
	const releaseSignals = onSignals((signal) => {
		log.info(`${signal}: finishing what is in flight`);
		transport.stopReading();
	});
	await ended;
	await transport.close();
	releaseSignals();

	async function finish(peer: Peer): Promise<void> {
		const drainMs = options.drainMs ?? DRAIN_MS;
		options.onInputEnd?.();
		// A handler may wait for something that does not keep the process alive.
		const keepAlive = setInterval(() => {}, drainMs + 1000);
		const isDone = await peer.drained(drainMs);
		clearInterval(keepAlive);
		if (!isDone) log.warn(`${peer.incomingCount} requests were still running and are left unanswered`);
		peer.cancelIncoming('the server is shutting down');
	}
}

function withTrace(transport: StdioTransport, log: Log): StdioTransport {
	if (isTracing(process.env)) return traced(transport, traceToStderr);
	return log.isDebug ? traced(transport, (direction, text) => log.debug(`${direction} ${text}`)) : transport;
}
