/*
 * Messages to and from an MCP server over HTTP, of every revision.
 *
 * Each message is a POST of its own. What belongs to HTTP stays inside: headers derived
 * from the body, sessions and their renewal, streams and their resumption, authorization,
 * and the older HTTP+SSE transport. A request that fails is reported with
 * `Receiver.failed`; the transport itself lives until `close`.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { messageOf, OrchestraError } from '../../errors.ts';
import { Log } from '../../log.ts';
import { CallTable } from '../../rpc/calls/call-table.ts';
import type { Receiver } from '../../rpc/channel.ts';
import { within } from '../../rpc/clock.ts';
import { mcpDialect } from '../../rpc/dialect.ts';
import { toRpcError } from '../../rpc/rpc-error.ts';
import { encodeError, type Id } from '../../wire/json-rpc.ts';
import { quoteLine } from '../../wire/quote-line.ts';
import { MESSAGE_LIMIT_BYTES } from '../../wire/wire-limits.ts';
import type { Transport } from '../transport.ts';
import { EventLink } from './events/event-link.ts';
import type { EventStreamDeps } from './events/event-source.ts';
import { PushStream } from './events/push-stream.ts';
import { CLOSE_MS, MAX_REQUESTS } from './http-client-limits.ts';
import type { HttpClientOptions } from './http-client-options.ts';
import { nameOfUrl, publicUrl } from './http-errors.ts';
import { HttpSession } from './http-session.ts';
import { HttpWire } from './http-wire.ts';
import { modernHeaders } from './mcp-headers.ts';
import { OneWayMessages } from './one-way-messages.ts';
import { OutgoingMessage } from './outgoing-message.ts';
import { PostRequest } from './post-request.ts';
import { ReadFlow } from './read-flow.ts';
import type { RequestContext } from './request-context.ts';
import { discardBody } from './response-body.ts';
import { responseId, splitBatch } from './response-messages.ts';
import { ToolHeaders } from './tool-headers.ts';
import { TransportRequests } from './transport-requests.ts';
import { UnsentCount } from './unsent-count.ts';

/** A transport to one MCP server over HTTP. */
export class HttpClientTransport implements Transport {
	readonly isRemote = true;
	readonly #log: Log;
	readonly #wire: HttpWire;
	readonly #limitBytes: number;
	readonly #flow = new ReadFlow();
	readonly #unsent = new UnsentCount();
	readonly #tools: ToolHeaders;
	readonly #session: HttpSession;
	readonly #streams: EventStreamDeps;
	readonly #push: PushStream;
	readonly #context: RequestContext;
	readonly #requests: TransportRequests;
	readonly #oneWay: OneWayMessages;
	/** Requests without an answer, by the key of their id. */
	readonly #open = new CallTable<Id, PostRequest>();
	#early: string[] = [];
	#receiver: Receiver | undefined;
	#streamId: Id | undefined;
	#confirming: Promise<void> | undefined;
	#link: EventLink | undefined;
	#endReason: OrchestraError | undefined;
	#closed: Promise<void> | undefined;

