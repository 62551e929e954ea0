/*
 * Plain HTTP to one server: connections, redirects, the bearer token.
 *
 * Built on `node:http` and not on `fetch`, which ends a stream that is silent for five
 * minutes. A redirect is followed only within the origin of the configured URL and only
 * when it keeps method and body (307, 308), so no credential reaches another origin.
 */
import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as TlsAgent } from 'node:https';
import { OrchestraError } from '../../errors.ts';
import { type Challenge, parseChallenges } from './challenges.ts';
import type { HttpAuth } from './http-auth.ts';
import {
	CONNECT_MS,
	HEAD_BYTES,
	IDLE_SOCKET_MS,
	MAX_REDIRECTS,
	MAX_SOCKETS,
	TCP_KEEP_ALIVE_MS,
} from './http-client-limits.ts';
import type { HttpClientOptions } from './http-client-options.ts';
import { interrupted, publicUrl, redirected, type ServerLabel, unreachable } from './http-errors.ts';
import { hostOf } from './network-class.ts';
import { type Proxy, proxyFor } from './proxy/proxy.ts';
import { proxyRefusal, proxyUnreachable, TunnelAgent } from './proxy/tunnel-agent.ts';
import { discardBody } from './response-body.ts';

export interface HttpWireOptions extends Pick<HttpClientOptions, 'auth' | 'socketPath' | 'environment'> {
	readonly url: URL;
	/** Sent with every request; those of the protocol win. */
	readonly headers: Readonly<Record<string, string>>;
	readonly label: ServerLabel;
}

/** One HTTP request. */
export interface WireRequest {
	readonly method: 'POST' | 'GET' | 'DELETE';
	/** Default: the configured URL. */
	readonly url?: URL | undefined;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string;
	/** Deadline of the response head, in milliseconds. Default: none; the caller aborts. */
	readonly replyMs?: number;
	/** Called when the body was written to the operating system. */
	readonly onFlushed?: () => void;
}

const PROXY_UNAUTHORIZED = 407;

/** Headers that belong to the connection. */
const forbidden: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding']);

/** The headers that `HttpAuth` adds to a request. */
interface Authorization {
	readonly token?: string | undefined;
	readonly more?: Readonly<Record<string, string>> | undefined;
}

/** The headers with names in lower case, without those of the connection. */
function allowed(headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
	const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
	return Object.fromEntries(entries.filter(([name]) => !forbidden.has(name)));
}

/** Connections to one server. */
export class HttpWire {
	readonly url: URL;
	readonly auth: HttpAuth | undefined;
	readonly label: ServerLabel;
	/** True once the server has answered anything. */
	wasReachable = false;
	readonly #headers: Readonly<Record<string, string>>;
	readonly #agent: Agent;
	readonly #socketPath: string | undefined;
	/** Redirects stay within the origin, so it is the same for all requests. */
	readonly proxy: Proxy | undefined;

	constructor({ url, headers, auth, label, socketPath, environment = process.env }: HttpWireOptions) {
		this.url = url;
		this.auth = auth;
		this.label = label;
		this.#socketPath = socketPath;
		this.#headers = allowed(headers);
		const options = {
			keepAlive: true,
			maxSockets: MAX_SOCKETS,
			timeout: IDLE_SOCKET_MS,
			// The most recently used connection is the least likely to be closed by the server.
			scheduling: 'lifo',
			keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
		} as const;
		this.proxy = proxyFor(url, environment);
		if (url.protocol === 'https:')
			this.#agent = this.proxy ? new TunnelAgent(this.proxy, options) : new TlsAgent(options);
		else this.#agent = this.proxy?.isTls ? new TlsAgent(options) : new Agent(options);
	}

	exchange(request: WireRequest): WireExchange {
		return new WireExchange(this, request);
	}

	/** Start one request, without redirects. Throws for an invalid header. */
	open({ method, headers, body }: WireRequest, url: URL, { token, more }: Authorization): ClientRequest {
		const all: Record<string, string | number> = { ...this.#headers, ...allowed(more), ...headers };
		if (token !== undefined) all['authorization'] = `Bearer ${token}`;
		if (body !== undefined) {
			all['content-type'] = 'application/json';
			all['content-length'] = Buffer.byteLength(body);
		}
		return this.#send(url, method, all);
	}

	#send(url: URL, method: string, sent: Readonly<Record<string, string | number>>): ClientRequest {
		const socket = this.#socketPath === undefined ? undefined : { socketPath: this.#socketPath };
		const options = { agent: this.#agent, method, maxHeaderSize: HEAD_BYTES, ...socket };
		const { protocol, port, pathname, search, origin, host } = url;
		const path = pathname + search;
		if (protocol === 'https:' || this.proxy === undefined) {
			const send = protocol === 'https:' ? requestHttps : requestHttp;
			const target = { hostname: hostOf(url), ...(port === '' ? undefined : { port }) };
			return send({ ...options, ...target, path, headers: sent });
		}
		const { hostname, port: proxyPort, isTls } = this.proxy;
		const headers = { ...sent, ...this.proxy.headers, host };
		const send = isTls ? requestHttps : requestHttp;
		// A proxy wants the whole URL.
		return send({ ...options, hostname, port: proxyPort, headers, path: `${origin}${path}` });
	}

	/** The event of a socket that is ready for a request. */
	get connectEvent(): 'connect' | 'secureConnect' {
		return this.#agent instanceof TlsAgent ? 'secureConnect' : 'connect';
	}

	/** Close every connection. */
	close(): void {
		this.#agent.destroy();
	}
}

/** One request with its redirects and its retry after authorization. Can be aborted at any time. */
export class WireExchange {
	readonly #wire: HttpWire;
	readonly #request: WireRequest;
	#current: ClientRequest | undefined;
	#isAborted = false;

