/*
 * Keeps one process of a backend up: starts it, sees it end, starts it again after
 * a pause that doubles, and forgets the past after a minute of good health.
 *
 * A start that fails is tried again in the same way; whoever waits for it gets the
 * reason at once and need not wait for the next try.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';

/** The first pause, in milliseconds; it doubles each time. */
export const FIRST_PAUSE_MS = 1000;
/** The longest pause. */
export const LONGEST_PAUSE_MS = 30_000;
/** After so long without an end the pauses start from the first again. */
export const HEALTHY_MS = 60_000;

export interface Supervised<T> {
	readonly name: string;
	start(): Promise<T>;
	/** Resolves when it has ended by itself, with what is known of why. */
	ended(running: T): Promise<string>;
	stop(running: T): Promise<void>;
	/** It came up or went down. */
	onChange(): void;
}

export class Supervisor<T> {
	readonly #what: Supervised<T>;
	readonly #log: Log;
	#starting: Promise<T> | undefined;
	#running: T | undefined;
	#upSince = 0;
	#pauseMs = FIRST_PAUSE_MS;
	#timer: NodeJS.Timeout | undefined;
	#lastError: OrchestraError | undefined;
	#isClosed = false;

	constructor(what: Supervised<T>, log: Log) {
		this.#what = what;
		this.#log = log;
	}

	get running(): T | undefined {
		return this.#running;
	}

	get state(): string {
		if (this.#running !== undefined) return 'running';
		if (this.#starting) return 'starting';
		return this.#lastError ? `down: ${this.#lastError.message}` : 'configured';
	}

	/** The running thing, started when it is not. Rejects with why it does not start. */
	up(): Promise<T> {
		if (this.#isClosed)
			return Promise.reject(new OrchestraError('closed', `${this.#what.name} is shut down`));
		if (this.#running !== undefined) return Promise.resolve(this.#running);
		clearTimeout(this.#timer);
		this.#starting ??= this.#start();
		return this.#starting;
	}

	/** Stop it and do not start it again. Idempotent. */
	async close(): Promise<void> {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		// A start that fails now has nobody left to tell.
		const running = this.#running ?? (await this.#starting?.catch(() => undefined));
		this.#running = undefined;
		if (running !== undefined) await this.#what.stop(running);
	}

	async #start(): Promise<T> {
		try {
			const running = await this.#what.start();
			this.#running = running;
			this.#upSince = performance.now();
			this.#lastError = undefined;
			void this.#watch(running);
			this.#what.onChange();
			return running;
		} catch (thrown) {
			this.#lastError = OrchestraError.from(thrown);
			this.#log.warn(this.#lastError.message);
			this.#startLater();
			throw thrown;
		} finally {
			this.#starting = undefined;
		}
	}

	async #watch(running: T): Promise<void> {
		const reason = await this.#what.ended(running);
		if (this.#isClosed || this.#running !== running) return;
		this.#running = undefined;
		this.#lastError = new OrchestraError('closed', `${this.#what.name} ended: ${reason}`);
		this.#log.warn(this.#lastError.message);
		if (performance.now() - this.#upSince >= HEALTHY_MS) this.#pauseMs = FIRST_PAUSE_MS;
		this.#what.onChange();
		// Its link and what is left of its group go before the next one comes.
		await this.#what.stop(running).catch((error: unknown) => this.#log.debug(messageOf(error)));
		this.#startLater();
	}

	#startLater(): void {
		if (this.#isClosed) return;
		// The failure is logged by `#start`, and the next pause follows from there.
		this.#timer = setTimeout(() => void this.up().catch(() => {}), this.#pauseMs);
		this.#timer.unref();
		this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
	}
}
