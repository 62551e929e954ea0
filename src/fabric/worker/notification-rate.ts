/*
 * Bounds the notifications of a remote call: a tool that reports progress in a tight loop
 * must not fill the buffers of the server and have the hub disconnected. Of several
 * progress values within a moment only the last is sent; log messages above the limit
 * are counted instead.
 */
import { isObject } from '../../wire/json.ts';
import { encodeJson } from '../../wire/json-text.ts';
import { CALL_LOG_PERIOD_MS, CALL_LOGS_LIMIT, PROGRESS_EVERY_MS } from '../fabric-limits.ts';

type Send = (kind: 'progress' | 'log', body: string) => void;

export class NotificationRate {
	readonly #send: Send;
	#lastSentAt = Number.NEGATIVE_INFINITY;
	#waiting: unknown;
	#timer: NodeJS.Timeout | undefined;
	#logs = 0;
	#periodAt = Number.NEGATIVE_INFINITY;

	constructor(send: Send) {
		this.#send = send;
	}

	progress(params: unknown): void {
		const wait = this.#lastSentAt + PROGRESS_EVERY_MS - performance.now();
		this.#waiting = params;
		if (wait <= 0) this.#sendProgress();
		else this.#timer ??= setTimeout(() => this.#sendProgress(), wait);
	}

	log(params: unknown): void {
		const now = performance.now();
		if (now - this.#periodAt >= CALL_LOG_PERIOD_MS) {
			if (this.#logs > CALL_LOGS_LIMIT) this.#sendDropped(this.#logs - CALL_LOGS_LIMIT);
			this.#periodAt = now;
			this.#logs = 0;
		}
		this.#logs++;
		if (this.#logs <= CALL_LOGS_LIMIT) this.#send('log', encodeJson(params));
	}

	/** Send what waits: the call has ended. */
	flush(): void {
		if (this.#waiting !== undefined) this.#sendProgress();
		if (this.#logs > CALL_LOGS_LIMIT) this.#sendDropped(this.#logs - CALL_LOGS_LIMIT);
		this.#logs = 0;
	}

	#sendProgress(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#lastSentAt = performance.now();
		const params = this.#waiting;
		this.#waiting = undefined;
		this.#send('progress', JSON.stringify(withoutToken(params)));
	}

	#sendDropped(count: number): void {
		const data = `${count} log messages of a remote tool were dropped: more than ${CALL_LOGS_LIMIT} a second`;
		this.#send('log', JSON.stringify({ level: 'warning', logger: 'orchestra', data }));
	}
}

/** The token of the caller is valid at its hub only. */
function withoutToken(params: unknown): unknown {
	if (!isObject(params)) return {};
	const { progressToken: _token, ...rest } = params;
	return rest;
}
