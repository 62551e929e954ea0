/*
 * Watch for a closed stdout while requests are in flight.
 *
 * A request that writes nothing would run on although no peer can read its response.
 * The timer starts with a message and stops when no request is in flight: an idle
 * server has no timer.
 */
import type { Receiver } from '../rpc/channel.ts';
import { StdoutReader } from './stdout-reader.ts';
import { STDOUT_CHECK_MS } from './transport-limits.ts';
import { observedReceiver } from './transport-observer.ts';

export interface StdoutWatchDeps {
	/** True while a request is in flight. */
	isBusy: () => boolean;
	/** Called once when stdout has no reader. */
	onUnread: () => void;
	/** Default: the reader of the stdout of this process. */
	reader?: Pick<StdoutReader, 'isGone'>;
	/** Default 1 s. */
	checkMs?: number;
}

export class StdoutWatch {
	readonly #deps: StdoutWatchDeps;
	readonly #reader: Pick<StdoutReader, 'isGone'>;
	#timer: NodeJS.Timeout | undefined;
	#isStopped = false;

	constructor(deps: StdoutWatchDeps) {
		this.#deps = deps;
		this.#reader = deps.reader ?? new StdoutReader();
	}

	/** `receiver`, with the timer started by each message. */
	around(receiver: Receiver): Receiver {
		return observedReceiver(receiver, {
			received: () => {
				if (this.#timer === undefined) this.#start();
			},
		});
	}

	stop(): void {
		this.#isStopped = true;
		clearInterval(this.#timer);
	}

	#start(): void {
		const { checkMs = STDOUT_CHECK_MS } = this.#deps;
		if (!this.#isStopped) this.#timer = setInterval(() => this.#check(), checkMs).unref();
	}

	#check(): void {
		if (!this.#deps.isBusy()) {
			clearInterval(this.#timer);
			this.#timer = undefined;
			return;
		}
		// A pending write reports the error itself.
		if (process.stdout.writableLength > 0 || !this.#reader.isGone) return;
		this.stop();
		this.#deps.onUnread();
	}
}
