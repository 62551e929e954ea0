/*
 * Bounds the notifications of a remote call: a tool that reports progress in a tight loop
 * must not fill the buffers of the server and have the hub disconnected. Of several
 * progress values within a moment only the last is sent; log messages above the limit
 * are counted instead. A hub does the same with what arrives, because a worker may be
 * hostile.
 */
import { isObject } from '../wire/json.ts';
import { CALL_LOG_PERIOD_MS, CALL_LOGS_LIMIT, PROGRESS_EVERY_MS } from './fabric-limits.ts';

type Send = (kind: 'progress' | 'log', params: Readonly<Record<string, unknown>>) => void;

export class NotificationRate {
	readonly #send: Send;
	readonly #logsLimit: number;
	#lastSentAt = Number.NEGATIVE_INFINITY;
	#waiting: Readonly<Record<string, unknown>> | undefined;
	#timer: NodeJS.Timeout | undefined;
	#logs = 0;
	#periodAt = Number.NEGATIVE_INFINITY;

	/** @param logsLimit log messages within one period */
	constructor(send: Send, logsLimit: number = CALL_LOGS_LIMIT) {
		this.#send = send;
		this.#logsLimit = logsLimit;
	}

	progress(params: unknown): void {
		const wait = this.#lastSentAt + PROGRESS_EVERY_MS - performance.now();
		this.#waiting = withoutToken(params);
		if (wait <= 0) this.#sendProgress();
		else this.#timer ??= setTimeout(() => this.#sendProgress(), wait);
	}

	log(params: unknown): void {
		const now = performance.now();
		if (now - this.#periodAt >= CALL_LOG_PERIOD_MS) {
			if (this.#logs > this.#logsLimit) this.#sendDropped(this.#logs - this.#logsLimit);
			this.#periodAt = now;
			this.#logs = 0;
		}
		this.#logs++;
		if (this.#logs <= this.#logsLimit && isObject(params)) this.#send('log', params);
	}

	/** Send what waits: the call has ended. */
	flush(): void {
		if (this.#waiting !== undefined) this.#sendProgress();
		if (this.#logs > this.#logsLimit) this.#sendDropped(this.#logs - this.#logsLimit);
		this.#logs = 0;
	}

	#sendProgress(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#lastSentAt = performance.now();
		const params = this.#waiting ?? {};
		this.#waiting = undefined;
		this.#send('progress', params);
	}

	#sendDropped(count: number): void {
		const data = `${count} log messages of a remote tool were dropped: more than ${this.#logsLimit} a second`;
		this.#send('log', { level: 'warning', logger: 'orchestra', data });
	}
}

/** The token of the caller is valid at its hub only. */
function withoutToken(params: unknown): Readonly<Record<string, unknown>> {
	if (!isObject(params)) return {};
	const { progressToken: _token, ...rest } = params;
	return rest;
}
