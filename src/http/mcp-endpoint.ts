/*
 * MCP over HTTP at one path: decides the era of each request, and finds or opens its
 * session.
 *
 * A body with a version in `_meta` is modern and stands alone. Everything else is
 * legacy: `initialize` opens a session, and the session id decides about the rest.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../log.ts';
import type { SharedState } from '../mcp/server/mcp-session.ts';
import type { Provider } from '../mcp/server/provider.ts';
import { CLIENT_CAPABILITIES, metaOf, PROTOCOL_VERSION } from '../protocol/meta.ts';
import { negotiate, supportedVersions } from '../protocol/revisions.ts';
import { elementsOf, isObject, parseJson } from '../wire/json.ts';
import { encodeId, idKey, type Message, type RpcRequest, readMessage, rpcCodes } from '../wire/json-rpc.ts';
import type { Principal } from './authenticate.ts';
import type { Heartbeats } from './heartbeats.ts';
import type { HttpLimits } from './http-limits.ts';
import { type HttpRefusal, httpCodes, refuse, replyEmpty } from './http-reply.ts';
import type { LegacyHttpSession, ReceivedRequest } from './legacy-http-session.ts';
import type { LegacySessions } from './legacy-sessions.ts';
import { ModernExchange } from './modern-exchange.ts';
import { headerMismatch, isMetaIncomplete } from './modern-headers.ts';
import { ModernSessions } from './modern-sessions.ts';
import { ParamHeaders } from './param-headers.ts';
import { readBody } from './request-body.ts';

const SESSION_HEADER = 'mcp-session-id';
const VERSION_HEADER = 'mcp-protocol-version';

export interface McpEndpointParts {
	readonly provider: Provider;
	readonly shared: SharedState;
	readonly sessions: LegacySessions;
	readonly limits: HttpLimits;
	readonly heartbeats: Heartbeats;
	/** Open modern subscriptions, of all endpoints. */
	readonly subscriptions: { count: number };
	readonly log: Log;
}

/** One request with its reply and its sender. */
interface Exchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly principal: Principal;
}

export class McpEndpoint {
	readonly #parts: McpEndpointParts;
	readonly #paramHeaders: ParamHeaders;
	readonly #modernSessions: ModernSessions;
	readonly #beat = (now: number): void => this.#modernSessions.endIdle(now);
	readonly #exchanges = new Set<ModernExchange>();
	readonly #onEnd = (exchange: ModernExchange): void => {
		if (this.#exchanges.delete(exchange) && exchange.isSubscription) this.#parts.subscriptions.count--;
	};

