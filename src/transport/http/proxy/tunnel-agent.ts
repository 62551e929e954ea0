/*
 * Connections to HTTPS servers through an HTTP proxy: CONNECT, then TLS inside.
 *
 * A request gets its connection after the TLS handshake, so every failure before it is
 * one of a server that was not reached. `node:https` has no proxies before Node 24, and
 * the libraries for it bring a `fetch` of their own or several packages.
 */
import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import {
	type AgentOptions,
	type RequestOptions,
	request as requestHttps,
	Agent as TlsAgent,
} from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { messageOf, OrchestraError } from '../../../errors.ts';
import { CONNECT_MS, HEAD_BYTES } from '../http-client-limits.ts';
import type { Proxy } from './proxy.ts';

const DEFAULT_PORT = 443;

export class TunnelAgent extends TlsAgent {
	readonly #proxy: Proxy;
	readonly #closing = new AbortController();

	constructor(proxy: Proxy, options: AgentOptions = {}) {
		super(options);
		this.#proxy = proxy;
	}

	override createConnection(
		options: RequestOptions,
		opened?: (error: Error | null, stream: Duplex) => void,
	): undefined {
		const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(CONNECT_MS)]);
		this.#open(options, signal).then(
			(socket) => opened?.(null, socket),
			// Node reads the stream only when there is no error.
			(error: Error) => opened?.(error, undefined as unknown as Duplex),
		);
	}

	override destroy(): void {
		this.#closing.abort(new Error('the connection was closed'));
		super.destroy();
	}

	async #open({ path: _path, ...options }: RequestOptions, signal: AbortSignal): Promise<Duplex> {
		const host = String(options.host);
		const port = Number(options.port ?? DEFAULT_PORT);
		const tunnel = await openTunnel(this.#proxy, { host, port }, signal);
		const servername = options.servername ?? (isIP(host) === 0 ? host : '');
		const socket = connect({ ...options, host, port, servername, socket: tunnel });
		tunnel.once('close', () => socket.destroy());
		try {
			await once(socket, 'secureConnect', { signal });
			return socket;
		} catch (error) {
			socket.on('error', () => {}); // the first error counts
			socket.destroy();
			throw error;
		}
	}
}

/** A connection through the proxy to `host:port`. */
async function openTunnel(
	proxy: Proxy,
	{ host, port }: { host: string; port: number },
	signal: AbortSignal,
): Promise<Duplex> {
	const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
	const request = (proxy.isTls ? requestHttps : requestHttp)({
		hostname: proxy.hostname,
		port: proxy.port,
		method: 'CONNECT',
		path: authority,
		headers: { ...proxy.headers, host: authority },
		agent: false,
		signal,
		maxHeaderSize: HEAD_BYTES,
	});
	request.end();
	let connected: [IncomingMessage, Duplex, Buffer];
	try {
		// The arguments of the event `connect`.
		connected = (await once(request, 'connect')) as [IncomingMessage, Duplex, Buffer];
	} catch (error) {
		throw proxyUnreachable(proxy, error);
	}
	const [{ statusCode = 0 }, socket, head] = connected;
	if (statusCode >= 200 && statusCode < 300) {
		if (head.length > 0) socket.unshift(head);
		return socket;
	}
	socket.destroy();
	throw proxyRefusal(proxy, statusCode);
}

/** The error of a proxy that cannot be connected to. */
export function proxyUnreachable({ label, variable }: Proxy, cause: unknown): OrchestraError {
	return new OrchestraError('io', `the proxy ${label} cannot be reached: ${messageOf(cause)}`, {
		cause,
		hint: `Check ${variable}, or add the host of the server to NO_PROXY.`,
	});
}

/** The error of a proxy that does not forward. */
export function proxyRefusal({ label, variable }: Proxy, status: number): OrchestraError {
	return new OrchestraError('io', `the proxy ${label} refused the connection with status ${status}`, {
		hint:
			status === 407
				? `It wants a user and a password: set ${variable} to http://user:password@${label}.`
				: `Ask its administrator to allow the host, or add the host to NO_PROXY.`,
	});
}
