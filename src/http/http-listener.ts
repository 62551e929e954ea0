/*
 * The HTTP listener: who gets in, and which endpoint serves a path.
 *
 * Every request is checked in the same order: `Host` and `Origin`, then the sender.
 * Nothing of a request that fails is read. node:http only.
 */
import type { X509Certificate } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { attempt, messageOf, OrchestraError } from '../errors.ts';
import { formatAddress, type HostPort } from '../link/address.ts';
import type { Log } from '../log.ts';
import type { SharedState } from '../mcp/server/mcp-session.ts';
import type { Provider } from '../mcp/server/provider.ts';
import type { Authenticate } from './authenticate.ts';
import { ConnectionTable } from './connection-table.ts';
import { EventStreamPool } from './event-stream.ts';
import { hostCheck } from './host-check.ts';
import type { HttpExchange } from './http-exchange.ts';
import { HttpLimits, LISTENER_CHECK_MS, LISTENER_CLOSE_MS } from './http-limits.ts';
import { refuse } from './http-reply.ts';
import { type HttpRoute, routeOf } from './http-route.ts';
import { LegacySessionTable } from './legacy/legacy-session-table.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { StreamHeartbeats } from './stream-heartbeats.ts';

/** The provider of a path, and its state. */
export interface Served {
	readonly provider: Provider;
	readonly shared: SharedState;
}

export interface HttpListenerOptions {
	readonly address: HostPort;
	readonly authenticate: Authenticate;
	/** Whether an entry of this hub sent the request. */
	readonly isSelfRequest?: ((request: IncomingMessage) => boolean) | undefined;
	/** The provider of `/mcp`, or of `/mcp/<name>`; undefined when there is none. Always the same for a name. */
	readonly provider: (name: string | undefined) => Served | undefined;
	/** Other paths. */
	readonly routes?: readonly HttpRoute[] | undefined;
	/** Whether the header `traceparent` counts for a request whose `_meta` has none. Default false. */
	readonly continuesTraces?: boolean;
	/** Certificate chain and key, as PEM. Without it the listener speaks plain HTTP. */
	readonly tls?: { cert: Buffer; key: Buffer; certificate: X509Certificate } | undefined;
	readonly limits?: Partial<HttpLimits> | undefined;
	/** Called for each request; returns the function to call when it is over. */
	readonly onRequest?: (() => () => void) | undefined;
	readonly log: Log;
}

export class HttpListener {
	readonly #options: HttpListenerOptions;
	readonly #limits: HttpLimits;
	readonly #server: Server;
	readonly #heartbeats = new StreamHeartbeats();
	readonly #sessions: LegacySessionTable;
	readonly #endpoints = new Map<Provider, McpEndpoint>();
	readonly #streams: EventStreamPool;
	readonly #connections: ConnectionTable;
	#isAddressed: ReturnType<typeof hostCheck> = () => false;
	#url = '';
	#closed: Promise<void> | undefined;

	/** Listen. Throws `io` when the address cannot be used. The caller closes it. */
	static async open(options: HttpListenerOptions): Promise<HttpListener> {
		const listener = new HttpListener(options, await serverFor(options));
		await listener.#listen();
		return listener;
	}

	private constructor(options: HttpListenerOptions, server: Server) {
		this.#options = options;
		this.#limits = Object.assign(new HttpLimits(), options.limits);
		this.#server = server;
		this.#connections = new ConnectionTable(this.#limits.connections);
		this.#sessions = new LegacySessionTable(this.#limits);
		this.#streams = new EventStreamPool(this.#limits.pushStreams);
		this.#heartbeats.add((now) => this.#sessions.endIdle(now));
		this.#configure();
	}

	/** The URL of `/mcp`. */
	get url(): string {
		return this.#url;
	}

	/** Legacy sessions that are open. */
	get sessionCount(): number {
		return this.#sessions.count;
	}

	/** End all sessions and streams, and stop listening. Idempotent. */
	close(): Promise<void> {
		this.#closed ??= this.#close();
		return this.#closed;
	}

