/*
 * Serve the requests of one stream.
 *
 * Usually a stream has one request and one response. It may carry many requests, which
 * are answered in any order under their request ids. The peer ends its side after its
 * last request, and we end ours after the last response.
 *
 * There is no table by id and no admission queue as in `rpc/calls/incoming-call-table.ts`: the
 * protocol allows a repeated or empty request id, the link bounds the streams and applies
 * backpressure to each, and a canceled call still gets its (error) response.
 */
import { OrchestraError } from '../../errors.ts';
import type { LinkPeer, LinkStream } from '../../link/link.ts';
import { CODE_BAD_FRAME } from '../../link/link-limits.ts';
import { CallTable } from '../../rpc/calls/call-table.ts';
import { INCOMING_LIMIT } from '../../rpc/rpc-limits.ts';
import { FRAME_LIMIT_BYTES } from '../../wire/wire-limits.ts';
import { decodeRequest, encodeResponse, type RequestKind, type ResponseInit } from '../codec.ts';
import { MCP_PARTS } from '../features.ts';
import { HealthResult_Status, type PluginRequest } from '../gen/orchestra/plugin/v1/plugin_pb.ts';
import { Tunnel } from '../tunnel.ts';
import { ActiveRequest } from './active-request.ts';
import { errorResponse, failedResponse, failureCode } from './error-response.ts';
import type { PluginHandlers, ServerCall, StreamingCall, SubscribedCall } from './handlers.ts';
import { RunningStreams } from './running-streams.ts';

const tooManyCalls = `${INCOMING_LIMIT} calls are in flight on this stream`;

type Response = NonNullable<ResponseInit['response']>;
type Value<K extends RequestKind> = Extract<PluginRequest['request'], { case: K }>['value'];

/** Serve a stream that a peer opened. `running` is shared by all streams of a server. */
export function serveStream(
	stream: LinkStream,
	peer: LinkPeer,
	handlers: PluginHandlers,
	running: RunningStreams = new RunningStreams(),
): void {
	new StreamServer(stream, peer, handlers, running).start();
}

class StreamServer {
	readonly #stream: LinkStream;
	readonly #peer: LinkPeer;
	readonly #handlers: PluginHandlers;
	readonly #running: RunningStreams;
	readonly #calls = new CallTable<number, ActiveRequest>();
	#lastCall = 0;
	#tunnel: Tunnel | undefined;
	#hasEnded = false;
	#isGone = false;

	constructor(stream: LinkStream, peer: LinkPeer, handlers: PluginHandlers, running: RunningStreams) {
		this.#stream = stream;
		this.#peer = peer;
		this.#handlers = handlers;
		this.#running = running;
	}

