/*
 * A reply of JSON lines, bounded towards a page that does not read: progress and log
 * messages are dropped and counted; questions and the end are always sent.
 */
import type { ServerResponse } from 'node:http';
import type { CallMessage } from './api-calls.ts';
import { apiHeaders } from './api-reply.ts';
import type { DashboardLimits } from './dashboard-limits.ts';

export class LineReply {
	readonly #response: ServerResponse;
	readonly #limits: Pick<DashboardLimits, 'unreadBytes' | 'pingMs'>;
	readonly #keepAlive: NodeJS.Timeout;
	#dropped = 0;

	constructor(response: ServerResponse, limits: Pick<DashboardLimits, 'unreadBytes' | 'pingMs'>) {
		this.#response = response;
		this.#limits = limits;
		// A proxy must not collect the lines.
		response.writeHead(200, {
			...apiHeaders,
			'Content-Type': 'application/x-ndjson',
			'X-Accel-Buffering': 'no',
		});
		response.flushHeaders();
		this.#keepAlive = setInterval(() => this.#blankLine(), limits.pingMs);
		response.once('close', () => clearInterval(this.#keepAlive));
	}

	send(message: CallMessage): void {
		if (!this.#isOpen) return;
		const isOptional = message.kind === 'progress' || message.kind === 'log';
		if (isOptional && this.#isFull) {
			this.#dropped++;
			return;
		}
		this.#writeDropped();
		this.#write(message);
	}

	/** The last line. */
	end(message: CallMessage): void {
		if (!this.#isOpen) return;
		this.#writeDropped();
		this.#write(message);
		this.#response.end();
	}

	get #isOpen(): boolean {
		return !this.#response.destroyed && !this.#response.writableEnded;
	}

	get #isFull(): boolean {
		return this.#response.writableLength > this.#limits.unreadBytes;
	}

	/** A page that does not read moves no byte, and its connection ends. */
	#blankLine(): void {
		if (this.#isOpen && !this.#isFull) this.#response.write('\n');
	}

	#writeDropped(): void {
		if (this.#dropped === 0) return;
		const count = this.#dropped;
		this.#dropped = 0;
		this.#write({ kind: 'dropped', count });
	}

	#write(message: CallMessage): void {
		this.#response.write(`${JSON.stringify(message)}\n`);
	}
}
