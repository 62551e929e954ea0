/*
 * Supervises one process of a backend: starts it, and restarts it with exponential
 * backoff after a crash or a failed start. A minute of uptime resets the backoff.
 *
 * A call during a delay waits when the restart is near and fails with the reason
 * otherwise. Calls do not shorten the delay, or a client that retries would restart a
 * crashing program again and again. The process is checked periodically: after several
 * failed health checks it counts as crashed, and an idle process is stopped.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { Backoff } from '../../rpc/backoff.ts';
import { StartCounts } from './start-counts.ts';

/** The first delay before a restart, in milliseconds. */
export const RESTART_FIRST_MS = 1000;
/** The longest delay before a restart. */
export const RESTART_MAX_MS = 30_000;
/** Uptime that resets the backoff. */
export const HEALTHY_MS = 60_000;
/** Interval of the health checks. */
export const HEALTH_INTERVAL_MS = 10_000;
/** After this many failed health checks in a row it counts as crashed. */
export const FAILED_CHECKS_LIMIT = 3;

export interface Supervised<T> {
	readonly name: string;
	/** Start the process. `signal` is aborted when the supervisor closes. */
	start(signal: AbortSignal): Promise<T>;
	/** Resolves with the reason when the process has ended by itself. */
	ended(running: T): Promise<string>;
	stop(running: T): Promise<void>;
	/** The process started or ended. */
	onChange(): void;
	/** It ended, was stopped or did not start, with the reason. */
	onNote?(text: string): void;
	/** Health check: rejects with the reason when the process is unhealthy. */
	check?(running: T): Promise<void>;
	/** True when the process has been unused for its idle time. */
	isIdle?(): boolean;
	/** True while calls are in flight: the process may be too busy for a health check. */
	isBusy?(): boolean;
}

/** A scheduled restart. */
interface Restart<T> {
	readonly at: number;
	readonly promise: Promise<T>;
	readonly cancel: (reason: OrchestraError) => void;
}

export class Supervisor<T> {
	readonly counts: StartCounts = new StartCounts();
	readonly #supervised: Supervised<T>;
	readonly #log: Log;
	readonly #closing = new AbortController();
	#starting: Promise<T> | undefined;
	#running: T | undefined;
	#restart: Restart<T> | undefined;
	/** Resolves when the previous process is cleaned up. */
	#stopping: Promise<void> = Promise.resolve();
	#upSince = 0;
	readonly #backoff = new Backoff(RESTART_FIRST_MS, RESTART_MAX_MS);
	#checks: NodeJS.Timeout | undefined;
	#failedChecks = 0;
	#lastError: OrchestraError | undefined;

	constructor(what: Supervised<T>, log: Log) {
		this.#supervised = what;
		this.#log = log;
	}

	get running(): T | undefined {
		return this.#running;
	}

	/** True after a crash or a failed start, until the next successful start. */
	get isDown(): boolean {
		return this.#running === undefined && this.#lastError !== undefined;
	}

	/** Why it is down or unhealthy. */
	get lastError(): OrchestraError | undefined {
		return this.#lastError;
	}