	start(): void {
		this.#stream.receive({
			frame: (payload) => this.#take(payload),
			end: () => this.#ended(),
			fail: (error) => this.#gone(error),
		});
	}

	#take(payload: Uint8Array): void {
		try {
			if (this.#tunnel) this.#tunnel.take(payload);
			else this.#begin(decodeRequest(payload));
		} catch (thrown) {
			this.#stream.reset(CODE_BAD_FRAME);
			this.#gone(OrchestraError.from(thrown, 'bad_frame'));
		}
	}

	#begin({ requestId, request, tunnelFeatures }: PluginRequest): void {
		if (request.case === 'streamCancel') {
			this.#cancel(request.value.streamId);
			this.#finishIfIdle();
			return;
		}
		if (this.#calls.size >= INCOMING_LIMIT) {
			this.#send(requestId, errorResponse('too_many_calls', tooManyCalls));
			return;
		}
		const call = new ActiveRequest(++this.#lastCall, requestId, this.#peer);
		this.#calls.set(call.number, call);
		if (request.case === 'mcpMessage')
			this.#openTunnel(call, request.value, tunnelFeatures.includes(MCP_PARTS));
		else void this.#run(call, request);
	}

	/** A streaming call or subscription on any stream of this peer, or a plain call on this one. */
	#cancel(id: string): void {
		if (this.#running.cancel(this.#peer.name, id)) return;
		for (const call of this.#calls.values()) if (call.requestId === id) call.cancel();
	}

	async #run(call: ActiveRequest, request: PluginRequest['request']): Promise<void> {
		try {
			await this.#respond(call, request);
		} catch (thrown) {
			// The answer to a delete has no place for the reason.
			if (request.case === 'storageDelete')
				this.#handlers.log?.debug(
					`${request.value.path} was not deleted: ${OrchestraError.from(thrown).message}`,
				);
			this.#send(call.requestId, request.case ? failedResponse(request.case, thrown) : unknownRequest());
		}
		this.#done(call);
	}

	async #respond(call: ActiveRequest, request: PluginRequest['request']): Promise<void> {
		const { case: kind, value } = request;
		if (kind === 'streamStart') return this.#streamTool(call, value);
		if (kind === 'subscribe') return this.#subscribe(call, value);
		if (kind === 'publish' || kind === 'unsubscribe') return this.#acknowledge(call, request);
		if (kind === undefined || kind === 'streamCancel' || kind === 'mcpMessage' || kind === 'mcpPart') {
			return this.#refuse(call);
		}
		// For these kinds the response has the name of the request, which the compiler cannot express.
		const handler = this.#handlers[kind] as ((value: unknown, call: ServerCall) => unknown) | undefined;
		const result = handler ? await handler.call(this.#handlers, value, call) : undefined;
		const response = handler ? ({ case: kind, value: result } as Response) : absent(kind);
		this.#send(call.requestId, response);
	}

	async #acknowledge(call: ActiveRequest, request: PluginRequest['request']): Promise<void> {
		if (request.case === 'publish') await this.#handlers.publish?.(request.value, call);
		if (request.case === 'unsubscribe') {
			this.#running.cancel(this.#peer.name, request.value.subscriptionId);
			await this.#handlers.unsubscribe?.(request.value, call);
		}
		this.#send(call.requestId, undefined);
	}

	async #streamTool(call: ActiveRequest, start: Value<'streamStart'>): Promise<void> {
		const { streamId } = start;
		if (!this.#handlers.streamStart) return this.#refuse(call);
		let chunks = 0n;
		const chunk = async (data: Uint8Array, contentType = 'text/plain'): Promise<void> => {
			call.throwIfAborted();
			const value = { streamId, data, contentType, sequence: chunks++ };
			if (!this.#send(call.requestId, { case: 'streamChunk', value })) await this.#stream.drained();
		};
		const forget = this.#running.add(this.#peer.name, streamId, () => call.cancel());
		const end = { streamId, success: true, errorCode: '', errorMessage: '' };
		try {
			const streaming: StreamingCall = call.with({ chunk });
			await this.#handlers.streamStart(start, streaming);
			call.throwIfAborted();
		} catch (thrown) {
			const error = OrchestraError.from(thrown);
			const errorCode = error.code === 'canceled' ? 'canceled' : failureCode(error);
			Object.assign(end, { success: false, errorCode, errorMessage: error.message });
		} finally {
			forget();
		}
		this.#send(call.requestId, { case: 'streamEnd', value: { ...end, totalChunks: chunks } });
	}

	async #subscribe(call: ActiveRequest, subscription: Value<'subscribe'>): Promise<void> {
		const { subscriptionId, topic } = subscription;
		if (!this.#handlers.subscribe) return this.#refuse(call);
		const backlog = new EventBacklog(this.#stream);
		const deliver: SubscribedCall['deliver'] = (event) => {
			if (call.isAborted) return false;
			if (!backlog.mayGrow) return true;
			try {
				const value = { ...event, subscriptionId };
				const payload = encodeResponse({
					requestId: call.requestId,
					response: { case: 'eventDelivery', value },
				});
				if (!this.#write(payload)) backlog.grow(payload.length);
			} catch (thrown) {
				// Too large for a frame: only this subscriber misses the event.
				if (!OrchestraError.is(thrown, 'bad_frame')) throw thrown;
				this.#handlers.log?.warn(`an event was not delivered: ${thrown.message}`);
			}
			return true;
		};
		const forget = this.#running.add(this.#peer.name, subscriptionId, () => call.cancel());
		// The first delivery has no event: it confirms the subscription.
		this.#send(call.requestId, { case: 'eventDelivery', value: { subscriptionId, topic } });
		try {
			const subscribed: SubscribedCall = call.with({ deliver });
			await this.#handlers.subscribe(subscription, subscribed);
			await call.aborted();
		} finally {
			forget();
		}
	}

	#openTunnel(call: ActiveRequest, first: Uint8Array, sendsParts: boolean): void {
		if (!this.#handlers.tunnel) {
			this.#send(call.requestId, unknownRequest());
			this.#done(call);
			return;
		}
		const tunnel = new Tunnel(this.#stream, call.requestId, { sendsParts, log: this.#handlers.log });
		this.#tunnel = tunnel;
		this.#handlers.tunnel(tunnel, call);
		tunnel.deliver(first);
	}

	#refuse(call: ActiveRequest): void {
		this.#send(call.requestId, unknownRequest());
	}

	/** False when the stream is above its high-water mark. Does nothing when the stream is gone. */
	#send(requestId: string, response: Response | undefined): boolean {
		return this.#isGone || this.#write(encodeResponse({ requestId, ...(response ? { response } : {}) }));
	}

	#write(payload: Uint8Array): boolean {
		if (this.#isGone) return true;
		try {
			return this.#stream.send(payload);
		} catch (thrown) {
			if (OrchestraError.is(thrown, 'closed')) return true;
			throw thrown;
		}
	}

	#done(call: ActiveRequest): void {
		this.#calls.take(call.number);
		this.#finishIfIdle();
	}

	#finishIfIdle(): void {
		if (this.#hasEnded && this.#calls.size === 0 && !this.#isGone) this.#stream.end();
	}

	#ended(): void {
		this.#hasEnded = true;
		if (this.#tunnel) {
			this.#tunnel.over(new OrchestraError('closed', 'the peer closed the tunnel'));
			this.#stream.end();
		} else this.#finishIfIdle();
	}

	#gone(error: OrchestraError): void {
		this.#isGone = true;
		this.#tunnel?.over(error);
		for (const call of this.#calls.values()) call.abort(error);
	}
}

/** Events above the high-water mark of a stream, which its subscriber may never read. More are dropped until it is drained. */
class EventBacklog {
	readonly #stream: LinkStream;
	#bytes = 0;

	constructor(stream: LinkStream) {
		this.#stream = stream;
	}

	get mayGrow(): boolean {
		return this.#bytes < FRAME_LIMIT_BYTES;
	}

	grow(bytes: number): void {
		const isFirst = this.#bytes === 0;
		this.#bytes += bytes;
		if (!isFirst) return;
		const reset = (): void => {
			this.#bytes = 0;
		};
		// A stream that failed takes no more events.
		this.#stream.drained().then(reset, () => {});
	}
}

function absent(kind: RequestKind): Response {
	if (kind === 'health') return { case: kind, value: { status: HealthResult_Status.HEALTHY, message: 'ok' } };
	return unknownRequest();
}

function unknownRequest(): Response {
	return errorResponse('unknown_request', 'unrecognized request type');
}
