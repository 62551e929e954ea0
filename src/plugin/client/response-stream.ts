/*
 * The many answers of one call, as an async iterable.
 *
 * Answers that nobody has taken yet are few: the stream is paused until they
 * are, and the peer feels it. Leaving the loop early gives the call up.
 */
import { OrchestraError } from '../../errors.ts';
import type { LinkStream } from '../../link/link.ts';
import { decodeResponse } from '../codec.ts';
import type { PluginResponse } from '../gen/orchestra/plugin/v1/plugin_pb.ts';

const MAX_UNTAKEN = 64;

export class ResponseStream implements AsyncIterable<PluginResponse> {
	readonly #stream: LinkStream;
	readonly #isLast: (response: PluginResponse) => boolean;
	readonly #onGiveUp: () => void;
	#untaken: PluginResponse[] = [];
	#wake: (() => void) | undefined;
	#error: OrchestraError | undefined;
	#isOver = false;

	/** @param isLast does this answer end the call? */
	constructor(stream: LinkStream, isLast: (response: PluginResponse) => boolean, onGiveUp: () => void) {
		this.#stream = stream;
		this.#isLast = isLast;
		this.#onGiveUp = onGiveUp;
		stream.receive({
			frame: (payload) => this.#take(payload),
			end: () =>
				this.fail(new OrchestraError('closed', 'the peer ended the stream before the call was over')),
			fail: (error) => this.fail(error),
		});
	}

	/** Give the call up: the loop ends with `canceled`. Idempotent. */
	cancel(): void {
		this.fail(new OrchestraError('canceled', 'the streaming call was canceled'));
	}

	/** End the call with an error; what came before it is still delivered. */
	fail(error: OrchestraError): void {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#error = error;
		this.#onGiveUp();
		this.#stream.reset();
		this.#wake?.();
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<PluginResponse, void, void> {
		try {
			for (;;) {
				const next = this.#untaken.shift();
				if (next) {
					if (this.#untaken.length === 0) this.#stream.resume();
					yield next;
				} else if (this.#error) throw this.#error;
				else if (this.#isOver) return;
				else await this.#more();
			}
		} finally {
			this.cancel();
		}
	}

	#more(): Promise<void> {
		return new Promise((resolve) => {
			this.#wake = () => {
				this.#wake = undefined;
				resolve();
			};
		});
	}

	#take(payload: Uint8Array): void {
		const response = decodeResponse(payload);
		if (this.#isOver) return;
		this.#untaken.push(response);
		if (this.#isLast(response)) {
			this.#isOver = true;
			this.#stream.end();
		} else if (this.#untaken.length >= MAX_UNTAKEN) this.#stream.pause();
		this.#wake?.();
	}
}
