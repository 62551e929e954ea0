/*
 * The client of a peer that speaks orchestra.plugin.v1: a plugin, or the orchestrator.
 *
 * Any number of calls may be in flight. Over QUIC each call has its own stream, unless
 * very many are in flight between our own ends; over TLS calls are multiplexed on one
 * stream. Canceling a call notifies the peer.
 */
import { OrchestraError } from '../../errors.ts';
import type { DialOptions, Link } from '../../link/link.ts';
import { dial, type LinkChoice } from '../../link/open-link.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { timerMs } from '../../rpc/clock.ts';
import {
	decodeResponse,
	encodePluginRequest,
	expectKind,
	type RequestInit,
	type ResponseKind,
	type ResponseValue,
} from '../codec.ts';
import { MCP_PARTS } from '../features.ts';
import type { PluginResponse } from '../gen/orchestra/plugin/v1/plugin_pb.ts';
import {
	POST_TIMEOUT_MS,
	SEPARATE_STREAMS_LIMIT,
	SHARED_AFTER_MANY,
	SHARED_STREAM_CALL_BYTES,
} from '../plugin-limits.ts';
import { openTunnel, type Tunnel } from '../tunnel.ts';
import { ResponseStream } from './response-stream.ts';
import { SharedStream, unexpectedResponse } from './shared-stream.ts';
import { type CallOptions, type UnaryCall, UnaryCalls } from './unary-calls.ts';

/** Calls to a peer over one link. `close` it when done. */
export class PluginClient {
	readonly address: string;
	/** Resolves with the reason when the link ends. */
	readonly closed: Promise<OrchestraError>;
	readonly #link: Link;
	readonly #shared: SharedStream;
	readonly #calls = new UnaryCalls();
	#features: ReadonlySet<string> = new Set();
	#lastId = 0;
	/** How many of the next calls share a stream although few are in flight. */
	#sharedLeft = 0;

	/** The client owns the link. */
	constructor(link: Link) {
		this.#link = link;
		this.#shared = new SharedStream(link);
		this.address = link.address;
		this.closed = link.closed;
		link.mayRenew = false;
	}

	/** Dial a peer. */
	static async connect(options: DialOptions & LinkChoice): Promise<PluginClient> {
		return new PluginClient(await dial(options));
	}

	/** The features of the peer, from the registration. Only our own implementation has any. */
	get features(): ReadonlySet<string> {
		return this.#features;
	}

	set features(features: ReadonlySet<string>) {
		this.#features = features;
		this.#link.mayRenew = features.size > 0;
	}

	/** The number of calls in flight, without streams. */
	get pending(): number {
		return this.#calls.size;
	}