	constructor(parts: McpEndpointParts) {
		this.#parts = parts;
		this.#paramHeaders = new ParamHeaders(parts.provider);
		this.#modernSessions = new ModernSessions(parts.provider, parts.limits);
		parts.heartbeats.add(this.#beat);
	}

	async serve(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void> {
		const exchange = { request, response, principal };
		if (request.method === 'POST') return this.#post(exchange);
		const version = headerOf(request, VERSION_HEADER);
		const isKnownMethod = request.method === 'GET' || request.method === 'DELETE';
		const hasSession = headerOf(request, SESSION_HEADER) !== undefined && !isModernVersion(version);
		if (!isKnownMethod || !hasSession) return refuse(response, notAllowed);
		const session = this.#findSession(exchange);
		if (session === undefined) return;
		if (request.method === 'GET') return this.#listen(session, exchange);
		this.#parts.sessions.end(session);
		replyEmpty(response, 200);
	}

	/** Answer open subscriptions and cancel calls. */
	async close(): Promise<void> {
		this.#paramHeaders.close();
		this.#parts.heartbeats.remove(this.#beat);
		await Promise.all([...this.#exchanges].map((exchange) => exchange.close()));
		this.#modernSessions.close();
	}

	async #post(exchange: Exchange): Promise<void> {
		const { request, response } = exchange;
		const body = await readBody(request, this.#parts.limits.bodyBytes);
		if (body === undefined) return;
		if ('problem' in body) return refuse(response, body.problem);
		let value: unknown;
		try {
			value = parseJson(body.text);
		} catch {
			return refuse(response, { status: 400, code: rpcCodes.parse, message: 'the body is not valid JSON' });
		}
		if (Array.isArray(value)) return this.#batch(exchange, value, body.text);
		const read = readMessage(value, body.text);
		if (read.kind === 'invalid') return refuse(response, invalid(read));
		if (isModern(value, headerOf(request, VERSION_HEADER)))
			return this.#modern(exchange, read, value, body.text);
		this.#legacy(exchange, read, value, body.text);
	}

	async #modern(exchange: Exchange, read: Message, value: unknown, text: string): Promise<void> {
		const { request, response, principal } = exchange;
		// The core protocol has no notifications over HTTP; those of extensions are ignored.
		if (read.kind === 'notification') return replyEmpty(response, 202);
		if (read.kind !== 'request') {
			return refuse(response, {
				status: 400,
				code: rpcCodes.invalidRequest,
				message: 'a modern client sends requests only',
			});
		}
		const { message } = read;
		if (metaOf(message.params)[PROTOCOL_VERSION] === undefined) return refuse(response, noVersion(message));
		const error = headerMismatch(request.headers, message) ?? (await this.#paramMismatch(request, message));
		if (error) return refuse(response, { ...error, status: 400, id: message.id });
		const isSubscription = message.method === 'subscriptions/listen';
		if (isSubscription && this.#isFull) return refuse(response, { ...tooManyStreams, id: message.id });
		if (response.destroyed) return;
		const { provider, shared, limits, heartbeats, log } = this.#parts;
		const modern = new ModernExchange(response, message, {
			provider,
			shared,
			sessionId: this.#modernSessions.use(principal),
			limits,
			heartbeats,
			log,
			onEnd: this.#onEnd,
		});
		this.#exchanges.add(modern);
		if (isSubscription) this.#parts.subscriptions.count++;
		modern.start(value, text);
	}

	#paramMismatch(
		request: IncomingMessage,
		{ method, params }: RpcRequest,
	): ReturnType<ParamHeaders['check']> {
		if (method !== 'tools/call' || isMetaIncomplete(params)) return undefined;
		return this.#paramHeaders.check(request.headers, params);
	}

	#legacy(exchange: Exchange, read: Message, value: unknown, text: string): void {
		const { response } = exchange;
		if (read.kind === 'request' && read.message.method === 'initialize')
			return this.#initialize(exchange, { value, text, id: read.message.id }, read.message.params);
		const id = read.kind === 'request' ? read.message.id : undefined;
		const session = this.#findSession(exchange, id);
		if (session === undefined) return;
		if (read.kind !== 'request') {
			session.receive(value, text);
			return replyEmpty(response, 202);
		}
		const { id: known } = read.message;
		if (session.isInFlight(known)) return refuse(response, { ...inFlight(known), id: known });
		session.request([{ value, text, id: known }], response, false);
	}

	#initialize(exchange: Exchange, request: ReceivedRequest, params: unknown): void {
		const { response, principal } = exchange;
		const { id } = request;
		if (headerOf(exchange.request, SESSION_HEADER) !== undefined && this.#findSession(exchange, id)) {
			const message = 'this session is already initialized';
			return refuse(response, { status: 400, code: rpcCodes.invalidRequest, message, id });
		}
		if (response.headersSent) return;
		const { provider, shared, heartbeats, log, sessions } = this.#parts;
		const version = isObject(params) ? params['protocolVersion'] : undefined;
		const session = sessions.create({ provider, shared, principal, version, heartbeats, log });
		if (session === undefined) return refuse(response, { ...tooManySessions, id });
		response.setHeader('Mcp-Session-Id', session.id);
		session.request([request], response, false);
	}

	/** Batches exist in one legacy revision only. */
	#batch(exchange: Exchange, values: readonly unknown[], text: string): void {
		const { request, response } = exchange;
		if (headerOf(request, SESSION_HEADER) === undefined) return refuse(response, noBatch);
		const session = this.#findSession(exchange);
		if (session === undefined) return;
		if (!session.acceptsBatch || values.length === 0) return refuse(response, noBatch);
		const texts = elementsOf(text);
		const requests: ReceivedRequest[] = [];
		const keys = new Set<string | number>();
		for (const [at, value] of values.entries()) {
			const element = texts[at] ?? '';
			const read = readMessage(value, element);
			if (read.kind === 'invalid') return refuse(response, invalid(read));
			if (read.kind !== 'request') continue;
			const { id, method } = read.message;
			if (method === 'initialize') return refuse(response, { ...noBatch, id });
			if (session.isInFlight(id) || keys.has(idKey(id))) return refuse(response, { ...inFlight(id), id });
			keys.add(idKey(id));
			requests.push({ value, text: element, id });
		}
		const asked = new Set(requests.map(({ value }) => value));
		for (const [at, value] of values.entries())
			if (!asked.has(value)) session.receive(value, texts[at] ?? '');
		if (requests.length === 0) return replyEmpty(response, 202);
		session.request(requests, response, true);
	}

	#listen(session: LegacyHttpSession, { request, response }: Exchange): void {
		const { sessionStreams } = this.#parts.limits;
		if (this.#isFull || session.pushCount >= sessionStreams) return refuse(response, tooManyStreams);
		if (session.listen(response, headerOf(request, 'last-event-id'))) return;
		refuse(response, { status: 400, message: 'the messages after Last-Event-ID are no longer kept' });
	}

	/** The session of a request; undefined when the request was refused. */
	#findSession(
		{ request, response, principal }: Exchange,
		id?: RpcRequest['id'],
	): LegacyHttpSession | undefined {
		const given = headerOf(request, SESSION_HEADER);
		const version = headerOf(request, VERSION_HEADER);
		if (given === undefined) {
			refuse(response, { status: 400, message: 'the header Mcp-Session-Id is missing', id });
			return undefined;
		}
		const session = this.#parts.sessions.find(given, principal, this.#parts.provider);
		if (session === undefined) {
			const message = 'there is no session with this id; send initialize without an id';
			refuse(response, { status: 404, code: httpCodes.sessionNotFound, message, id });
			return undefined;
		}
		if (version === undefined || negotiate(version).version === version) return session;
		const supported = supportedVersions.join(', ');
		refuse(response, {
			status: 400,
			message: `the header MCP-Protocol-Version is not one of ${supported}`,
			id,
		});
		return undefined;
	}

