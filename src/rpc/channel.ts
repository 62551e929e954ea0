/*
 * The interface between a peer and the pipe below it.
 *
 * A message is the text of one JSON value, not the value: the layer above may
 * forward the text unchanged, echo an id exactly, or parse it once.
 */
import type { OrchestraError } from '../errors.ts';
import type { Id } from '../wire/json-rpc.ts';
import type { OversizeLine } from '../wire/lines.ts';

/** The request of the other side that a message belongs to, and whether the message is its response. */
export interface About {
	readonly id: Id;
	readonly isResponse: boolean;
}

/** The sending side of a pipe, with backpressure. */
export interface Channel {
	/**
	 * Queue one message: the text of a JSON value, without a newline. False: the queue is above the
	 * high-water mark, so await `flushed()` before the next one. Throws when the pipe is closed.
	 * A channel that is not one pipe routes by `about`.
	 */
	post(text: string, about?: About): boolean;
	/** Resolves when everything posted so far was written to the operating system. Rejects when the pipe breaks. */
	flushed(): Promise<void>;
	/** Stop reading: backpressure reaches the sender. */
	pause(): void;
	resume(): void;
	/** Close both directions and release all resources of the pipe. Idempotent. */
	close(): Promise<void>;
	/** Count a received line that is not a message and keep it for the diagnosis. */
	logStray(text: string): void;
}

/** Receives the messages of a pipe. */
export interface Receiver {
	/** Called with one message as text. Never called after `end`. */
	message(text: string): void;
	/** Called for a message over the limit, which was dropped. */
	oversize(line: OversizeLine): void;
	/**
	 * Called when the request `id` that was posted will get no response, while the pipe itself lives on: over HTTP every
	 * request has its own connection. `error.data.outcome` says whether the request was processed (`RequestOutcome`). A receiver without this method gets a JSON-RPC error response instead. Never
	 * called during `post`.
	 */
	failed?(id: Id, error: OrchestraError): void;
	/** Called once when the input ends, with the reason. Sending may still work (half-close). */
	end(reason: OrchestraError): void;
}
