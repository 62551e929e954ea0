/*
 * A stream of server-sent events, bounded towards a client that does not read.
 *
 * Messages are written as they come. When more than the limit is unread, the
 * connection is closed: the memory is bounded, and a legacy client can resume.
 */
import type { ServerResponse } from 'node:http';
import type { HttpLimits } from './http-limits.ts';

const headers = {
	'Content-Type': 'text/event-stream',
	// A proxy must neither collect events nor compress them.
	'Cache-Control': 'no-cache, no-transform',
	'X-Accel-Buffering': 'no',
};

export class EventStream {
	readonly #response: ServerResponse;
	readonly #limits: HttpLimits;
	#wroteAt = performance.now();

	/** Sends the headers at once. */
	constructor(response: ServerResponse, limits: HttpLimits) {
		this.#response = response;
		this.#limits = limits;
		if (response.headersSent || response.destroyed) return;
		response.writeHead(200, headers);
		response.flushHeaders();
	}

	get isOpen(): boolean {
		return !this.#response.destroyed && !this.#response.writableEnded;
	}

	/** Send one message; `id` lets the client resume after it. */
	send(text: string, id?: string): void {
		this.#write(`${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${oneLine(text)}\n\n`);
	}

	/** Send an id without a message, from which the client can resume, and how long it waits before it does. */
	prime(id: string, retryMs: number): void {
		this.#write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
	}

	/** Send a comment if nothing was sent for a while, so that no proxy takes the stream for dead. */
	keepAlive(now: number): void {
		if (now - this.#wroteAt >= this.#limits.commentMs) this.#write(': keep-alive\n\n');
	}

	end(): void {
		if (this.isOpen) this.#response.end();
	}

	onClose(listener: () => void): void {
		this.#response.once('close', listener);
	}

	#write(text: string): void {
		if (!this.isOpen) return;
		if (this.#response.writableLength > this.#limits.unreadBytes) {
			this.#response.destroy();
			return;
		}
		this.#wroteAt = performance.now();
		this.#response.write(text);
	}
}

/** In JSON a line break can only be white space between tokens. */
function oneLine(text: string): string {
	return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]+/g, ' ') : text;
}
