/* Bounds the calls of one server: so many in flight, so many waiting, an error above that. */
import { OrchestraError } from '../../../errors.ts';
import type { CallContext } from '../../../mcp/server/call-context.ts';

export interface CallQueueOptions {
	/** For messages. */
	readonly server: string;
	/** Calls in flight. */
	readonly concurrency: number;
	/** Calls that wait. */
	readonly queue: number;
}

export class CallQueue {
	readonly #options: CallQueueOptions;
	readonly #waiting: (() => void)[] = [];
	#running = 0;
	#whenIdle: (() => void)[] = [];

	constructor(options: CallQueueOptions) {
		this.#options = options;
	}

	/** Calls in flight and waiting. */
	get size(): number {
		return this.#running + this.#waiting.length;
	}

	get waitingCount(): number {
		return this.#waiting.length;
	}

	/** Take a place, at once (undefined) or later. Throws when the queue is full. The caller calls `leave` in the end. */
	enter(context: CallContext): Promise<void> | undefined {
		if (this.#running < this.#options.concurrency) {
			this.#running++;
			return undefined;
		}
		const { server, concurrency, queue } = this.#options;
		if (this.#waiting.length >= queue) {
			throw new OrchestraError(
				'closed',
				`the MCP server ${server} has ${concurrency} calls in flight and ${queue} waiting; this call was refused`,
				{
					hint: 'Call it again later, or raise `concurrency` or `queue` of the server.',
					data: { server, concurrency, queue },
				},
			);
		}
		return this.#wait(context.signal);
	}

	/** Give the place back. */
	leave(): void {
		const next = this.#waiting.shift();
		if (next) return next();
		this.#running--;
		if (this.#running === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
	}

	/** Resolves when no call is in flight or waiting. */
	idle(): Promise<void> {
		return this.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve));
	}

	#wait(signal: AbortSignal): Promise<void> {
		return new Promise((resolve, reject) => {
			const begin = (): void => {
				signal.removeEventListener('abort', onAbort);
				resolve();
			};
			const onAbort = (): void => {
				const at = this.#waiting.indexOf(begin);
				if (at === -1) return;
				this.#waiting.splice(at, 1);
				reject(OrchestraError.from(signal.reason, 'canceled'));
			};
			if (signal.aborted) return reject(OrchestraError.from(signal.reason, 'canceled'));
			signal.addEventListener('abort', onAbort, { once: true });
			this.#waiting.push(begin);
		});
	}
}