	async #close(): Promise<void> {
		const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
		this.#sessions.close();
		await Promise.all([...this.#endpoints.values()].map((endpoint) => endpoint.close()));
		this.#server.closeIdleConnections();
		const timer = setTimeout(() => this.#server.closeAllConnections(), LISTENER_CLOSE_MS);
		await closed;
		clearTimeout(timer);
		this.#heartbeats.close();
	}

	#configure(): void {
		const server = this.#server;
		const { headersMs, requestMs, keepAliveMs, stalledMs, connections } = this.#limits;
		server.headersTimeout = headersMs;
		server.requestTimeout = requestMs;
		server.keepAliveTimeout = keepAliveMs;
		server.setTimeout(stalledMs, (socket: Socket) => socket.destroy());
		server.on('request', (request, response) => {
			response.on('error', () => {}); // the client is gone, which `close` reports
			this.#connections.inTurn(request, response, () => this.#serve(request, response));
		});
		const add = (socket: Socket): void => {
			if (!this.#connections.add(socket))
				this.#options.log.debug(`more than ${connections} HTTP connections have a request: one is dropped`);
		};
		server.on('connection', add);
		server.on('secureConnection', add);
	}

	async #listen(): Promise<void> {
		const { address, tls, log } = this.#options;
		const { host, port } = address;
		await new Promise<void>((resolve, reject) => {
			this.#server.once('error', (cause) => reject(notListening(address, cause)));
			this.#server.listen({ host, port, backlog: this.#limits.connections }, resolve);
		});
		// Without file descriptors, for example, a connection is not accepted; the others go on.
		this.#server.on('error', (error) => log.warn(`the HTTP listener: ${messageOf(error)}`));
		// With a string or null, `address` is not that of a TCP server.
		const bound = this.#server.address() as AddressInfo;
		const scheme = tls ? 'https' : 'http';
		this.#url = `${scheme}://${formatAddress({ host, port: bound.port })}/mcp`;
		this.#isAddressed = hostCheck({
			scheme,
			host: formatAddress({ host, port: 0 }).slice(0, -':0'.length),
			port: bound.port,
			certificate: tls?.certificate,
		});
	}

	#serve(request: IncomingMessage, response: ServerResponse): void {
		if (hasTwoHosts(request))
			return refuse(response, { status: 400, message: 'two Host headers', closes: true });
		if (!this.#isAddressed(request.headers))
			return refuse(response, { status: 403, message: 'forbidden', closes: true });
		const route = routeOf(this.#options.routes ?? [], request.url ?? '');
		const principal = route?.isPublic ? '' : this.#options.authenticate(request);
		if (principal === undefined) return refuse(response, unauthorized);
		const serving = route ?? this.#endpointOf(request.url ?? '');
		if (serving === undefined) return refuse(response, { status: 404, message: 'not found', closes: true });
		if (this.#options.isSelfRequest?.(request)) return refuse(response, selfRequest);
		const done = this.#options.onRequest?.();
		if (done) response.once('close', done);
		void this.#run(serving, { request, response, principal, streams: this.#streams });
	}

	async #run(serving: Pick<HttpRoute, 'serve'>, exchange: HttpExchange): Promise<void> {
		const { response } = exchange;
		try {
			await serving.serve(exchange);
		} catch (thrown) {
			this.#options.log.error(`an HTTP request failed: ${messageOf(thrown)}`);
			refuse(response, { status: 500, message: 'internal error', closes: true });
		}
	}

	#endpointOf(url: string): McpEndpoint | undefined {
		const name = nameIn(url);
		const served = name === undefined ? undefined : this.#options.provider(name || undefined);
		if (served === undefined) return undefined;
		const known = this.#endpoints.get(served.provider);
		if (known) return known;
		const endpoint = new McpEndpoint({
			...served,
			sessions: this.#sessions,
			limits: this.#limits,
			heartbeats: this.#heartbeats,
			continuesTraces: this.#options.continuesTraces,
			log: this.#options.log,
		});
		this.#endpoints.set(served.provider, endpoint);
		return endpoint;
	}
}

const selfRequest = {
	status: 403,
	message: 'this request comes from an entry of this hub itself; remove that entry',
	closes: true,
};

const unauthorized = {
	status: 401,
	message: 'unauthorized',
	headers: { 'WWW-Authenticate': 'Bearer' },
	closes: true,
};

/** Node takes the first one; a proxy before this listener may have taken the other (RFC 9112, section 3.2). */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
	let hosts = 0;
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const name = rawHeaders[at];
		if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
	}
	return hosts > 1;
}

/** The name after `/mcp/`; empty for `/mcp`, undefined for another path. */
function nameIn(url: string): string | undefined {
	if (url === '/mcp') return '';
	const [, name] = /^\/mcp(?:\/([^/?#]*)\/?)?(?:\?.*)?$/.exec(url) ?? [];
	if (name === undefined) return url.startsWith('/mcp?') ? '' : undefined;
	// It may be no percent-encoding.
	return attempt(() => decodeURIComponent(name));
}

async function serverFor({ tls }: HttpListenerOptions): Promise<Server> {
	const settings = { connectionsCheckingInterval: LISTENER_CHECK_MS, keepAlive: true, noDelay: true };
	if (tls === undefined) return createServer(settings);
	const https = await import('node:https');
	return https.createServer({ ...settings, cert: tls.cert, key: tls.key, minVersion: 'TLSv1.2' });
}

function notListening(address: HostPort, cause: unknown): OrchestraError {
	return new OrchestraError('io', `HTTP cannot listen on ${formatAddress(address)}: ${messageOf(cause)}`, {
		cause,
		hint: 'Choose another address, or port 0 for any free port.',
	});
}
