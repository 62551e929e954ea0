/*
 * Many calls on one stream: always over TLS, where a stream is dear, and over QUIC
 * between our own ends when many calls are under way, because the engine puts only
 * one stream into a packet.
 *
 * Answers are matched by request id and may come in any order. A peer that ends
 * the stream after an answer is fine too: the next call opens a new one. An answer
 * to nothing fails the call that waits, if it is the only one; among several nobody
 * can say whose it was, and their deadlines decide.
 */
import { OrchestraError } from '../../errors.ts';
import type { Link, LinkStream } from '../../link/link.ts';
import { decodeResponse, encodePluginRequest } from '../codec.ts';
import type { Call } from './pending-calls.ts';

/** How many of the latest calls that are over may be answered once more without surprise. */
const MAX_OVER = 1024;

export class SharedStream {
	readonly #link: Link;
	readonly #waiting = new Map<string, Call>();
	/** Ids that were answered or given up. */
	readonly #over = new Set<string>();
	#stream: LinkStream | undefined;

	constructor(link: Link) {
		this.#link = link;
	}

	/** Is this id free? Two calls under one id could not be told apart. */
	isFree(id: string): boolean {
		return !this.#waiting.has(id);
	}

	/** Send a call; gives back how to abandon it, which tells the peer. */
	send(id: string, payload: Uint8Array, call: Call): () => void {
		const stream = (this.#stream ??= this.#open());
		this.#waiting.set(id, call);
		stream.send(payload);
		return () => {
			if (!this.#waiting.delete(id) || this.#stream !== stream) return;
			this.#rememberOver(id);
			stream.send(
				encodePluginRequest({ requestId: id, request: { case: 'streamCancel', value: { streamId: id } } }),
			);
			this.#endIfIdle();
		};
	}

	/** No more calls. Those under way may still be answered, or fail with the link. */
	close(): void {
		this.#stream?.end();
		if (this.#waiting.size === 0) this.#stream = undefined;
	}

	#open(): LinkStream {
		const stream = this.#link.openStream();
		const over = (error: OrchestraError): void => {
			if (this.#stream !== stream) return;
			this.#stream = undefined;
			for (const [id, call] of this.#waiting) {
				this.#waiting.delete(id);
				call.fail(error);
			}
		};
		stream.receive({
			frame: (payload) => this.#take(payload),
			end: () => {
				if (this.#stream !== stream) return;
				stream.end();
				over(new OrchestraError('closed', `${this.#link.address} ended the connection before it answered`));
			},
			fail: over,
		});
		return stream;
	}

	#take(payload: Uint8Array): void {
		const response = decodeResponse(payload);
		const { requestId } = response;
		const call = this.#waiting.get(requestId);
		if (call) {
			this.#waiting.delete(requestId);
			this.#rememberOver(requestId);
			call.answer(response);
		} else if (!this.#over.has(requestId)) this.#surprise(requestId);
		this.#endIfIdle();
	}

	#rememberOver(id: string): void {
		const [oldest] = this.#over;
		if (oldest !== undefined && this.#over.size >= MAX_OVER) this.#over.delete(oldest);
		this.#over.add(id);
	}

	#surprise(id: string): void {
		if (this.#waiting.size !== 1) return;
		for (const call of this.#waiting.values()) call.fail(strangeAnswer(this.#link.address, id));
		this.#waiting.clear();
	}

	/** A new stream costs nothing over QUIC, and an open one keeps the link awake. */
	#endIfIdle(): void {
		if (this.#link.streamsAreCheap && this.#waiting.size === 0) this.close();
	}
}

/** The error of a call whose answer is for another request. */
export function strangeAnswer(address: string, id: string): OrchestraError {
	return new OrchestraError('bad_frame', `${address} answered request "${id}", which nobody sent`);
}