	get state(): string {
		if (this.#running !== undefined)
			return this.#lastError ? `running, unhealthy: ${this.#lastError.message}` : 'running';
		if (this.#starting) return 'starting';
		return this.#lastError ? `down: ${this.#lastError.message}` : 'configured';
	}

	/** Why it is down and when it restarts; undefined when it is not down. */
	get downReason(): string | undefined {
		if (!this.isDown) return undefined;
		const reason = this.#lastError?.message ?? 'the reason is unknown';
		return `${this.#supervised.name} is down and ${this.#nextStart()}. ${reason}`;
	}

	#nextStart(): string {
		if (!this.#restart) return 'is being started again';
		return `is started again in ${Math.max(1, Math.ceil((this.#restart.at - performance.now()) / 1000))} s`;
	}

	/** The running process; starts it if necessary. Rejects with the reason when it does not start. */
	up(): Promise<T> {
		if (this.#closing.signal.aborted) return Promise.reject(this.#shutDown());
		if (this.#running !== undefined) return Promise.resolve(this.#running);
		if (this.#restart) return this.#whenRestarted(this.#restart);
		this.#starting ??= this.#start();
		return this.#starting;
	}

	/** Stop it now; calls in flight fail, and the next call starts it again. */
	async stop(): Promise<void> {
		this.#cancelRestart();
		// A start that fails now does not matter any more.
		const running = this.#running ?? (await this.#starting?.catch(() => undefined));
		this.#cancelRestart();
		if (running === undefined || this.#running !== running) return;
		await this.#stopRunning(running, 'by a person');
		this.#supervised.onChange();
	}

	/** Start it without waiting for the delay after a crash. */
	startNow(): Promise<T> {
		this.#cancelRestart();
		return this.up();
	}

	/** Stop it and do not start it again. Idempotent. */
	async close(): Promise<void> {
		this.#closing.abort(this.#shutDown());
		this.#restart?.cancel(this.#shutDown());
		clearInterval(this.#checks);
		// A start that fails now does not matter any more.
		const running = this.#running ?? (await this.#starting?.catch(() => undefined));
		this.#running = undefined;
		if (running !== undefined) await this.#supervised.stop(running);
		await this.#stopping;
	}

	async #start(): Promise<T> {
		try {
			await this.#stopping;
			this.#closing.signal.throwIfAborted();
			const running = await this.#supervised.start(this.#closing.signal);
			this.#running = running;
			this.#upSince = performance.now();
			this.counts.started(this.#lastError !== undefined);
			this.#lastError = undefined;
			this.#failedChecks = 0;
			void this.#watch(running);
			this.#checks = setInterval(() => void this.#check(running), HEALTH_INTERVAL_MS);
			this.#checks.unref();
			this.#supervised.onChange();
			return running;
		} catch (thrown) {
			this.#lastError = OrchestraError.from(thrown);
			// An aborted start is no failure.
			if (!this.#closing.signal.aborted) {
				this.counts.failed();
				this.#log.warn(this.#lastError.message);
				this.#supervised.onNote?.(`did not start: ${this.#lastError.message}`);
			}
			this.#startLater();
			throw thrown;
		} finally {
			this.#starting = undefined;
		}
	}

	async #watch(running: T): Promise<void> {
		const reason = await this.#supervised.ended(running);
		await this.#down(running, `${this.#supervised.name} ended: ${reason}`);
	}

	async #down(running: T, reason: string): Promise<void> {
		if (this.#closing.signal.aborted || this.#running !== running) return;
		this.#running = undefined;
		clearInterval(this.#checks);
		this.#lastError = new OrchestraError('closed', reason);
		this.#log.warn(reason);
		this.#supervised.onNote?.(`ended: ${reason}`);
		if (performance.now() - this.#upSince >= HEALTHY_MS) this.#backoff.reset();
		this.#stopping = this.#end(running);
		this.#startLater();
		this.#supervised.onChange();
		await this.#stopping;
	}

	/** Close the link and end the rest of the process group. */
	async #end(running: T): Promise<void> {
		await this.#supervised.stop(running).catch((error: unknown) => this.#log.debug(messageOf(error)));
	}

	async #check(running: T): Promise<void> {
		if (this.#supervised.isIdle?.()) return this.#stopRunning(running, 'because it is idle');
		try {
			await this.#supervised.check?.(running);
			if (this.#running !== running) return;
			this.#failedChecks = 0;
			this.#lastError = undefined;
		} catch (thrown) {
			if (this.#running !== running) return;
			// A busy process is not unhealthy: calls have their own deadlines.
			if (OrchestraError.is(thrown, 'timeout') && this.#supervised.isBusy?.()) return;
			this.#failedChecks++;
			this.#lastError = OrchestraError.from(thrown);
			this.#log.warn(`${this.#supervised.name} is unhealthy: ${this.#lastError.message}`);
			if (this.#failedChecks >= FAILED_CHECKS_LIMIT)
				await this.#down(running, `${this.#supervised.name} was unhealthy: ${this.#lastError.message}`);
		}
	}

	/** Stop the process; the next call starts it again. */
	async #stopRunning(running: T, reason: string): Promise<void> {
		if (this.#running !== running) return;
		this.#running = undefined;
		clearInterval(this.#checks);
		this.#lastError = undefined;
		this.#log.info(`${this.#supervised.name} was stopped ${reason}; the next call starts it again`);
		this.#supervised.onNote?.(`stopped: ${reason}`);
		this.#stopping = this.#end(running);
		await this.#stopping;
	}

	#startLater(): void {
		if (this.#closing.signal.aborted) return;
		const delayMs = this.#backoff.nextMs();
		let cancel: Restart<T>['cancel'] = () => {};
		const promise = new Promise<T>((resolve, reject) => {
			const timer = setTimeout(() => {
				this.#restart = undefined;
				this.#starting = this.#start();
				resolve(this.#starting);
			}, delayMs);
			timer.unref();
			cancel = (reason) => {
				clearTimeout(timer);
				reject(reason);
			};
		});
		promise.catch(() => {}); // `#start` logs the failure, and often no call waits for it
		this.#restart = { at: performance.now() + delayMs, promise, cancel };
	}

	/** Calls that wait for the restart fail. */
	#cancelRestart(): void {
		const restart = this.#restart;
		this.#restart = undefined;
		this.#lastError = undefined;
		this.#backoff.reset();
		restart?.cancel(new OrchestraError('closed', `${this.#supervised.name} was stopped`));
	}

	#whenRestarted({ at, promise }: Restart<T>): Promise<T> {
		const waitMs = at - performance.now();
		if (waitMs <= RESTART_FIRST_MS) return promise;
		const hint = `Call it again in ${Math.ceil(waitMs / 1000)} s.`;
		return Promise.reject(
			new OrchestraError('closed', this.downReason ?? `${this.#supervised.name} is down`, { hint }),
		);
	}

	#shutDown(): OrchestraError {
		return new OrchestraError('closed', `${this.#supervised.name} is shut down`);
	}
}
