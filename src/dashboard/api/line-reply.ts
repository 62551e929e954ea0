/*
 * A reply of JSON lines, bounded towards a page that does not read: progress and log
 * messages are dropped and counted; elicitations and the end are always sent.
 */
import type { ServerResponse } from 'node:http';
import { StreamedReply } from '../../http/event-stream.ts';
import type { DashboardLimits } from '../dashboard-limits.ts';
import type { CallMessage } from './api-calls.ts';
import { apiHeaders } from './api-reply.ts';

export class LineReply {
	readonly #reply: StreamedReply;
	#dropped = 0;

	constructor(
		response: ServerResponse,
		{ unreadBytes, pingMs }: Pick<DashboardLimits, 'unreadBytes' | 'pingMs'>,
	) {
		const reply = new StreamedReply(response, unreadBytes, {
			...apiHeaders,
			'Content-Type': 'application/x-ndjson',
		});
		this.#reply = reply;
		// A page that does not read moves no byte, and its connection ends.
		const keepAlive = setInterval(() => reply.isFull || reply.write('\n'), pingMs);
		reply.onClose(() => clearInterval(keepAlive));
	}

	send(message: CallMessage): void {
		const isOptional = message.kind === 'progress' || message.kind === 'log';
		if (isOptional && this.#reply.isFull) {
			this.#dropped++;
			return;
		}
		if (this.#dropped > 0) this.#write({ kind: 'dropped', count: this.#dropped });
		this.#dropped = 0;
		this.#write(message);
	}

	/** The last line. */
	end(message: CallMessage): void {
		this.send(message);
		this.#reply.end();
	}

	#write(message: CallMessage): void {
		this.#reply.write(`${JSON.stringify(message)}\n`);
	}
}