	/** One request, one response. An empty `requestId` is filled in. */
	send(request: RequestInit, options: CallOptions = {}): Promise<PluginResponse> {
		const what = `${request.request?.case ?? 'an empty request'} to ${this.address}`;
		return this.#calls.run(what, options, (call) => {
			const id = request.requestId || this.#nextId();
			const payload = encodePluginRequest({ ...request, requestId: id });
			const isShared = this.#shared.isFree(id) && this.#sharesStream(payload);
			return isShared ? this.#shared.send(id, payload, call) : this.#sendAlone(id, payload, call);
		});
	}

	/** One request whose response must be of this kind. Throws the error of the peer otherwise. */
	async ask<K extends ResponseKind>(
		request: NonNullable<RequestInit['request']>,
		kind: K,
		options?: CallOptions,
	): Promise<ResponseValue<K>> {
		return expectKind(await this.send({ request }, options), kind);
	}

	/**
	 * A streaming call: chunks, then the end. Breaking out of the loop, `cancel()` and the signal all cancel the
	 * call at the peer. `timeoutMs` bounds the whole call; default none.
	 */
	sendStream(request: RequestInit, options: CallOptions = {}): ResponseStream {
		const id = request.requestId || this.#nextId();
		const payload = encodePluginRequest({ ...request, requestId: id });
		const stream = this.#link.openStream();
		const { signal, timeoutMs } = options;
		const start = request.request?.case === 'streamStart' ? request.request.value.streamId : undefined;
		let stopListening = (): void => {};
		const responses = new ResponseStream(stream, {
			isLast: ({ response: { case: kind } }) => kind === 'streamEnd' || kind === 'toolCall',
			onOver: (isCanceled) => {
				clearTimeout(timer);
				stopListening();
				// A stream is canceled by a request of its own: peers read only one frame from each stream.
				if (isCanceled && start !== undefined)
					this.#post({ request: { case: 'streamCancel', value: { streamId: start } } });
			},
		});
		const timer =
			timeoutMs === undefined
				? undefined
				: setTimeout(() => responses.fail(late(timeoutMs)), timerMs(timeoutMs));
		stream.send(payload);
		if (this.#link.streamsAreCheap) stream.end();
		stopListening = onAbort(signal, () => responses.cancel());
		return responses;
	}

	/** Subscribe to a topic. The first delivery confirms the subscription; the others are events. End it with `cancel()`. */
	subscribe(subscription: { id: string; topic: string; filters?: Record<string, string> }): ResponseStream {
		const { id, topic, filters = {} } = subscription;
		const stream = this.#link.openStream();
		const responses = new ResponseStream(stream, {
			isLast: () => false,
			onOver: () => this.#post({ request: { case: 'unsubscribe', value: { subscriptionId: id } } }),
		});
		const value = { subscriptionId: id, topic, filters };
		stream.send(encodePluginRequest({ requestId: this.#nextId(), request: { case: 'subscribe', value } }));
		if (this.#link.streamsAreCheap) stream.end();
		return responses;
	}

	/** A transport for MCP messages. Only for a peer with the feature `mcp-tunnel`. */
	openTunnel(): Tunnel {
		const sendsParts = this.#features.has(MCP_PARTS);
		return openTunnel(this.#link.openStream(), this.#nextId(), { sendsParts });
	}

	/** Drain the calls in flight briefly, then close the link. Idempotent. */
	async close(): Promise<void> {
		this.#shared.close();
		await this.#link.close();
		this.#calls.close();
	}

	/** Over QUIC only peers with features, which are ours, read more than one request from a stream. */
	#sharesStream(payload: Uint8Array): boolean {
		if (!this.#link.streamsAreCheap) return true;
		// A burst is often answered at once, so the next burst begins with no call in flight.
		if (this.#calls.size >= SEPARATE_STREAMS_LIMIT) this.#sharedLeft = SHARED_AFTER_MANY;
		else if (this.#sharedLeft > 0) this.#sharedLeft--;
		return this.#features.size > 0 && this.#sharedLeft > 0 && payload.length <= SHARED_STREAM_CALL_BYTES;
	}

	#sendAlone(id: string, payload: Uint8Array, call: UnaryCall): () => void {
		const stream = this.#link.openStream();
		let hasResponse = false;
		stream.receive({
			frame: (bytes) => {
				hasResponse = true;
				const response = decodeResponse(bytes);
				// Some peers omit the id when the stream has one response only.
				if (response.requestId === id || response.requestId === '') call.settle(response);
				else call.fail(unexpectedResponse(this.address, response.requestId));
				if (!this.#link.streamsAreCheap) stream.end();
			},
			// Every stream ends; only an end without a response is an error.
			end: () => {
				if (hasResponse) return;
				call.fail(new OrchestraError('closed', `${this.address} ended the stream without a response`));
			},
			fail: (error) => call.fail(error),
		});
		stream.send(payload);
		if (this.#link.streamsAreCheap) stream.end();
		return () => stream.reset();
	}

	/** Send without waiting for a response. */
	#post(request: RequestInit): void {
		// The link may already be closed; then nothing is to be done.
		this.send(request, { timeoutMs: POST_TIMEOUT_MS }).catch(() => {});
	}

	#nextId(): string {
		this.#lastId++;
		return `c${this.#lastId}`;
	}
}

function late(timeoutMs: number): OrchestraError {
	return new OrchestraError('timeout', `the streaming call did not end within ${timeoutMs} ms`);
}
