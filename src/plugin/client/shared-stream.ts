/*
 * Multiplexes many calls on one stream: always over TLS, where a stream is expensive,
 * and over QUIC between our own ends when many calls are in flight, because the engine
 * puts only one stream into a packet.
 *
 * Responses are matched by request id, in any order. A peer may end the stream after a
 * response; the next call opens a new one. A response with an unknown id fails the
 * pending call if there is only one; among several it cannot be attributed, and their
 * deadlines apply.
 */
import { OrchestraError } from '../../errors.ts';
import type { Link, LinkStream } from '../../link/link.ts';
import { CallTable } from '../../rpc/calls/call-table.ts';
import { decodeResponse, encodePluginRequest } from '../codec.ts';
import { SHARED_STREAM_ENDED_LIMIT } from '../plugin-limits.ts';
import type { UnaryCall } from './unary-calls.ts';

export class SharedStream {
	readonly #link: Link;
	readonly #waiting = new CallTable<string, UnaryCall>();
	/** Ids that were answered or canceled. */
	readonly #ended = new Set<string>();
	#stream: LinkStream | undefined;

	constructor(link: Link) {
		this.#link = link;
	}

	/** Whether no call is pending under this id. */
	isFree(id: string): boolean {
		return !this.#waiting.has(id);
	}

	/** Send a call. Returns the function that cancels it at the peer. */
	send(id: string, payload: Uint8Array, call: UnaryCall): () => void {
		const stream = (this.#stream ??= this.#open());
		this.#waiting.set(id, call);
		stream.send(payload);
		return () => {
			if (!this.#waiting.take(id) || this.#stream !== stream) return;
			this.#addEnded(id);
			stream.send(
				encodePluginRequest({ requestId: id, request: { case: 'streamCancel', value: { streamId: id } } }),
			);
			this.#endIfIdle();
		};
	}

	/** Send no more calls. Pending ones may still be answered, or fail with the link. */
	close(): void {
		this.#stream?.end();
		if (this.#waiting.size === 0) this.#stream = undefined;
	}

	#open(): LinkStream {
		const stream = this.#link.openStream();
		const over = (error: OrchestraError): void => {
			if (this.#stream !== stream) return;
			this.#stream = undefined;
			for (const [id] of this.#waiting.entries()) this.#waiting.take(id)?.fail(error);
		};
		stream.receive({
			frame: (payload) => this.#take(payload),
			end: () => {
				if (this.#stream !== stream) return;
				stream.end();
				over(new OrchestraError('closed', `${this.#link.address} ended the connection without a response`));
			},
			fail: over,
		});
		return stream;
	}

	#take(payload: Uint8Array): void {
		const response = decodeResponse(payload);
		const { requestId } = response;
		const call = this.#waiting.take(requestId);
		if (call) {
			this.#addEnded(requestId);
			call.settle(response);
		} else if (!this.#ended.has(requestId)) this.#unexpected(requestId);
		this.#endIfIdle();
	}

	#addEnded(id: string): void {
		const [oldest] = this.#ended;
		if (oldest !== undefined && this.#ended.size >= SHARED_STREAM_ENDED_LIMIT) this.#ended.delete(oldest);
		this.#ended.add(id);
	}

	#unexpected(id: string): void {
		if (this.#waiting.size !== 1) return;
		for (const call of this.#waiting.values()) call.fail(unexpectedResponse(this.#link.address, id));
		this.#waiting.clear();
	}

	/** Over QUIC a new stream is cheap, and an open one keeps the link from idling. */
	#endIfIdle(): void {
		if (this.#link.streamsAreCheap && this.#waiting.size === 0) this.close();
	}
}

/** The error of a call whose response has the id of another request. */
export function unexpectedResponse(address: string, id: string): OrchestraError {
	return new OrchestraError('bad_frame', `${address} sent a response to "${id}", which was not requested`, {
		data: { outcome: 'unknown' },
	});
}
