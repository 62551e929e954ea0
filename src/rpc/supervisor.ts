/*
 * Supervises one process or connection: starts it when it is needed, checks its health, stops
 * it when it is idle, and starts it again after a crash with the delay of its policy.
 *
 * Used for MCP servers, plugins and the link of a bridge to its hub.
 * A call during a delay waits when the crash was short ago and the restart is near, and fails with the
 * reason otherwise. Calls never shorten a delay, or a client that retries would start a broken
 * program again and again. Stopped by a user, it stays stopped until the next call.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Clock, systemClock, timerMs } from './clock.ts';
import type { DownReason, RestartPolicy } from './restart-policy.ts';
import {
	FAILED_CHECKS_LIMIT,
	HEALTH_INTERVAL_MS,
	RESTART_WAIT_MS,
	UNCOUNTED_RETRY_MS,
} from './rpc-limits.ts';

/** How it ended, or why it did not start. */
export interface Ending {
	readonly error: OrchestraError;
	/** False when it says nothing about the next start: that one has no delay. Default true. */
	readonly isCrash?: boolean;
	/** How long one that is overloaded wants no start. */
	readonly retryAfterMs?: number | undefined;
}

/** How often it started; several supervisors may share one. */
export interface StartCounts {
	starts: number;
	/** The starts among them after a crash or a failed start. */
	restarts: number;
	failedStarts: number;
}

export function startCounts(): StartCounts {
	return { starts: 0, restarts: 0, failedStarts: 0 };
}

/** The supervised process. */
export interface Supervised<T> {
	/** How messages name it: `the plugin notes`. */
	readonly name: string;
	/**
	 * Start it.
	 * @param signal aborted when the supervisor closes
	 * @param onEnd is called when it ended by itself
	 */
	start(signal: AbortSignal, onEnd: (ending: Ending) => void): Promise<T>;
	/** Stop it, or clean up after it has ended. */
	stop(running: T): Promise<void>;
	/** It runs. */
	onStarted?(running: T): void;
	/** It ended by itself, was unhealthy or did not start. */
	onDown?(ending: Ending, isStart: boolean): void;
	/** It was stopped. */
	onStopped?(reason: 'idle' | 'by the user'): void;
	/** How a failed start counts. Default: as a crash with this error. */
	failedStart?(thrown: unknown): Ending;
	/** The error of a call while it is down. */
	downError?(down: DownReason, delayMs: number): OrchestraError;
	/** Whether it is started again without a call. Default: no. */
	isNeeded?(): boolean;
	/** Whether it must not be stopped as idle now; a health check may then time out. Default: no. */
	isUsed?(): boolean;
	/** Idle time after which it is stopped, in milliseconds; 0 for never. Default: never. */
	idleMs?(): number;
	/** Health check: rejects with the reason. */
	check?(running: T): Promise<void>;
}

export interface SupervisorOptions {
	readonly policy: RestartPolicy;
	readonly log: Log;
	readonly counts?: StartCounts;
	/** False when a crash is final, until a user starts it. Default true. */
	readonly restart?: boolean;
	readonly clock?: Clock | undefined;
}

export class Supervisor<T> {
	readonly counts: StartCounts;
	readonly #supervised: Supervised<T>;
	readonly #options: SupervisorOptions;
	readonly #clock: Clock;
	/** Made at the first start: most of a hub's servers are never started. */
	#closing: AbortController | undefined;
	#isClosed = false;
	#isStopped = false;
	#starting: Promise<T> | undefined;
	#running: T | undefined;
	/** Resolves when the last one is gone. */
	#stopping: Promise<void> = Promise.resolve();
	#unhealthy: OrchestraError | undefined;
	#failedChecks = 0;
	#checkAt = 0;
	#lastUsed = 0;
	#cancelTimer: () => void = () => {};
	/** Ends the wait of a call for a restart: it goes on, or fails with a reason. */
	#endWait: ((reason?: OrchestraError) => void) | undefined;

	constructor(supervised: Supervised<T>, options: SupervisorOptions) {
		this.#supervised = supervised;
		this.#options = options;
		this.#clock = options.clock ?? systemClock;
		this.counts = options.counts ?? startCounts();
	}

	get running(): T | undefined {
		return this.#running;
	}

	/** True also while a call waits for the restart. */
	get isStarting(): boolean {
		return this.#starting !== undefined;
	}

	/** True once `close` was called. */
	get isClosed(): boolean {
		return this.#isClosed;
	}

	/** True when a user stopped it, until the next call. */
	get isStopped(): boolean {
		return this.#isStopped;
	}

