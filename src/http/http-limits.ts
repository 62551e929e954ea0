/* Every limit of the HTTP listener. Tests pass smaller ones. */
import { MESSAGE_LIMIT_BYTES, UNREAD_RESPONSES_CHARACTERS } from '../wire/wire-limits.ts';

/** The limits of one HTTP listener, and their defaults. */
export class HttpLimits {
	/** Longest body of a request, in bytes. */
	readonly bodyBytes: number = MESSAGE_LIMIT_BYTES;
	/** Messages of one batch. */
	readonly batchMessages: number = 100;
	/** Responses of one batch until all are complete; further ones become errors. */
	readonly collectedCharacters: number = UNREAD_RESPONSES_CHARACTERS;
	readonly connections: number = 256;
	/** Open event streams over all clients, the dashboard included. */
	readonly pushStreams: number = 64;
	/** Open streams for push of one legacy session. */
	readonly sessionStreams: number = 4;
	readonly sessions: number = 256;
	/** A legacy session without a request or a stream ends after this time. */
	readonly sessionIdleMs: number = 4 * 60 * 60_000;
	/** How long a client may take to send the headers of a request. */
	readonly headersMs: number = 10_000;
	/** How long a client may take to send a whole request. */
	readonly requestMs: number = 60_000;
	/** How long an idle connection stays open for the next request. */
	readonly keepAliveMs: number = 65_000;
	/** A connection that moves no byte for this time is closed. */
	readonly stalledMs: number = 120_000;
	/** Interval of the comments on a stream without messages. */
	readonly commentMs: number = 15_000;
	/** A legacy request without an answer after this time gets a stream, which the client can resume. */
	readonly streamAfterMs: number = 1000;
	/** Unread bytes of one stream; above it, the stream is ended. */
	readonly unreadBytes: number = 8 * 1024 * 1024;
	/** Messages of a legacy session that are retained for resumption. */
	readonly replayMessages: number = 256;
	/** The same, in characters. */
	readonly replayCharacters: number = 4 * 1024 * 1024;
	/** Messages that wait for the next stream for push of a legacy session. */
	readonly unsentMessages: number = 64;
	/** The same, in characters. */
	readonly unsentCharacters: number = 1024 * 1024;
}

/** Requests that wait on one connection before no more are read from it; those of one more chunk may follow. */
export const PIPELINE_LIMIT = 32;

/** How often each one is called, in milliseconds. */
export const HEARTBEAT_INTERVAL_MS = 250;

/** How long clients may take to read the last bytes when the listener closes, in milliseconds. */
export const LISTENER_CLOSE_MS = 500;

/** How often slow requests are looked for, in milliseconds. */
export const LISTENER_CHECK_MS = 5000;

/** How long a client waits before it resumes a stream, in milliseconds. */
export const LEGACY_RETRY_MS = 1000;

/** Most clients whose calls pass as text; the next one begins a new table. */
export const KNOWN_CLIENTS_LIMIT = 1000;

export const HEADER_SHOWN_CHARACTERS = 80;

/** Most headers of one tool. */
export const PARAM_HEADERS_LIMIT = 100;

export const KNOWN_ADDRESSES_LIMIT = 16;
