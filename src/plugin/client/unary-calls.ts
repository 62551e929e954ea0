/*
 * Unary calls in flight: one request, one response. The table is the one of JSON-RPC
 * (`rpc/calls/pending.ts`). Here calls are not matched by its ids: each stream has its own
 * requests, so the stream holds the `UnaryCall` that settles the call.
 */
import { CALL_TIMEOUT_MS } from '../../config/defaults.ts';
import { OrchestraError, withOutcome } from '../../errors.ts';
import { canceledCall } from '../../rpc/calls/message-errors.ts';
import { type CancelSource, type PendingEntry, PendingTable } from '../../rpc/calls/pending.ts';
import { systemClock } from '../../rpc/clock.ts';
import type { PluginResponse } from '../gen/orchestra/plugin/v1/plugin_pb.ts';

/** Timeout and cancellation of a call. */
export interface CallOptions {
	/** Timeout of the response. Default 30 s; `Infinity` for none. */
	timeoutMs?: number | undefined;
	signal?: AbortSignal | undefined;
	/** The work that this call is part of: its cancellation cancels the call. Cheaper than `signal`. */
	work?: CancelSource | undefined;
}

/** One call in flight, for the stream that gets its response. An error without `data.outcome` came before the response. */
export interface UnaryCall {
	settle(response: PluginResponse): void;
	fail(error: OrchestraError): void;
}

interface Entry extends PendingEntry {
	readonly what: string;
	readonly timeoutMs: number;
	readonly resolve: (response: PluginResponse) => void;
	/** Cancels the call at the peer; undefined until it was sent. */
	abandon: (() => void) | undefined;
}

export class UnaryCalls {
	readonly #pending = new PendingTable<Entry>(systemClock, {
		expired: (entry) =>
			abandon(
				entry,
				new OrchestraError('timeout', `${entry.what} got no response within ${entry.timeoutMs} ms`, {
					data: { outcome: 'unknown' },
				}),
			),
		aborted: (entry, reason) => abandon(entry, canceledCall(entry.what, reason, 'unknown')),
	});
	#lastId = 0;

	get size(): number {
		return this.#pending.size;
	}

	/**
	 * Start a call. `begin` sends it and returns the function that abandons it. It is called once and
	 * synchronously; the call fails with the error that it throws.
	 */
	run(what: string, options: CallOptions, begin: (call: UnaryCall) => () => void): Promise<PluginResponse> {
		const { timeoutMs = CALL_TIMEOUT_MS, signal, work } = options;
		return new Promise((resolve, reject) => {
			if (signal?.aborted) return reject(canceledCall(what, signal.reason, 'not_run'));
			if (work?.isCanceled) return work.onCancel((reason) => reject(canceledCall(what, reason, 'not_run')));
			const id = ++this.#lastId;
			const dueAt = systemClock.now() + timeoutMs;
			const entry: Entry = {
				id,
				what,
				timeoutMs,
				dueAt,
				resolve,
				reject,
				abandon: undefined,
				detach: undefined,
			};
			this.#pending.add(entry, signal, work);
			const call: UnaryCall = {
				settle: (response) => this.#pending.take(id)?.resolve(response),
				fail: (error) => this.#pending.take(id)?.reject(error),
			};
			try {
				entry.abandon = begin(call);
			} catch (thrown) {
				call.fail(withOutcome(thrown, 'not_run'));
			}
		});
	}

	close(): void {
		this.#pending.close();
	}
}

function abandon(entry: Entry, error: OrchestraError): void {
	entry.abandon?.();
	entry.reject(error);
}
