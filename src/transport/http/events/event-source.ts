/*
 * A stream of events from GET, and when to open it again.
 *
 * The delay that the server names is the shortest one. Each attempt that yields nothing
 * doubles it, so a server that closes every stream at once is not asked in a loop.
 */
import type { IncomingMessage } from 'node:http';
import { onAbort } from '../../../rpc/abortable.ts';
import { pause, timerMs } from '../../../rpc/clock.ts';
import { REPLY_MS, STREAM_ATTEMPTS, STREAM_RETRY_MS } from '../http-client-limits.ts';
import type { HttpWire } from '../http-wire.ts';
import type { ReadFlow } from '../read-flow.ts';
import { isEventStream, type StreamPosition } from '../response-body.ts';

export interface EventSource {
	readonly wire: HttpWire;
	/** Session and version. */
	readonly headers: Readonly<Record<string, string>>;
	/** Ends the wait, the request and the stream. */
	readonly signal: AbortSignal;
}

/** What a stream outside of a request needs of its transport. */
export interface EventStreamDeps {
	readonly wire: HttpWire;
	readonly flow: ReadFlow;
	readonly limitBytes: number;
	/** True while a request is in flight. */
	readonly isBusy: () => boolean;
	readonly onMessage: (text: string) => void;
}

/** `none`: the server has no such stream. `lost`: it does not know the session. `later`: another attempt may succeed. */
export type OpenedStream = IncomingMessage | 'none' | 'lost' | 'later';

/** Open a stream; a position with an event id continues it there. Never rejects. */
export async function openStream(position: StreamPosition, source: EventSource): Promise<OpenedStream> {
	const { wire, headers, signal } = source;
	const { lastEventId } = position;
	position.idleAttempts++;
	position.isPrimed = false;
	const exchange = wire.exchange({
		method: 'GET',
		headers: {
			...headers,
			accept: 'text/event-stream',
			...(lastEventId === undefined ? undefined : { 'last-event-id': lastEventId }),
		},
		replyMs: REPLY_MS,
	});
	const stopListening = onAbort(signal, () => exchange.abort());
	try {
		const response = await exchange.reply();
		response.once('close', stopListening);
		if (response.statusCode === 200 && isEventStream(response)) return response;
		response.destroy();
		return verdictOf(response.statusCode ?? 0);
	} catch {
		// The reason is not lost: if the server stays away, the calls fail with it.
		stopListening();
		return 'later';
	}
}

function verdictOf(status: number): 'none' | 'lost' | 'later' {
	if (status === 404) return 'lost';
	// 409: the server has not noticed yet that the last stream is gone.
	return status >= 500 || status === 409 || status === 429 ? 'later' : 'none';
}

/** Wait before the next attempt; false when there is none left, or `signal` ended the wait. */
export async function waitToReopen(position: StreamPosition, signal: AbortSignal): Promise<boolean> {
	const delayMs = reopenDelayMs(position);
	if (delayMs === undefined) return false;
	try {
		await pause(delayMs, signal);
		return true;
	} catch {
		return false; // aborted
	}
}

/** The delay before the next attempt; undefined when there is none left. */
export function reopenDelayMs({ retryMs, idleAttempts, isPrimed }: StreamPosition): number | undefined {
	const { shortest, first, longest } = STREAM_RETRY_MS;
	const isLate = idleAttempts >= STREAM_ATTEMPTS;
	if (isLate && !isPrimed) return undefined;
	const named = retryMs ?? first;
	const backoffMs = isLate ? longest : Math.min(named * 2 ** idleAttempts, longest);
	return timerMs(Math.max(named, backoffMs, shortest));
}

/** Continue a stream that broke; undefined when the server cannot. */
export async function resumeStream(
	position: StreamPosition,
	source: EventSource,
): Promise<IncomingMessage | undefined> {
	while (await waitToReopen(position, source.signal)) {
		const opened = await openStream(position, source);
		if (opened === 'none' || opened === 'lost') return undefined;
		if (opened !== 'later') return opened;
	}
	return undefined;
}
