/*
 * Many calls on one stream, for links where a stream is dear.
 *
 * Answers are matched by request id and may come in any order. A peer that ends
 * the stream after an answer is fine too: the next call opens a new one.
 */
import { OrchestraError } from '../errors.ts';
import type { Link, LinkStream } from '../quic/link.ts';
import type { Call } from './calls.ts';
import { decodeResponse } from './codec.ts';

export class SharedStream {
	readonly #link: Link;
	readonly #waiting = new Map<string, Call>();
	#stream: LinkStream | undefined;

	constructor(link: Link) {
		this.#link = link;
	}

	/** Is this id free? Two calls under one id could not be told apart. */
	isFree(id: string): boolean {
		return !this.#waiting.has(id);
	}

	/** Send a call; gives back how to forget it. */
	send(id: string, payload: Uint8Array, call: Call): () => void {
		const stream = (this.#stream ??= this.#open());
		this.#waiting.set(id, call);
		stream.send(payload);
		return () => this.#waiting.delete(id);
	}

	close(): void {
		this.#stream?.end();
		this.#stream = undefined;
	}

	#open(): LinkStream {
		const stream = this.#link.openStream();
		const over = (error: OrchestraError): void => {
			if (this.#stream === stream) this.#stream = undefined;
			for (const [id, call] of this.#waiting) {
				this.#waiting.delete(id);
				call.fail(error);
			}
		};
		stream.receive({
			frame: (payload) => this.#take(payload),
			end: () => {
				stream.end();
				over(new OrchestraError('closed', `${this.#link.address} ended the connection before it answered`));
			},
			fail: over,
		});
		return stream;
	}

	#take(payload: Uint8Array): void {
		const response = decodeResponse(payload);
		const call = this.#waiting.get(response.requestId);
		this.#waiting.delete(response.requestId);
		call?.answer(response);
	}
}