	/** Nothing is sent before the first `post`. The caller closes the transport. */
	constructor(url: URL, options: HttpClientOptions = {}) {
		const { headers = {}, auth, log = Log.silent, limitBytes = MESSAGE_LIMIT_BYTES } = options;
		const label = { url: publicUrl(url), name: options.serverName ?? nameOfUrl(url) };
		this.#log = log;
		this.#limitBytes = limitBytes;
		const { environment, socketPath } = options;
		this.#wire = new HttpWire({ url, headers, auth, label, environment, socketPath });
		this.#tools = new ToolHeaders(log);
		this.#context = this.#createContext();
		this.#requests = new TransportRequests(this.#context, this.#tools);
		this.#oneWay = new OneWayMessages(this.#context, this.#unsent, log);
		this.#session = new HttpSession({
			nextId: () => this.#requests.nextId(),
			request: (text) => this.#requests.send(text),
			notify: (message) => this.#confirm(message),
		});
		this.#streams = {
			wire: this.#wire,
			flow: this.#flow,
			limitBytes,
			isBusy: () => this.#open.size > 0,
			onMessage: (text) => this.#receive(text),
		};
		this.#push = new PushStream({
			...this.#streams,
			log,
			headers: () => this.#session.headers(),
			onSessionLost: () => this.#renewInBackground(),
		});
	}

	get isClosed(): boolean {
		return this.#endReason !== undefined;
	}

	get streamId(): Id | undefined {
		return this.#streamId;
	}

	start(receiver: Receiver): void {
		this.#receiver = receiver;
		if (this.#endReason) receiver.end(this.#endReason);
		else for (const text of this.#early.splice(0)) this.post(text);
	}

	post(text: string): boolean {
		if (this.#endReason) throw this.#endReason;
		const message = new OutgoingMessage(text);
		if (this.#receiver === undefined) this.#early.push(text);
		else if (!this.#cancel(message)) this.#send(message);
		return this.#unsent.hasRoom;
	}

	flushed(): Promise<void> {
		return this.#unsent.flushed();
	}

	pause(): void {
		this.#flow.pause();
	}

	resume(): void {
		this.#flow.resume();
	}

	logStray(text: string): void {
		this.#log.debug(`${this.#wire.label.url} sent text that is no message: ${quoteLine(text)}`);
	}

	/** Use the HTTP+SSE transport of 2024-11-05. Rejects when the server does not have it. */
	async openEventLink(): Promise<void> {
		this.#link = await EventLink.open({
			...this.#streams,
			onEnd: (reason) => this.#link && this.#finish(reason),
		});
	}

	/** End the session and close every connection. */
	close(): Promise<void> {
		// A receiver may close the transport when it ends, so this is set before.
		this.#closed ??= this.#closeConnections();
		this.#finish(new OrchestraError('closed', 'transport is shut down'));
		return this.#closed;
	}

	async #closeConnections(): Promise<void> {
		const sending = this.#oneWay.sending;
		if (this.#session.id !== undefined) sending.push(this.#endSession());
		if (sending.length > 0) await within(Promise.allSettled(sending), CLOSE_MS);
		this.#wire.close();
	}

	#finish(reason: OrchestraError): void {
		if (this.#endReason) return;
		this.#endReason = reason;
		this.#unsent.fail(reason);
		this.#push.stop();
		this.#link?.close();
		this.#requests.abort(reason);
		for (const request of this.#open.values()) request.abort();
		this.#open.clear();
		this.#receiver?.end(reason);
	}

	#send(message: OutgoingMessage): void {
		const { id, kind, method } = message;
		if (kind === 'request' && id !== undefined) return this.#request(message, id);
		if (method !== 'notifications/initialized') return void this.#oneWay.send(message);
		this.#session.confirm(message);
		void this.#confirm(message);
	}

	#request(message: OutgoingMessage, id: Id): void {
		if (this.#open.size >= MAX_REQUESTS) {
			const error = new OrchestraError('io', `${MAX_REQUESTS} requests wait for ${this.#wire.label.url}`, {
				hint: 'Wait for answers before you send more.',
			});
			return queueMicrotask(() => this.#fail(id, error));
		}
		if (message.method === 'initialize') this.#begin(message);
		const request = new PostRequest(message, id, this.#context, this.#unsent.add(message.text.length));
		this.#open.set(id, request);
		void request.run();
	}

	#begin(message: OutgoingMessage): void {
		this.#session.begin(message);
		this.#push.stop();
		// The probe that came before is not answered any more.
		for (const [key, request] of this.#open.entries()) {
			if (request.message.method !== 'server/discover') continue;
			request.abort();
			this.#open.take(key);
		}
	}

	/** True when nothing has to be sent: the request is unknown, was not sent yet, or ends with its stream. */
	#cancel(message: OutgoingMessage): boolean {
		const id = mcpDialect.canceledId(message.method, message.params, message.text);
		if (id === undefined) return false;
		const request = this.#open.take(id);
		const isModern = request?.message.version !== undefined;
		if (request && request.isFlushed && !isModern)
			void this.#oneWay.send(message).then(() => request.abort());
		else request?.abort();
		return true;
	}

	/** `notifications/initialized`: requests wait for it, and the push stream follows it. */
	async #confirm(message: OutgoingMessage): Promise<void> {
		this.#confirming = this.#oneWay.send(message);
		await this.#confirming;
		this.#confirming = undefined;
		if (!this.#endReason && this.#link === undefined) this.#push.start();
	}

	async #endSession(): Promise<void> {
		const headers = this.#session.headers();
		const exchange = this.#wire.exchange({ method: 'DELETE', headers, replyMs: CLOSE_MS });
		// A server may refuse it (405) or be gone: the session ends either way.
		discardBody(await exchange.reply());
	}

	#renewInBackground(): void {
		this.#session
			.renew(this.#session.id)
			.catch((error: unknown) => this.#log.warn(`no new session: ${messageOf(error)}`));
	}

	#createContext(): RequestContext {
		return {
			wire: this.#wire,
			flow: this.#flow,
			limitBytes: this.#limitBytes,
			ready: ({ method }) => this.#ready(method),
			target: (message) => ({ url: this.#link?.endpoint, headers: this.#headersOf(message) }),
			sessionOf: ({ version, method }) =>
				version === undefined && method !== 'initialize' ? this.#session.id : undefined,
			hasEventLink: () => this.#link !== undefined,
			isSessionLost: (id) =>
				this.#session.id === id ? this.#requests.isSessionLost(id) : Promise.resolve(true),
			renewSession: (id) => this.#session.renew(id),
			relistTools: (message) => this.#requests.relistTools(message),
			fallBack: () => this.#fallBack(),
			onAnswer: (message, text, headers) => this.#answer(message, text, headers),
			onMessage: (text, id, streamId) => this.#deliver(text, id, streamId),
			onFailed: ({ id }, error) => id !== undefined && this.#fail(id, error),
		};
	}

	#ready(method: string): Promise<void> | undefined {
		if (method === 'initialize' || method === 'notifications/initialized') return undefined;
		return this.#confirming ?? this.#session.renewal?.catch(() => {});
	}

	#headersOf(message: OutgoingMessage): Record<string, string> {
		const accept = 'application/json, text/event-stream';
		if (message.version !== undefined) return { accept, ...modernHeaders(message, this.#tools) };
		const isPlain = message.method === 'initialize' || this.#link !== undefined;
		return isPlain ? { accept } : { accept, ...this.#session.headers() };
	}

	async #fallBack(): Promise<boolean> {
		if (this.#link) return false;
		try {
			await this.openEventLink();
			return true;
		} catch (error) {
			this.#log.debug(`no HTTP+SSE transport: ${messageOf(error)}`);
			return false;
		}
	}

	/** Messages of a stream that belongs to no request. */
	#receive(text: string): void {
		for (const one of splitBatch(text)) this.#deliver(one, responseId(one));
	}

	#deliver(text: string, id: Id | null | undefined, streamId?: Id): void {
		const request = id === undefined || id === null ? undefined : this.#open.get(id);
		if (request) return request.answer(text, {});
		if (this.#endReason) return;
		this.#streamId = streamId;
		this.#receiver?.message(text);
		this.#streamId = undefined;
	}

	#answer(message: OutgoingMessage, text: string, headers: IncomingHttpHeaders): void {
		const { id, method, version } = message;
		if (id === undefined) return;
		this.#open.take(id);
		if (method === 'initialize') this.#session.opened({ text, headers });
		else if (this.#session.id !== undefined) this.#session.answered(message, text);
		const isList = method === 'tools/list' && version !== undefined;
		const given = isList ? this.#tools.learn(id, text) : text;
		if (given instanceof Promise) void given.then((late) => this.#give(late));
		else this.#give(given);
	}

	#give(text: string): void {
		if (!this.#endReason) this.#receiver?.message(text);
	}

	#fail(id: Id, error: OrchestraError): void {
		this.#open.take(id);
		if (this.#endReason) return;
		if (this.#receiver?.failed) this.#receiver.failed(id, error);
		else this.#receiver?.message(encodeError(id, toRpcError(error)));
	}
}
