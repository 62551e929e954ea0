/*
 * A server process: JSON-RPC on stdin and stdout, until a clean exit.
 *
 * At the end of input or a first signal: stop reading, drain requests in flight within
 * a timeout, flush, close. After a signal, queued requests are dropped, and drain and final
 * flush are short: clients kill a server two seconds after the signal. A second one exits at once. A closed stdout cancels requests in
 * flight within seconds, because their responses cannot be sent. The process then exits because
 * nothing keeps it alive; close other resources when the returned promise resolves.
 */
import { messageOf, type OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import { onAbort } from '../rpc/abortable.ts';
import { within } from '../rpc/clock.ts';
import { deferred } from '../rpc/deferred.ts';
import { Peer, type PeerOptions } from '../rpc/peer.ts';
import { StdioTransport, type StdioTransportOptions } from './stdio-transport.ts';
import { isTracing, traced, withTrace } from './trace.ts';
import { DRAIN_MS, LAST_FLUSH_MS, SIGNAL_DRAIN_MS } from './transport-limits.ts';

/** Handlers and settings of `serveStdio`. */
export interface ServeOptions
	extends Omit<PeerOptions, 'role' | 'onEnd' | 'onStalled' | 'log'>,
		StdioTransportOptions {
	/** Drain timeout. Default 5 s. */
	drainMs?: number | undefined;
	/** Aborted to shut down, as at a first SIGINT or SIGTERM; the caller then handles these signals. Default: they are handled here. */
	signal?: AbortSignal | undefined;
	/** Receives the peer, for requests and notifications to the client. */
	onStart?: (peer: Peer) => void;
	/** Called after the last request was started, before the drain. */
	onInputEnd?: () => void;
}

/**
 * Serve until the client disconnects. Resolves when everything is drained, flushed and closed. Throws `timeout` for
 * a client that sent requests and read no responses.
 */
export async function serveStdio(options: ServeOptions): Promise<void> {
	const log = options.log ?? Log.fromEnvironment('orchestra');
	const transport = logged(new StdioTransport({ ...options, log }), log);
	let isStopping = false;
	let failure: OrchestraError | undefined;
	const started = start();
	const stop = deferred();
	const release = onStop(options.signal, (reason) => {
		isStopping = true;
		stop.resolve();
		log.info(`${reason}: draining requests in flight`);
		transport.stopReading();
		const dropped = started.peer.dropWaiting();
		if (dropped > 0) log.warn(`dropped ${dropped} requests that had not started`);
		if (transport.isClosed) transport.limitFlush(LAST_FLUSH_MS);
	});
	await started.ended;
	if (isStopping) transport.limitFlush(LAST_FLUSH_MS);
	await transport.close();
	release();
	if (failure) throw failure;

	function start(): { peer: Peer; ended: Promise<void> } {
		let onEnd = (): void => {};
		const ended = new Promise<void>((resolve) => {
			onEnd = () => resolve(drain(peer, { ...options, log }, stop.promise));
		});
		const onStalled = (reason: OrchestraError): void => {
			failure = reason;
			transport.limitFlush(LAST_FLUSH_MS);
		};
		const peer = new Peer(transport, { ...options, log, role: 'server', onEnd, onStalled });
		transport.onBroken((error) => {
			log.warn(`stdout is closed (${error.message}); ${peer.incomingCount} running requests are canceled`);
			peer.cancelIncoming('stdout is closed');
		});
		transport.watchOutput(() => peer.incomingCount > 0 || peer.waitingCount > 0);
		options.onStart?.(peer);
		transport.start(peer);
		return { peer, ended };
	}
}

/** Finish the requests that were read; cancel those that take too long. */
async function drain(
	peer: Peer,
	{ drainMs = DRAIN_MS, onInputEnd, log }: Pick<ServeOptions, 'drainMs' | 'onInputEnd'> & { log: Log },
	stop: Promise<unknown>,
): Promise<void> {
	// A handler may await something that does not keep the process alive.
	const keepAlive = setInterval(() => {}, drainMs + 1000);
	await peer.admitted();
	onInputEnd?.();
	const isDone = await drainedOrStopped(peer.drained(drainMs), stop);
	clearInterval(keepAlive);
	if (!isDone) log.warn(`${peer.incomingCount} requests did not finish in time and get no response`);
	peer.cancelIncoming('the server is shutting down');
}

/** Call `stop` when `signal` is aborted, or at the first signal of the system when there is none. */
function onStop(signal: AbortSignal | undefined, stop: (reason: string) => void): () => void {
	if (signal === undefined) return onSignals(stop);
	return onAbort(signal, () => stop(messageOf(signal.reason)));
}

/** Whether requests in flight were drained: within their timeout, and within a short one after `stop`. */
export async function drainedOrStopped(drained: Promise<boolean>, stop: Promise<unknown>): Promise<boolean> {
	const late = stop.then(() => within(drained, SIGNAL_DRAIN_MS));
	return (await Promise.race([drained, late])) ?? false;
}

/** The messages are shown in a trace, or in the debug log. */
function logged(transport: StdioTransport, log: Log): StdioTransport {
	if (isTracing(process.env) || !log.isDebug) return withTrace(transport);
	return traced(transport, (direction, text) => log.debug(`${direction} ${text}`));
}

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** First signal: call `stop`. Second: exit at once, with 130 or 143. Returns a function that removes the handlers. */
function onSignals(stop: (signal: NodeJS.Signals) => void): () => void {
	const signals = ['SIGINT', 'SIGTERM'] as const;
	let isStopping = false;
	const handle = (signal: 'SIGINT' | 'SIGTERM'): void => {
		if (isStopping) process.exit(exitCodes[signal]);
		isStopping = true;
		stop(signal);
	};
	for (const signal of signals) process.on(signal, handle);
	return () => {
		for (const signal of signals) process.off(signal, handle);
	};
}
