/* The modern era at one path: each request is checked against its headers and served alone. */
import { envelopeOf, modernEnvelopeOf } from '../../mcp/server/text-calls-client.ts';
import type { Awaitable } from '../../protocol/mcp-types.ts';
import { CLIENT_INFO, metaOf, PROTOCOL_VERSION } from '../../protocol/meta.ts';
import { CallTable } from '../../rpc/calls/call-table.ts';
import { type RpcErrorObject, type RpcRequest, rpcCodes } from '../../wire/json-rpc.ts';
import type { MessageView } from '../../wire/message-view.ts';
import type { Principal } from '../authenticate.ts';
import {
	type HttpExchange,
	type McpEndpointDeps,
	type ReceivedMessage,
	tooManyStreams,
} from '../http-exchange.ts';
import { KNOWN_CLIENTS_LIMIT } from '../http-limits.ts';
import { type HttpRefusal, invalidRequest, refuse, replyEmpty } from '../http-reply.ts';
import { PlainExchange, type SeenClient } from '../plain-exchange.ts';
import { ModernExchange, type ModernExchangeDeps } from './modern-exchange.ts';
import { headerMismatch, isMetaIncomplete, repeatsView } from './modern-headers.ts';
import { type ModernSession, ModernSessions } from './modern-sessions.ts';
import { ParamHeaders } from './param-headers.ts';

export class ModernEndpoint {
	readonly #deps: McpEndpointDeps;
	readonly #paramHeaders: ParamHeaders;
	readonly #sessions: ModernSessions;
	readonly #exchanges = new CallTable<number, ModernExchange | PlainExchange>();
	/** Clients whose calls pass as text, by principal and envelope. */
	readonly #known = new Map<string, SeenClient>();
	#lastExchange = 0;
	readonly #beat = (now: number): boolean => this.#keepAlive(now);

	constructor(deps: McpEndpointDeps) {
		this.#deps = deps;
		this.#paramHeaders = new ParamHeaders(deps.provider);
		this.#sessions = new ModernSessions(deps.provider, deps.limits);
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
		const { deps, number } = this.#depsFor(session, principal);
		const modern = new ModernExchange(response, message, deps);
		this.#exchanges.set(number, modern);
		if (isSubscription) streams.add(response);
		modern.start(value, text);
	}

	/** Pass a call of a tool on as text; false when it must be parsed. */
	forward({ request, response, principal }: HttpExchange, view: MessageView): boolean {
		const name = request.headers['mcp-name'];
		if (typeof name !== 'string' || !repeatsView(request.headers, view)) return false;
		const known = this.#paramHeaders.hasNone(name) ? this.#knownClient(view, principal) : undefined;
		if (known === undefined) return false;
		const { deps, number } = this.#depsFor(known.session, principal);
		const exchange = new PlainExchange(response, known, deps);
		this.#exchanges.set(number, exchange);
		if (exchange.start(view)) return true;
		deps.onEnd();
		return false;
	}

	/** The client of a call, whose session is in use from now on; undefined when it must be parsed. */
	#knownClient(view: MessageView, principal: Principal): SeenClient | undefined {
		const key = `${principal}\n${envelopeOf(view)}`;
		const known = this.#known.get(key);
		if (known && this.#sessions.useAgain(known.session)) return known;
		const { provider } = this.#deps;
		const client = modernEnvelopeOf(view);
		const forwarder = client && provider.toolForwarder?.();
		if (client === undefined || forwarder === undefined) return undefined;
		const session = this.#sessions.use(principal, client.clientInfo);
		const made = { client, session, forwarder };
		if (this.#known.size >= KNOWN_CLIENTS_LIMIT) this.#known.clear();
		this.#known.set(key, made);
		return made;
	}

	/** The deps of the exchange of a session, and its number. */
	#depsFor(
		session: ModernSession,
		principal: Principal,
	): { readonly deps: ModernExchangeDeps; readonly number: number } {
		this.#deps.heartbeats.add(this.#beat);
		const number = ++this.#lastExchange;
		const onEnd = (): void => {
			if (this.#exchanges.take(number)) this.#sessions.release(session);
		};
		return { deps: { endpoint: this.#deps, session, principal, onEnd }, number };
	}

	#keepAlive(now: number): boolean {
		this.#exchanges.forEach((exchange) => {
			if (exchange instanceof PlainExchange) exchange.keepAlive(now);
		});
		return this.#sessions.endIdle(now);
	}

	/** Answer open subscriptions and cancel calls. */
	async close(): Promise<void> {
		this.#paramHeaders.close();
		this.#deps.heartbeats.remove(this.#beat);
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

const noRequest = invalidRequest('a modern client sends requests only');

const noVersion: HttpRefusal = {
	status: 400,
	code: rpcCodes.invalidParams,
	message: `missing required parameter: _meta["${PROTOCOL_VERSION}"]`,
};
