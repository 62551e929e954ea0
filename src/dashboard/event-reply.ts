/*
 * One stream of server-sent events, bounded towards a page that does not read.
 *
 * Above the limit nothing is written: a newer state replaces an older one, and rows and
 * lines are counted as dropped. A connection that moves no byte is closed by the listener.
 */
import type { ServerResponse } from 'node:http';
import { apiHeaders } from './api-reply.ts';
import type { DashboardEvents, SignalEvent } from './api-types.ts';
import type { DashboardLimits } from './dashboard-limits.ts';

/** How long the page waits before it connects again, in milliseconds. */
const RETRY_MS = 1000;

export class EventReply {
	readonly #response: ServerResponse;
	readonly #limits: Pick<DashboardLimits, 'unreadBytes' | 'pingMs'>;
	#wroteAt = performance.now();

	constructor(response: ServerResponse, limits: Pick<DashboardLimits, 'unreadBytes' | 'pingMs'>) {
		this.#response = response;
		this.#limits = limits;
		response.writeHead(200, {
			...apiHeaders,
			'Content-Type': 'text/event-stream',
			// A proxy must neither collect events nor compress them.
			'Cache-Control': 'no-store, no-transform',
			'X-Accel-Buffering': 'no',
		});
		response.write(`retry: ${RETRY_MS}\n\n`);
	}

	/** True when the page reads, so that an event can be sent. */
	get isReady(): boolean {
		const { destroyed, writableEnded, writableLength } = this.#response;
		return !destroyed && !writableEnded && writableLength <= this.#limits.unreadBytes;
	}

	/** Send an event whose data is encoded. JSON has no line break outside of white space. */
	send(name: keyof DashboardEvents | SignalEvent, json: string): void {
		if (!this.isReady) return;
		this.#wroteAt = performance.now();
		this.#response.write(`event: ${name}\ndata: ${json}\n\n`);
	}

	/** Send a `ping` when nothing was sent for a while. A page does not see comments. */
	keepAlive(now: number): void {
		if (now - this.#wroteAt < this.#limits.pingMs || !this.isReady) return;
		this.send('ping', '{}');
	}

	end(): void {
		this.#response.end();
	}
}
