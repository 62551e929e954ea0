/* Every limit of the HTTP listener. Tests pass smaller ones. */
import { MESSAGE_LIMIT_BYTES, UNREAD_RESPONSES_CHARACTERS } from '../wire/wire-limits.ts';

/** The limits of one HTTP listener. */
export interface HttpLimits {
	/** Longest body of a request, in bytes. */
	readonly bodyBytes: number;
	/** Messages of one batch. */
	readonly batchMessages: number;
	/** Responses of one batch until all are complete; further ones become errors. */
	readonly collectedCharacters: number;
	readonly connections: number;
	/** Open event streams over all clients, the dashboard included. */
	readonly pushStreams: number;
	/** Open streams for push of one legacy session. */
	readonly sessionStreams: number;
	readonly sessions: number;
	/** A legacy session without a request or a stream ends after this time. */
	readonly sessionIdleMs: number;
	/** How long a client may take to send the headers of a request. */
	readonly headersMs: number;
	/** How long a client may take to send a whole request. */
	readonly requestMs: number;
	/** How long an idle connection stays open for the next request. */
	readonly keepAliveMs: number;
	/** A connection that moves no byte for this time is closed. */
	readonly stalledMs: number;
	/** Interval of the comments on a stream without messages. */
	readonly commentMs: number;
	/** A legacy request without an answer after this time gets a stream, which the client can resume. */
	readonly streamAfterMs: number;
	/** Unread bytes of one stream; above it, the stream is ended. */
	readonly unreadBytes: number;
	/** Messages of a legacy session that are kept for resumption. */
	readonly replayMessages: number;
	/** The same, in characters. */
	readonly replayCharacters: number;
	/** Messages that wait for the next stream for push of a legacy session. */
	readonly unsentMessages: number;
	/** The same, in characters. */
	readonly unsentCharacters: number;
}

export const defaultHttpLimits: HttpLimits = {
	bodyBytes: MESSAGE_LIMIT_BYTES,
	batchMessages: 100,
	collectedCharacters: UNREAD_RESPONSES_CHARACTERS,
	connections: 256,
	pushStreams: 64,
	sessionStreams: 4,
	sessions: 256,
	sessionIdleMs: 4 * 60 * 60_000,
	headersMs: 10_000,
	requestMs: 60_000,
	keepAliveMs: 65_000,
	stalledMs: 120_000,
	commentMs: 15_000,
	streamAfterMs: 1000,
	unreadBytes: 8 * 1024 * 1024,
	replayMessages: 256,
	replayCharacters: 4 * 1024 * 1024,
	unsentMessages: 64,
	unsentCharacters: 1024 * 1024,
};
