/*
 * A reply of JSON lines, bounded towards a page that does not read: progress and log
 * messages are dropped and counted; elicitations and the end are always sent.
 */
import type { ServerResponse } from 'node:http';
import { StreamedReply } from '../../http/event-stream.ts';
import type { DashboardLimits } from '../dashboard-limits.ts';
import type { CallMessage } from './api-calls.ts';
import { apiHeaders } from './api-reply.ts';

export class LineReply extends StreamedReply {
	#dropped = 0;

	constructor(
		response: ServerResponse,
		{ unreadBytes, pingMs }: Pick<DashboardLimits, 'unreadBytes' | 'pingMs'>,
	) {
		super(response, unreadBytes, { ...apiHeaders, 'Content-Type': 'application/x-ndjson' });
		// A page that does not read moves no byte, and its connection ends.
		const keepAlive = setInterval(() => this.isFull || this.write('\n'), pingMs);
		this.onClose(() => clearInterval(keepAlive));
	}

	send(message: CallMessage): void {
		const isOptional = message.kind === 'progress' || message.kind === 'log';
		if (isOptional && this.isFull) {
			this.#dropped++;
			return;
		}
		const lines: CallMessage[] = this.#dropped > 0 ? [{ kind: 'dropped', count: this.#dropped }] : [];
		this.#dropped = 0;
		this.write([...lines, message].map((line) => `${JSON.stringify(line)}\n`).join(''));
	}

	/** Send the last line. */
	finish(message: CallMessage): void {
		this.send(message);
		this.end();
	}
}
