/*
 * The two kinds of response bodies: one text, and a stream of server-sent events.
 *
 * Both are bounded and linear in the size of the body: chunks are joined once, and the
 * parser of events joins an incomplete line once (measured with one event of 40 MiB).
 */
import type { IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { type SilenceRules, SilenceWatch } from './events/silence-watch.ts';
import { LINGER_MS } from './http-client-limits.ts';
import { readBytes } from './read-bytes.ts';

/** The body as text; undefined when it is longer than the limit, which ends the connection. Rejects when it is cut. */
export async function readText(response: IncomingMessage, limitBytes: number): Promise<string | undefined> {
	return (await readBytes(response, limitBytes))?.toString('utf8');
}

/** Where a stream of events is, for its continuation. */
export interface StreamPosition {
	lastEventId: string | undefined;
	/** The delay that the server wants before a reconnect. */
	retryMs: number | undefined;
	/** Attempts to open the stream again that yielded nothing. */
	idleAttempts: number;
	/** True when the last attempt got a stream with an event without data: the server closes streams on purpose, so the attempts have no end. */
	isPrimed: boolean;
}

export function newPosition(): StreamPosition {
	return { lastEventId: undefined, retryMs: undefined, idleAttempts: 0, isPrimed: false };
}

/** Limits and receivers of `readEvents`. */
export interface EventReader {
	readonly limitBytes: number;
	readonly position: StreamPosition;
	/** True when the server may answer later: an event without data is progress too. */
	readonly isPolled?: boolean;
	/** Close the stream when its heartbeats stop. Default: never. */
	readonly silence?: SilenceRules | undefined;
	readonly onEvent: (event: EventSourceMessage) => void;
}

/** Read events until the stream ends, in whatever way. `too large`: an event is over the limit; the stream is closed. */
export function readEvents(response: IncomingMessage, reader: EventReader): Promise<'ended' | 'too large'> {
	const { limitBytes, position, isPolled = false, silence, onEvent } = reader;
	const watch = silence && new SilenceWatch(response, silence);
	return new Promise((resolve) => {
		const parser = createParser({
			maxBufferSize: limitBytes,
			onRetry: (ms) => {
				position.retryMs = ms;
			},
			onEvent: (event) => {
				if (isPolled || event.data !== '') position.idleAttempts = 0;
				if (event.data === '') position.isPrimed = true;
				if (event.id !== undefined) position.lastEventId = event.id === '' ? undefined : event.id;
				if (event.data !== '') onEvent(event);
			},
			onComment: () => watch?.beat(),
			onError: ({ type }) => {
				if (type !== 'max-buffer-size-exceeded') return;
				resolve('too large');
				response.destroy();
			},
		});
		response.setEncoding('utf8');
		response.on('data', (chunk: string) => {
			watch?.read();
			parser.feed(chunk);
		});
		response.once('close', () => resolve('ended'));
		response.once('error', () => resolve('ended'));
	});
}

/** True for a stream of server-sent events. */
export function isEventStream(response: IncomingMessage): boolean {
	return /^\s*text\/event-stream/i.test(response.headers['content-type'] ?? '');
}

/** Read the rest of a body that is not needed, so that its connection can be used again; one without an end is closed. */
export function discardBody(response: IncomingMessage): void {
	response.resume();
	closeSoon(response);
}

/** Close a stream that should end by itself now, if it does not. */
export function closeSoon(response: IncomingMessage): void {
	const timer = setTimeout(() => response.destroy(), LINGER_MS);
	timer.unref();
	response.once('close', () => clearTimeout(timer));
}
