/*
 * Replies that are written piece by piece, bounded towards a client that does not read.
 *
 * Messages of MCP are written as they come. When more than the limit is unread, the
 * connection is closed: the memory is bounded, and a legacy client can resume.
 */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { oneLine } from '../wire/json-text.ts';
import type { HttpLimits } from './http-limits.ts';

/** A reply in pieces. What is not written above the limit is up to its owner. */
export class StreamedReply {
	readonly #response: ServerResponse;
	readonly #unreadBytes: number;
	#wroteAt = performance.now();

	/** Sends the headers at once. */
	constructor(response: ServerResponse, unreadBytes: number, headers: OutgoingHttpHeaders) {
		this.#response = response;
		this.#unreadBytes = unreadBytes;
		if (response.headersSent || response.destroyed) return;
		// A proxy must not collect the pieces.
		response.writeHead(200, { ...headers, 'X-Accel-Buffering': 'no' });
		response.flushHeaders();
	}

	get isOpen(): boolean {
		return !this.#response.destroyed && !this.#response.writableEnded;
	}

	/** True when the client does not read. */
	get isFull(): boolean {
		return this.#response.writableLength > this.#unreadBytes;
	}

	write(text: string): void {
		if (!this.isOpen) return;
		this.#wroteAt = performance.now();
		this.#response.write(text);
	}

	/** Whether nothing was written for this long: something must be, so that no proxy takes the reply for dead. */
	isQuiet(now: number, quietMs: number): boolean {
		return now - this.#wroteAt >= quietMs;
	}

	end(): void {
		if (this.isOpen) this.#response.end();
	}

	destroy(): void {
		this.#response.destroy();
	}

	onClose(listener: () => void): void {
		this.#response.once('close', listener);
	}
}

export const eventHeaders = {
	'Content-Type': 'text/event-stream',
	// A proxy must not compress events.
	'Cache-Control': 'no-cache, no-transform',
};

/** A stream of server-sent events. */
export class EventStream extends StreamedReply {
	readonly #commentMs: number;

	constructor(response: ServerResponse, { unreadBytes, commentMs }: HttpLimits) {
		super(response, unreadBytes, eventHeaders);
		this.#commentMs = commentMs;
	}

	/** Send one message; `id` lets the client resume after it. */
	send(text: string, id?: string): void {
		this.write(`${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${oneLine(text)}\n\n`);
	}

	/** Send an id without a message, from which the client can resume, and how long it waits before it does. */
	prime(id: string, retryMs: number): void {
		this.write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
	}

	/** Send a comment if nothing was sent for a while. */
	keepAlive(now: number): void {
		if (this.isQuiet(now, this.#commentMs)) this.write(': keep-alive\n\n');
	}

	override write(text: string): void {
		if (this.isFull) this.destroy();
		else super.write(text);
	}
}

/** The limit of open event streams, over all paths of a listener: each holds a connection. */
export class EventStreamPool {
	readonly #limit: number;
	#count = 0;

	constructor(limit: number) {
		this.#limit = limit;
	}

	/** True when no more streams may be opened. */
	get isFull(): boolean {
		return this.#count >= this.#limit;
	}

	/** Count a stream until its connection closes. */
	add(response: ServerResponse): void {
		this.#count++;
		response.once('close', () => this.#count--);
	}
}
