/*
 * What a peer needs of the pipe below it, and what the pipe needs of the peer.
 *
 * Messages cross here as the text of one JSON value, not as values: whoever is
 * above may forward the text untouched, echo an id exactly, or parse it once.
 */
import type { OrchestraError } from '../errors.ts';
import type { OversizeLine } from '../wire/lines.ts';

/** The way out, and backpressure. */
export interface Channel {
	/**
	 * Queue one message: the text of a JSON value, without a newline. False means that more waits
	 * than the pipe likes; await `flushed()` before the next one. Throws when the pipe is closed.
	 */
	post(text: string): boolean;
	/** Resolves when all that was posted so far is with the operating system. Rejects when it cannot be. */
	flushed(): Promise<void>;
	/** Stop delivering for now: the sender feels it. */
	pause(): void;
	resume(): void;
	/** Close both directions and wait until all that belongs to the pipe is gone. Idempotent. */
	close(): Promise<void>;
	/** A line came that is no message: count it and keep it for the diagnosis. */
	noteStray(text: string): void;
}

/** Takes what the pipe delivers. */
export interface Receiver {
	/** One message, as text. Never called after `end`. */
	message(text: string): void;
	/** A message over the limit was dropped. */
	oversize(line: OversizeLine): void;
	/** Nothing more will come, and why. Called exactly once. Sending may still work. */
	end(reason: OrchestraError): void;
}