	/** True after a crash or a failed start, until the next successful start. */
	get isDown(): boolean {
		return this.#running === undefined && this.#options.policy.down !== undefined;
	}

	/** Why it is down or unhealthy. */
	get lastError(): OrchestraError | undefined {
		return this.#running === undefined ? this.#options.policy.down?.error : this.#unhealthy;
	}

	/** How long until it may be started, in milliseconds. */
	get delayMs(): number {
		return this.#options.policy.delayMs;
	}

	/** The running one; starts it if necessary. Rejects with the reason when it does not start. */
	up(): Promise<T> {
		if (this.#isClosed) return Promise.reject(this.#shutDown());
		if (this.#running !== undefined) return Promise.resolve(this.#running);
		this.#isStopped = false;
		this.#starting ??= this.#start().finally(() => {
			this.#starting = undefined;
		});
		return this.#starting;
	}

	/** Start it without a call. A failed start is tried again while it is needed. */
	keepUp(): void {
		if (this.#isStopped || this.#running !== undefined) return;
		if (this.isDown && this.delayMs > 0) this.#restartLater(this.delayMs);
		else this.up().catch(() => {}); // reported by `onDown`
	}

	/** It was used, and a call or a list was answered. */
	answered(isCall: boolean): void {
		this.#lastUsed = this.#clock.now();
		this.#options.policy.answered(isCall);
	}

	/** Start it without the delay after a crash. */
	startNow(): Promise<T> {
		this.#options.policy.reset();
		this.#endWait?.();
		return this.up();
	}

	/** Stop it on behalf of a user; calls in flight fail. It stays stopped until the next call. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		this.#options.policy.reset();
		this.#cancelTimer();
		this.#endWait?.(new OrchestraError('closed', `${this.#supervised.name} was stopped by the user`));
		// A start that fails now does not matter any more.
		const running = this.#running ?? (await this.#starting?.catch(() => undefined));
		if (running === undefined || this.#running !== running) return;
		this.#isStopped = true;
		await this.#stopRunning(running, 'by the user');
	}

	/** Stop it when nobody uses it; the next call starts it again. */
	async stopUnused(): Promise<void> {
		const running = this.#running;
		if (running !== undefined && !this.#supervised.isUsed?.()) await this.#stopRunning(running, 'idle');
	}

	/** Stop it for good. Idempotent. */
	async close(): Promise<void> {
		this.#isClosed = true;
		this.#closing?.abort(this.#shutDown());
		this.#cancelTimer();
		this.#endWait?.(this.#shutDown());
		// A start that fails now does not matter any more.
		const running = this.#running ?? (await this.#starting?.catch(() => undefined));
		this.#running = undefined;
		if (running !== undefined) this.#end(running);
		await this.#stopping;
	}

	async #start(): Promise<T> {
		this.#closing ??= new AbortController();
		const { policy, restart = true } = this.#options;
		const { delayMs, down } = policy;
		// A start that failed a moment ago would fail again; only a crash is worth a wait.
		const mayWait = restart && delayMs <= (down?.isStart ? 0 : RESTART_WAIT_MS);
		if (down && !mayWait) throw this.#downError(down, delayMs);
		if (delayMs > 0) await this.#wait(delayMs);
		await this.#stopping;
		if (this.#isClosed) throw this.#shutDown();
		return this.#open(this.#closing.signal);
	}

	async #open(signal: AbortSignal): Promise<T> {
		let early: Ending | undefined;
		let running: T | undefined;
		const onEnd = (ending: Ending): void => {
			if (running === undefined) early = ending;
			else this.#ended(running, ending);
		};
		try {
			running = await this.#supervised.start(signal, onEnd);
		} catch (thrown) {
			if (this.#isClosed) throw this.#shutDown();
			const ending = this.#supervised.failedStart?.(thrown) ?? { error: OrchestraError.from(thrown) };
			this.counts.failedStarts++;
			this.#down(ending, true);
			throw ending.error;
		}
		if (this.#isClosed) {
			this.#end(running);
			throw this.#shutDown();
		}
		this.#ready(running);
		if (early) {
			this.#ended(running, early);
			throw early.error;
		}
		return running;
	}

	#ready(running: T): void {
		const { policy } = this.#options;
		this.#running = running;
		this.counts.starts++;
		if (policy.down) this.counts.restarts++;
		policy.started();
		this.#unhealthy = undefined;
		this.#failedChecks = 0;
		this.#lastUsed = this.#clock.now();
		this.#checkAt = this.#lastUsed + HEALTH_INTERVAL_MS;
		this.#watch();
		this.#supervised.onStarted?.(running);
	}

	#ended(running: T, ending: Ending): void {
		if (this.#isClosed || this.#running !== running) return;
		this.#running = undefined;
		this.#end(running);
		this.#down(ending, false);
	}

	#down(ending: Ending, isStart: boolean): void {
		const { error, isCrash = true, retryAfterMs } = ending;
		if (isCrash && !this.#isStopped) this.#options.policy.crashed({ error, isStart, retryAfterMs });
		this.#restartLater(isCrash ? this.delayMs : isStart ? UNCOUNTED_RETRY_MS : 0);
		this.#supervised.onDown?.(ending, isStart);
	}

	/** Start it again when its delay is over, if it is needed then. */
	#restartLater(delayMs: number): void {
		const { restart = true } = this.#options;
		this.#cancelTimer();
		if (!restart || this.#isClosed || this.#isStopped || !this.#supervised.isNeeded?.()) return;
		this.#cancelTimer = this.#clock.after(delayMs, () => {
			if (this.#supervised.isNeeded?.()) this.keepUp();
		});
	}

