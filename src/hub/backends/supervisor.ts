/*
 * Keeps one process of a backend up: starts it, sees it end, starts it again after
 * a pause that doubles, and forgets the past after a minute of good health.
 *
 * A start that fails is tried again in the same way. Whoever needs the process
 * during a pause waits for its end when that is near, and else gets the reason at
 * once: asking does not shorten a pause, or a client that asks after every change
 * would start a crashing program again and again. Now and then the process is asked
 * how it is; one that is ill for long counts as crashed, one that nobody needs may rest.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';

/** The first pause, in milliseconds; it doubles each time. */
export const RESTART_FIRST_MS = 1000;
/** The longest pause. */
export const RESTART_LONGEST_MS = 30_000;
/** After so long without an end the pauses start from the first again. */
export const HEALTHY_MS = 60_000;
/** How often it is asked how it is. */
export const CHECK_MS = 10_000;
/** After so many bad answers in a row it counts as crashed. */
export const BAD_CHECKS = 3;

export interface Supervised<T> {
	readonly name: string;
	/** Aborted when it is not wanted any more. */
	start(signal: AbortSignal): Promise<T>;
	/** Resolves when it has ended by itself, with what is known of why. */
	ended(running: T): Promise<string>;
	stop(running: T): Promise<void>;
	/** It came up or went down. */
	onChange(): void;
	/** Rejects with why it is not well. */
	check?(running: T): Promise<void>;
	/** True when nobody has needed it for long. */
	isIdle?(): boolean;
	/** True while it works for somebody, and so may be too busy to answer anybody else. */
	isBusy?(): boolean;
}

/** A start that is yet to come. */
interface Restart<T> {
	readonly at: number;
	readonly promise: Promise<T>;
	readonly cancel: (reason: OrchestraError) => void;
}

export class Supervisor<T> {
	readonly #what: Supervised<T>;
	readonly #log: Log;
	readonly #closing = new AbortController();
	#starting: Promise<T> | undefined;
	#running: T | undefined;
	#restart: Restart<T> | undefined;
	/** What is left of the last one is gone when this resolves. */
	#ending: Promise<void> = Promise.resolve();
	#upSince = 0;
	#pauseMs = RESTART_FIRST_MS;
	#checks: NodeJS.Timeout | undefined;
	#badChecks = 0;
	#lastError: OrchestraError | undefined;

	constructor(what: Supervised<T>, log: Log) {
		this.#what = what;
		this.#log = log;
	}

	get running(): T | undefined {
		return this.#running;
	}

	/** True after a crash or a failed start, until it is up again. */
	get isDown(): boolean {
		return this.#running === undefined && this.#lastError !== undefined;
	}

