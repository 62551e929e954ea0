/*
 * One stream of server-sent events, bounded towards a page that does not read.
 *
 * Above the limit nothing is written: a newer state replaces an older one, and rows and
 * lines are counted as dropped. A connection that moves no byte is closed by the listener.
 */
import type { ServerResponse } from 'node:http';
import { eventHeaders, StreamedReply } from '../http/event-stream.ts';
import { apiHeaders } from './api-reply.ts';
import type { DashboardEvents, SignalEvent } from './api-types.ts';
import type { DashboardLimits } from './dashboard-limits.ts';

/** How long the page waits before it connects again, in milliseconds. */
const RETRY_MS = 1000;

export class EventReply extends StreamedReply {
	readonly #pingMs: number;

	constructor(response: ServerResponse, limits: Pick<DashboardLimits, 'unreadBytes' | 'pingMs'>) {
		super(response, limits.unreadBytes, {
			...apiHeaders,
			...eventHeaders,
			'Cache-Control': 'no-store, no-transform',
		});
		this.#pingMs = limits.pingMs;
		this.write(`retry: ${RETRY_MS}\n\n`);
	}

	/** True when the page reads, so that an event can be sent. */
	get isReady(): boolean {
		return this.isOpen && !this.isFull;
	}

	/** Send an event whose data is encoded. JSON has no line break outside of white space. */
	send(name: keyof DashboardEvents | SignalEvent, json: string): void {
		if (this.isReady) this.write(`event: ${name}\ndata: ${json}\n\n`);
	}

	/** Send a `ping` when nothing was sent for a while. A page does not see comments. */
	keepAlive(now: number): void {
		if (this.isQuiet(now, this.#pingMs)) this.send('ping', '{}');
	}
}
