/*
 * MCP over HTTP at one path: reads a request and decides its era.
 *
 * A body with a version in `_meta` is modern and stands alone. Everything else is
 * legacy: `initialize` opens a session, and the session id decides about the rest.
 */
import type { IncomingMessage } from 'node:http';
import { PlainCallCheck } from '../mcp/server/plain-messages.ts';
import { isModernMeta, isModernView, metaOf } from '../protocol/meta.ts';
import { negotiate } from '../protocol/revisions.ts';
import { LONG_CHARACTERS } from '../rpc/rpc-limits.ts';
import { inSlices } from '../rpc/work-slices.ts';
import { parseTraceparent } from '../telemetry/traceparent.ts';
import { isObject, parseJson } from '../wire/json.ts';
import { readMessage, rpcCodes } from '../wire/json-rpc.ts';
import { MessageView } from '../wire/message-view.ts';
import { ViewReader } from '../wire/view-reader.ts';
import {
	type HttpExchange,
	headerOf,
	invalidMessage,
	type McpEndpointDeps,
	SESSION_HEADER,
	VERSION_HEADER,
} from './http-exchange.ts';
import type { HttpLimits } from './http-limits.ts';
import { type HttpRefusal, refuse } from './http-reply.ts';
import { LegacyEndpoint } from './legacy/legacy-endpoint.ts';
import { ModernEndpoint } from './modern/modern-endpoint.ts';
import { readBody } from './request-body.ts';

export class McpEndpoint {
	readonly #limits: HttpLimits;
	readonly #continuesTraces: boolean;
	readonly #reader = new ViewReader();
	readonly #plain = new PlainCallCheck();
	readonly #legacy: LegacyEndpoint;
	readonly #modern: ModernEndpoint;

	constructor(deps: McpEndpointDeps) {
		this.#limits = deps.limits;
		this.#continuesTraces = deps.continuesTraces === true;
		this.#legacy = new LegacyEndpoint(deps);
		this.#modern = new ModernEndpoint(deps);
	}

	async serve(exchange: HttpExchange): Promise<void> {
		const { request, response } = exchange;
		if (request.method === 'POST') return this.#post(exchange);
		const isKnownMethod = request.method === 'GET' || request.method === 'DELETE';
		const isLegacy = headerOf(request, SESSION_HEADER) !== undefined && !hasModernVersion(request);
		if (!isKnownMethod || !isLegacy) return refuse(response, notAllowed);
		if (request.method === 'GET') this.#legacy.listen(exchange);
		else this.#legacy.end(exchange);
	}

	/** Answer open subscriptions and cancel calls. */
	close(): Promise<void> {
		return this.#modern.close();
	}

	async #post(exchange: HttpExchange): Promise<void> {
		const { request, response } = exchange;
		const body = await readBody(request, this.#limits.bodyBytes);
		if (body === undefined) return;
		if ('problem' in body) return refuse(response, body.problem);
		const { text } = body;
		const view =
			text.length > LONG_CHARACTERS ? await inSlices(MessageView.inSlices(text)) : this.#reader.view(text);
		if (view && this.#isForwarded(request, view)) {
			if (!isModernView(view) && !hasModernVersion(request)) return this.#legacy.forward(exchange, view);
			if (this.#modern.forward(exchange, view)) return;
		}
		let value: unknown;
		try {
			value = parseJson(text);
		} catch {
			return refuse(response, { status: 400, code: rpcCodes.parse, message: 'the body is not valid JSON' });
		}
		if (Array.isArray(value)) return this.#legacy.batch(exchange, value, text);
		const read = readMessage(value, text);
		if (read.kind === 'invalid') return refuse(response, invalidMessage(read));
		if (this.#continuesTraces && read.kind === 'request') addTraceparent(request, read.message.params);
		if (isModernMeta(metaOf(Object(value).params)) || hasModernVersion(request))
			return this.#modern.post(exchange, { read, value, text });
		this.#legacy.post(exchange, { read, value, text });
	}

	/** Whether a request may pass as text: a call of a tool, without a trace in its headers. */
	#isForwarded(request: IncomingMessage, view: MessageView): boolean {
		const isTraced = this.#continuesTraces && headerOf(request, 'traceparent') !== undefined;
		return !isTraced && this.#plain.has(view);
	}
}

const notAllowed: HttpRefusal = { status: 405, message: 'method not allowed', headers: { Allow: 'POST' } };

/** The trace of the HTTP request is that of the MCP request, unless this one has its own. The params are ours: they were just parsed. */
function addTraceparent(request: IncomingMessage, params: unknown): void {
	const traceparent = headerOf(request, 'traceparent');
	if (parseTraceparent(traceparent) === undefined || !isObject(params)) return;
	const meta = metaOf(params);
	if (meta['traceparent'] === undefined) params['_meta'] = { ...meta, traceparent };
}

/** True when the header names a version after the last legacy one; versions are dates. */
function hasModernVersion(request: IncomingMessage): boolean {
	const version = headerOf(request, VERSION_HEADER);
	return version !== undefined && version > negotiate(undefined).version;
}