	async #stopRunning(running: T, reason: 'idle' | 'by the user'): Promise<void> {
		if (this.#running !== running) return;
		this.#running = undefined;
		this.#cancelTimer();
		this.#supervised.onStopped?.(reason);
		this.#end(running);
		await this.#stopping;
	}

	#end(running: T): void {
		this.#cancelTimer();
		const stop = async (): Promise<void> => this.#supervised.stop(running);
		this.#stopping = stop().catch((error: unknown) => this.#options.log.debug(messageOf(error)));
	}

	/** One timer for the health checks and the idle time: a call costs no timer. */
	#watch(): void {
		const supervised = this.#supervised;
		const idleMs = supervised.idleMs?.() ?? 0;
		this.#cancelTimer();
		const now = this.#clock.now();
		const checkInMs = 'check' in supervised ? this.#checkAt - now : Number.POSITIVE_INFINITY;
		const idleFrom = supervised.isUsed?.() ? now : this.#lastUsed;
		const idleInMs = idleMs > 0 ? idleFrom + idleMs - now : Number.POSITIVE_INFINITY;
		if (idleInMs <= 0) return void this.stopUnused();
		const nextMs = Math.min(checkInMs, idleInMs);
		if (nextMs === Number.POSITIVE_INFINITY) return;
		this.#cancelTimer = this.#clock.after(timerMs(Math.max(0, nextMs)), () => this.#tick());
	}

	#tick(): void {
		const running = this.#running;
		if (running === undefined) return;
		if ('check' in this.#supervised && this.#clock.now() >= this.#checkAt) {
			this.#checkAt = this.#clock.now() + HEALTH_INTERVAL_MS;
			void this.#check(running);
		}
		this.#watch();
	}

	async #check(running: T): Promise<void> {
		const { name } = this.#supervised;
		try {
			await this.#supervised.check?.(running);
			this.#failedChecks = 0;
			this.#unhealthy = undefined;
		} catch (thrown) {
			if (this.#running !== running) return;
			// A busy process is not unhealthy: calls have their own deadlines.
			if (OrchestraError.is(thrown, 'timeout') && this.#supervised.isUsed?.()) return;
			this.#failedChecks++;
			this.#unhealthy = OrchestraError.from(thrown);
			const reason = this.#unhealthy.message;
			this.#options.log.warn(`${name} is unhealthy: ${reason}`);
			if (this.#failedChecks < FAILED_CHECKS_LIMIT) return;
			this.#ended(running, { error: new OrchestraError('closed', `${name} was unhealthy: ${reason}`) });
		}
	}

	/** Keeps this process alive, because a call waits. */
	#wait(ms: number): Promise<void> {
		return new Promise((resolve, reject) => {
			this.#endWait = (reason) => {
				this.#endWait = undefined;
				cancel();
				if (reason) reject(reason);
				else resolve();
			};
			const cancel = this.#clock.after(ms, () => this.#endWait?.(), true);
		});
	}

	#downError(down: DownReason, delayMs: number): OrchestraError {
		const { name } = this.#supervised;
		const error = this.#supervised.downError?.(down, delayMs);
		if (error) return error;
		const seconds = Math.ceil(delayMs / 1000);
		return new OrchestraError(
			'closed',
			`${name} is down and is started again in ${seconds} s. ${down.error.message}`,
			{ hint: `Call it again in ${seconds} s.`, data: { outcome: 'not_run' } },
		);
	}

	#shutDown(): OrchestraError {
		return new OrchestraError('closed', `${this.#supervised.name} is shut down`);
	}
}