	constructor(wire: HttpWire, request: WireRequest) {
		this.#wire = wire;
		this.#request = request;
	}

	/** The response, with its body unread. Rejects with an `OrchestraError`. */
	async reply(): Promise<IncomingMessage> {
		const { auth, url } = this.#wire;
		if (auth === undefined) return this.#follow({});
		for (const refusals = new Set<number>(); ; ) {
			const token = await auth.token();
			const response = await this.#follow({ token, more: await auth.headers?.() });
			const { statusCode: status = 0, headers } = response;
			// Node joins repeated headers with a comma, which the parser accepts.
			const challenges = parseChallenges(headers['www-authenticate'] ?? '');
			const isForbidden = status === 403 && (wantsScope(challenges) || auth.headers !== undefined);
			const isRefused = status === 401 || isForbidden;
			if (!isRefused || refusals.has(status)) return response;
			refusals.add(status);
			const refusal = { status: status === 401 ? 401 : 403, url: url.href, challenges, token } as const;
			try {
				if ((await auth.onUnauthorized(refusal)) === 'fail') return response;
			} catch (error) {
				discardBody(response);
				throw error;
			}
			discardBody(response);
		}
	}

	/** End the request, or its response, at once. */
	abort(): void {
		this.#isAborted = true;
		this.#current?.destroy();
	}

	async #follow(authorization: Authorization): Promise<IncomingMessage> {
		const { url: configured, label } = this.#wire;
		let url = this.#request.url ?? configured;
		for (let hops = 0; ; hops++) {
			const response = await this.#attempt(url, authorization);
			const { statusCode: status = 0 } = response;
			const { location } = response.headers;
			if (status < 300 || status >= 400 || location === undefined) return response;
			discardBody(response);
			const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
			const isFollowed = (status === 307 || status === 308) && target?.origin === configured.origin;
			if (target === undefined || !isFollowed || hops === MAX_REDIRECTS)
				throw redirected(label, target, status);
			url = target;
		}
	}

	#attempt(url: URL, authorization: Authorization): Promise<IncomingMessage> {
		const { replyMs, body, onFlushed } = this.#request;
		return new Promise((resolve, reject) => {
			if (this.#isAborted) throw interrupted(this.#wire.label, 'was not asked: the call was canceled');
			let isConnected = false;
			const request = openOrExplain(this.#wire, this.#request, url, authorization);
			this.#current = request;
			const stopWaiting = replyMs === undefined ? undefined : deadline(request, replyMs);
			request.once('socket', (socket) => {
				isConnected = request.reusedSocket || !socket.connecting;
				if (isConnected) return;
				const stopConnecting = deadline(request, CONNECT_MS);
				socket.once(this.#wire.connectEvent, () => {
					isConnected = true;
					stopConnecting();
				});
				socket.once('close', stopConnecting);
			});
			request.once('response', (response) => {
				stopWaiting?.();
				const { proxy, label } = this.#wire;
				if (proxy && response.statusCode === PROXY_UNAUTHORIZED) {
					discardBody(response);
					return reject(unreachable(label, proxyRefusal(proxy, PROXY_UNAUTHORIZED)));
				}
				this.#wire.wasReachable = true;
				resolve(response);
			});
			request.on('error', (error) => {
				stopWaiting?.();
				const { label } = this.#wire;
				reject(
					isConnected
						? interrupted(label, `broke the connection: ${error.message}`, error)
						: unreachable(label, this.#proxied(error)),
				);
			});
			if (onFlushed) request.once('finish', onFlushed);
			request.end(body);
		});
	}

	/** A connection that failed is that to the proxy; a tunnel has explained its failure. */
	#proxied(error: Error): Error {
		const { proxy, url } = this.#wire;
		return proxy && url.protocol === 'http:' ? proxyUnreachable(proxy, error) : error;
	}
}

function openOrExplain(
	wire: HttpWire,
	request: WireRequest,
	url: URL,
	authorization: Authorization,
): ClientRequest {
	try {
		return wire.open(request, url, authorization);
	} catch (cause) {
		throw new OrchestraError('bad_input', `a header for ${publicUrl(url)} is not valid`, {
			cause,
			hint: 'Check `headers` in the configuration: no line breaks, no characters beyond Latin-1.',
		});
	}
}

/** Destroy `request` after `ms`; returns a function that stops the wait. */
function deadline(request: ClientRequest, ms: number): () => void {
	const timer = setTimeout(() => {
		request.destroy(Object.assign(new Error(`no answer within ${ms} ms`), { code: 'ETIMEDOUT' }));
	}, ms);
	return () => clearTimeout(timer);
}

function wantsScope(challenges: readonly Challenge[]): boolean {
	return challenges.some(({ parameters }) => parameters.get('error') === 'insufficient_scope');
}
