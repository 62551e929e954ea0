/*
 * The answer to one POST: JSON when the result is the first thing to send, else a
 * stream of events that ends with the result.
 *
 * A request that takes long gets a stream before its result, so that comments keep
 * the connection alive.
 */
import type { ServerResponse } from 'node:http';
import { EventStream } from './event-stream.ts';
import type { HttpLimits } from './http-limits.ts';
import { replyJson } from './http-reply.ts';
import type { StreamHeartbeats } from './stream-heartbeats.ts';

export interface PostAnswerDeps {
	readonly limits: HttpLimits;
	readonly heartbeats: StreamHeartbeats;
	/** When an answer becomes a stream without a message, in milliseconds. */
	readonly streamAfterMs: number;
	/** The answer became a stream. */
	readonly onStream?: ((stream: EventStream) => void) | undefined;
	/** The client disconnected before the end of the answer. */
	readonly onDisconnect: () => void;
}

export class PostAnswer {
	readonly #response: ServerResponse;
	readonly #deps: PostAnswerDeps;
	readonly #beat = (now: number): void => this.#keepAlive(now);
	readonly #since = performance.now();
	#stream: EventStream | undefined;
	#isDone = false;

	constructor(response: ServerResponse, deps: PostAnswerDeps) {
		this.#response = response;
		this.#deps = deps;
		response.once('close', () => this.#onClose());
		deps.heartbeats.add(this.#beat);
	}

	/** End with `text`: as the whole body, or as the last event. */
	finish(status: number, text: string): void {
		if (this.#stream === undefined) {
			this.#done();
			return replyJson(this.#response, status, text);
		}
		this.#stream.send(text);
		this.end();
	}

	/** The stream of this answer, begun if necessary. */
	stream(): EventStream {
		if (this.#stream) return this.#stream;
		this.#stream = new EventStream(this.#response, this.#deps.limits);
		this.#deps.onStream?.(this.#stream);
		return this.#stream;
	}

	/** End without a result. */
	end(): void {
		const stream = this.stream();
		this.#done();
		stream.end();
	}

	#keepAlive(now: number): void {
		if (this.#stream) this.#stream.keepAlive(now);
		else if (now - this.#since >= this.#deps.streamAfterMs) this.stream();
	}

	#done(): void {
		this.#isDone = true;
		this.#deps.heartbeats.remove(this.#beat);
	}

	#onClose(): void {
		if (this.#isDone) return;
		this.#done();
		this.#deps.onDisconnect();
	}
}