	get #isFull(): boolean {
		const { subscriptions, sessions, limits } = this.#parts;
		return subscriptions.count + sessions.pushCount >= limits.pushStreams;
	}
}

const notAllowed: HttpRefusal = { status: 405, message: 'method not allowed', headers: { Allow: 'POST' } };
const noBatch: HttpRefusal = {
	status: 400,
	code: rpcCodes.invalidRequest,
	message: 'this protocol version has no batches',
};
const tooManyStreams: HttpRefusal = {
	status: 503,
	message: 'too many event streams are open',
	headers: { 'Retry-After': '5' },
};
const tooManySessions: HttpRefusal = {
	status: 503,
	message: 'too many sessions are in use',
	headers: { 'Retry-After': '5' },
};

function invalid({ id, reason }: Message & { kind: 'invalid' }): HttpRefusal {
	const message = `invalid request: ${reason}`;
	return { status: 400, code: rpcCodes.invalidRequest, message, id: id ?? undefined };
}

function inFlight(id: RpcRequest['id']): HttpRefusal {
	const message = `id ${encodeId(id)} is already in flight`;
	return { status: 400, code: rpcCodes.invalidRequest, message };
}

function noVersion({ id }: RpcRequest): HttpRefusal {
	const message = `missing required parameter: _meta["${PROTOCOL_VERSION}"]`;
	return { status: 400, code: rpcCodes.invalidParams, message, id };
}

function isModern(value: unknown, version: string | undefined): boolean {
	const meta = metaOf(isObject(value) ? value['params'] : undefined);
	if (meta[PROTOCOL_VERSION] !== undefined || meta[CLIENT_CAPABILITIES] !== undefined) return true;
	return isModernVersion(version);
}

/** A version after the last legacy one; versions are dates. */
function isModernVersion(version: string | undefined): boolean {
	return version !== undefined && version > negotiate(undefined).version;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
	const value = headers[name];
	return Array.isArray(value) ? value[0] : value;
}
