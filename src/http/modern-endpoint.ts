/* The modern era at one path: each request is checked against its headers and served alone. */

import type { Awaitable } from '../protocol/mcp-types.ts';
import { CLIENT_INFO, metaOf, PROTOCOL_VERSION } from '../protocol/meta.ts';
import { CallTable } from '../rpc/call-table.ts';
import { type RpcErrorObject, type RpcRequest, rpcCodes } from '../wire/json-rpc.ts';
import {
	type HttpExchange,
	type McpEndpointParts,
	type ReceivedMessage,
	tooManyStreams,
} from './http-exchange.ts';
import { type HttpRefusal, refuse, replyEmpty } from './http-reply.ts';
import { ModernExchange } from './modern-exchange.ts';
import { headerMismatch, isMetaIncomplete } from './modern-headers.ts';
import { ModernSessions } from './modern-sessions.ts';
import { ParamHeaders } from './param-headers.ts';

export class ModernEndpoint {
	readonly #parts: McpEndpointParts;
	readonly #paramHeaders: ParamHeaders;
	readonly #sessions: ModernSessions;
	readonly #exchanges = new CallTable<number, ModernExchange>();
	#lastExchange = 0;
	readonly #beat = (now: number): void => this.#sessions.endIdle(now);

	constructor(parts: McpEndpointParts) {
		this.#parts = parts;
		this.#paramHeaders = new ParamHeaders(parts.provider);
		this.#sessions = new ModernSessions(parts.provider, parts.limits);
		parts.heartbeats.add(this.#beat);
	}

	async post(exchange: HttpExchange, received: ReceivedMessage): Promise<void> {
		const { request, response, principal, streams } = exchange;
		const { read, value, text } = received;
		// The core protocol has no notifications over HTTP; those of extensions are ignored.
		if (read.kind === 'notification') return replyEmpty(response, 202);
		if (read.kind !== 'request') return refuse(response, noRequest);
		const { message } = read;
		const { id, method, params } = message;
		if (metaOf(params)[PROTOCOL_VERSION] === undefined) return refuse(response, { ...noVersion, id });
		const { headers } = request;
		const error = headerMismatch(headers, message) ?? (await this.#paramMismatch(headers, message));
		if (error) return refuse(response, { ...error, status: 400, id });
		const isSubscription = method === 'subscriptions/listen';
		if (isSubscription && streams.isFull) return refuse(response, { ...tooManyStreams, id });
		// The client may have disconnected while the tools were listed.
		if (response.destroyed) return;
		const session = this.#sessions.use(principal, metaOf(params)[CLIENT_INFO]);
		const number = ++this.#lastExchange;
		const onEnd = (): void => {
			this.#sessions.release(session);
			this.#exchanges.take(number);
		};
		const parts = { ...this.#parts, sessionId: session.sessionId, principal, onEnd };
		const modern = new ModernExchange(response, message, parts);
		this.#exchanges.set(number, modern);
		if (isSubscription) streams.add(response);
		modern.start(value, text);
	}

	/** Answer open subscriptions and cancel calls. */
	async close(): Promise<void> {
		this.#paramHeaders.close();
		this.#parts.heartbeats.remove(this.#beat);
		await Promise.all([...this.#exchanges.values()].map((exchange) => exchange.close()));
		this.#sessions.close();
	}

	#paramMismatch(
		headers: HttpExchange['request']['headers'],
		{ method, params }: RpcRequest,
	): Awaitable<RpcErrorObject | undefined> {
		if (method !== 'tools/call' || isMetaIncomplete(params)) return undefined;
		return this.#paramHeaders.check(headers, params);
	}
}

const noRequest: HttpRefusal = {
	status: 400,
	code: rpcCodes.invalidRequest,
	message: 'a modern client sends requests only',
};

const noVersion: HttpRefusal = {
	status: 400,
	code: rpcCodes.invalidParams,
	message: `missing required parameter: _meta["${PROTOCOL_VERSION}"]`,
};
