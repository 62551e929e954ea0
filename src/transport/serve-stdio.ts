/*
 * A server process: JSON-RPC on stdin and stdout, from the first line to exit 0.
 *
 * End of input or a first signal: stop reading, finish what is in flight within
 * a bound, flush, close. After a signal, requests that have not begun are dropped and a reader
 * that takes nothing gets a moment only; a second signal ends the process at once. A closed stdout
 * cancels what runs: nobody can read the answer. The process
 * then ends by itself, because nothing keeps it alive; whoever holds other
 * resources closes them when the returned promise resolves.
 */
import type { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { Peer, type PeerOptions } from '../rpc/peer.ts';
import { onSignals } from './on-signals.ts';
import { StdioTransport, type StdioTransportOptions } from './stdio-transport.ts';
import { isTracing, traced, traceToStderr } from './trace.ts';

/** How long requests in flight have to finish after the end of input, in milliseconds. */
export const DRAIN_MS = 5000;

/** How long the reader of stdout has to take what waits, after a signal or when it was given up, in milliseconds. */
const LAST_FLUSH_MS = 1000;

export interface ServeOptions extends Omit<PeerOptions, 'role' | 'onEnd' | 'log'>, StdioTransportOptions {
	/** Default 5 s. */
	drainMs?: number | undefined;
	/** Gets the peer, for requests and notifications to the client. */
	onStart?: (peer: Peer) => void;
	/** Told when no more requests will come, before those in flight are waited for. */
	onInputEnd?: () => void;
}

/**
 * Serve until the client is gone. Resolves when everything is answered, flushed and closed. Throws `timeout` for a
 * client that sent requests and read no answers.
 */
export async function serveStdio(options: ServeOptions): Promise<void> {
	const log = options.log ?? Log.fromEnvironment('orchestra');
	const transport = withTrace(new StdioTransport({ ...options, log }), log);
	let isHurried = false;
	let failure: OrchestraError | undefined;
	const started = start();
	const releaseSignals = onSignals((signal) => {
		isHurried = true;
		log.info(`${signal}: finishing what is in flight`);
		transport.stopReading();
		const dropped = started.peer.dropWaiting();
		if (dropped > 0) log.warn(`${dropped} requests had not begun and are left unanswered`);
		if (transport.isClosed) transport.limitFlush(LAST_FLUSH_MS);
	});
	await started.ended;
	if (isHurried) transport.limitFlush(LAST_FLUSH_MS);
	await transport.close();
	releaseSignals();
	if (failure) throw failure;

	function start(): { peer: Peer; ended: Promise<void> } {
		let onEnd: (reason: OrchestraError) => void = () => {};
		const ended = new Promise<void>((resolve) => {
			onEnd = (reason) => {
				if (reason.code === 'timeout') failure = reason;
				isHurried ||= failure !== undefined;
				resolve(finish(peer));
			};
		});
		const peer = new Peer(transport, { ...options, log, role: 'server', onEnd });
		transport.onBroken((error) => {
			log.warn(`stdout is closed (${error.message}); ${peer.incomingCount} running requests are canceled`);
			peer.cancelIncoming('stdout is closed');
		});
		options.onStart?.(peer);
		transport.start(peer);
		return { peer, ended };
	}

	async function finish(peer: Peer): Promise<void> {
		const drainMs = options.drainMs ?? DRAIN_MS;
		// A handler may wait for something that does not keep the process alive.
		const keepAlive = setInterval(() => {}, drainMs + 1000);
		await peer.admitted();
		options.onInputEnd?.();
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
