/*
 * The responses of a streaming call, as an async iterable.
 *
 * The buffer is bounded: when it is full the stream is paused, which applies
 * backpressure to the peer. Leaving the loop early cancels the call.
 */

import { OrchestraError } from '../../errors.ts';
import type { LinkStream } from '../../link/link.ts';
import { type Deferred, deferred } from '../../rpc/deferred.ts';
import { decodeResponse } from '../codec.ts';
import type { PluginResponse } from '../gen/orchestra/plugin/v1/plugin_pb.ts';
import { RESPONSE_STREAM_LIMIT } from '../plugin-limits.ts';

interface ResponseStreamEvents {
	/** Whether this response ends the call. */
	isLast(response: PluginResponse): boolean;
	/** Called once, at the last response or when the call ends before it. */
	onOver(isCanceled: boolean): void;
}

/** The responses of a streaming call. */
export class ResponseStream implements AsyncIterable<PluginResponse> {
	readonly #stream: LinkStream;
	readonly #events: ResponseStreamEvents;
	#buffer: PluginResponse[] = [];
	#more: Deferred<void> | undefined;
	#error: OrchestraError | undefined;
	#isDone = false;

	constructor(stream: LinkStream, events: ResponseStreamEvents) {
		this.#stream = stream;
		this.#events = events;
		stream.receive({
			frame: (payload) => this.#take(payload),
			end: () =>
				this.fail(new OrchestraError('closed', 'the peer ended the stream before the call was over')),
			fail: (error) => this.fail(error),
		});
	}

	/** Cancel the call: the loop ends with `canceled`. Idempotent. */
	cancel(): void {
		this.fail(new OrchestraError('canceled', 'the streaming call was canceled'));
	}

	/** End the call with an error; buffered responses are still delivered. */
	fail(error: OrchestraError): void {
		if (this.#isDone) return;
		this.#isDone = true;
		this.#error = error;
		this.#events.onOver(true);
		this.#stream.reset();
		this.#more?.resolve();
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<PluginResponse, void, void> {
		try {
			for (;;) {
				const next = this.#buffer.shift();
				if (next) {
					if (this.#buffer.length === 0) this.#stream.resume();
					yield next;
				} else if (this.#error) throw this.#error;
				else if (this.#isDone) return;
				else await (this.#more = deferred()).promise;
			}
		} finally {
			this.cancel();
		}
	}

	#take(payload: Uint8Array): void {
		const response = decodeResponse(payload);
		if (this.#isDone) return;
		this.#buffer.push(response);
		if (this.#events.isLast(response)) {
			this.#isDone = true;
			this.#events.onOver(false);
			this.#stream.end();
		} else if (this.#buffer.length >= RESPONSE_STREAM_LIMIT) this.#stream.pause();
		this.#more?.resolve();
	}
}