	get state(): string {
		if (this.#running !== undefined)
			return this.#lastError ? `running, not well: ${this.#lastError.message}` : 'running';
		if (this.#starting) return 'starting';
		return this.#lastError ? `down: ${this.#lastError.message}` : 'configured';
	}

	/** Why it is down and when it is started again; undefined when it is not down. */
	get trouble(): string | undefined {
		if (!this.isDown) return undefined;
		const reason = this.#lastError?.message ?? 'the reason is not known';
		return `${this.#what.name} is down and ${this.#nextStart()}. ${reason}`;
	}

	#nextStart(): string {
		if (!this.#restart) return 'is being started again';
		return `is started again in ${Math.max(1, Math.ceil((this.#restart.at - performance.now()) / 1000))} s`;
	}

	/** The running thing, started when it is not. Rejects with why it does not start. */
	up(): Promise<T> {
		if (this.#closing.signal.aborted) return Promise.reject(this.#shutDown());
		if (this.#running !== undefined) return Promise.resolve(this.#running);
		if (this.#restart) return this.#whenRestarted(this.#restart);
		this.#starting ??= this.#start();
		return this.#starting;
	}

	/** Stop it and do not start it again. Idempotent. */
	async close(): Promise<void> {
		this.#closing.abort(this.#shutDown());
		this.#restart?.cancel(this.#shutDown());
		clearInterval(this.#checks);
		// A start that fails now has nobody left to tell.
		const running = this.#running ?? (await this.#starting?.catch(() => undefined));
		this.#running = undefined;
		if (running !== undefined) await this.#what.stop(running);
		await this.#ending;
	}

	async #start(): Promise<T> {
		try {
			await this.#ending;
			this.#closing.signal.throwIfAborted();
			const running = await this.#what.start(this.#closing.signal);
			this.#running = running;
			this.#upSince = performance.now();
			this.#lastError = undefined;
			this.#badChecks = 0;
			void this.#watch(running);
			this.#checks = setInterval(() => void this.#check(running), CHECK_MS);
			this.#checks.unref();
			this.#what.onChange();
			return running;
		} catch (thrown) {
			this.#lastError = OrchestraError.from(thrown);
			// Whoever stops it knows why it did not start.
			if (!this.#closing.signal.aborted) this.#log.warn(this.#lastError.message);
			this.#startLater();
			throw thrown;
		} finally {
			this.#starting = undefined;
		}
	}

	async #watch(running: T): Promise<void> {
		const reason = await this.#what.ended(running);
		await this.#down(running, `${this.#what.name} ended: ${reason}`);
	}

	async #down(running: T, reason: string): Promise<void> {
		if (this.#closing.signal.aborted || this.#running !== running) return;
		this.#running = undefined;
		clearInterval(this.#checks);
		this.#lastError = new OrchestraError('closed', reason);
		this.#log.warn(reason);
		if (performance.now() - this.#upSince >= HEALTHY_MS) this.#pauseMs = RESTART_FIRST_MS;
		this.#ending = this.#end(running);
		this.#startLater();
		this.#what.onChange();
		await this.#ending;
	}

	/** Its link and what is left of its group go. */
	async #end(running: T): Promise<void> {
		await this.#what.stop(running).catch((error: unknown) => this.#log.debug(messageOf(error)));
	}

	async #check(running: T): Promise<void> {
		if (this.#what.isIdle?.()) return this.#rest(running);
		try {
			await this.#what.check?.(running);
			if (this.#running !== running) return;
			this.#badChecks = 0;
			this.#lastError = undefined;
		} catch (thrown) {
			if (this.#running !== running) return;
			// Calls have deadlines of their own; whoever computes for long is not ill.
			if (OrchestraError.is(thrown, 'timeout') && this.#what.isBusy?.()) return;
			this.#badChecks++;
			this.#lastError = OrchestraError.from(thrown);
			this.#log.warn(`${this.#what.name} is not well: ${this.#lastError.message}`);
			if (this.#badChecks >= BAD_CHECKS)
				await this.#down(running, `${this.#what.name} was not well: ${this.#lastError.message}`);
		}
	}

	/** It is started again when it is needed. */
	async #rest(running: T): Promise<void> {
		if (this.#running !== running) return;
		this.#running = undefined;
		clearInterval(this.#checks);
		this.#lastError = undefined;
		this.#log.info(`${this.#what.name} rests: nobody has called it for a while`);
		this.#ending = this.#end(running);
		await this.#ending;
	}

	#startLater(): void {
		if (this.#closing.signal.aborted) return;
		const pauseMs = this.#pauseMs;
		this.#pauseMs = Math.min(pauseMs * 2, RESTART_LONGEST_MS);
		let cancel: Restart<T>['cancel'] = () => {};
		const promise = new Promise<T>((resolve, reject) => {
			const timer = setTimeout(() => {
				this.#restart = undefined;
				this.#starting = this.#start();
				resolve(this.#starting);
			}, pauseMs);
			timer.unref();
			cancel = (reason) => {
				clearTimeout(timer);
				reject(reason);
			};
		});
		promise.catch(() => {}); // the failure is logged by `#start`, and often nobody waits
		this.#restart = { at: performance.now() + pauseMs, promise, cancel };
	}

	#whenRestarted({ at, promise }: Restart<T>): Promise<T> {
		const waitMs = at - performance.now();
		if (waitMs <= RESTART_FIRST_MS) return promise;
		const hint = `Call it again in ${Math.ceil(waitMs / 1000)} s.`;
		return Promise.reject(
			new OrchestraError('closed', this.trouble ?? `${this.#what.name} is down`, { hint }),
		);
	}

	#shutDown(): OrchestraError {
		return new OrchestraError('closed', `${this.#what.name} is shut down`);
	}
}
