/*
 * Notices a server that hangs: its connection is open, and nothing arrives.
 *
 * When nothing was received for a second, the server is pinged. Time is counted in
 * steps of a timer, not by the clock: a process that was blocked itself wakes up with
 * one step, and reads what has arrived before the next one. The pings of the client
 * library are slower on purpose, and its way to end a stale connection waits for the
 * server to read.
 */
import { PROBE_EVERY_MS, PROBES_LOST, PROBES_SUSPECT } from '../fabric-limits.ts';

export interface ProbedConnection {
	/** Grows with what was received. */
	received(): number;
	/** Resolves when the server has answered. */
	ping(): Promise<void>;
}

export interface ProbeListener {
	/** The server has not answered for so many seconds; undefined when it has. */
	suspect(seconds: number | undefined): void;
	/** The same for too long: the connection must be given up. */
	lost(seconds: number): void;
}

export class LinkProbe {
	readonly #connection: ProbedConnection;
	readonly #listener: ProbeListener;
	readonly #timer: NodeJS.Timeout;
	#received = -1;
	#isPinging = false;
	/** Steps since the server should have answered. */
	#unanswered = 0;

	/** Starts at once; `stop` it. */
	constructor(connection: ProbedConnection, listener: ProbeListener) {
		this.#connection = connection;
		this.#listener = listener;
		this.#timer = setInterval(() => this.#step(), PROBE_EVERY_MS);
		this.#timer.unref();
	}

	stop(): void {
		clearInterval(this.#timer);
	}

	#step(): void {
		const received = this.#connection.received();
		if (received !== this.#received) this.#heard();
		else if (this.#isPinging) this.#silent();
		else this.#ping();
		this.#received = received;
	}

	#ping(): void {
		this.#isPinging = true;
		this.#connection.ping().then(
			() => {
				this.#isPinging = false;
				this.#heard();
			},
			() => {}, // the connection has closed, which its owner notices
		);
	}

	#silent(): void {
		this.#unanswered++;
		const seconds = Math.round((this.#unanswered * PROBE_EVERY_MS) / 1000);
		if (this.#unanswered === PROBES_SUSPECT) this.#listener.suspect(seconds);
		if (this.#unanswered === PROBES_LOST) this.#listener.lost(seconds);
	}

	#heard(): void {
		if (this.#unanswered >= PROBES_SUSPECT) this.#listener.suspect(undefined);
		this.#unanswered = 0;
	}
}
