/*
 * The redirect URI of a sign-in: a listener on loopback for one response.
 *
 * The browser delivers the authorization response here. Other pages and earlier
 * sign-ins can reach the port too, so a response with another `state` is refused and
 * does not end the wait; only so many are accepted. The page shows nothing of the
 * request.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, OrchestraError, systemCode } from '../errors.ts';
import { deferred } from '../rpc/deferred.ts';
import { FOREIGN_RESPONSE_LIMIT } from './auth-limits.ts';
import type { CallbackHost } from './auth-settings.ts';

const PATH = '/callback';

export interface CallbackOptions {
	readonly host: CallbackHost;
	/** A fixed port: in use is an error. */
	readonly port: number | undefined;
	/** A port to use if it is free. */
	readonly preferredPort: number | undefined;
}

export class CallbackServer {
	readonly redirectUri: string;
	readonly #servers: readonly Server[];
	readonly #response = deferred<URLSearchParams>();
	#accepts: (response: URLSearchParams) => boolean = () => false;
	#refused = 0;

	/** Start to listen. Throws `io` when the port is in use. */
	static async open(options: CallbackOptions): Promise<CallbackServer> {
		const { host, port, preferredPort } = options;
		const listens = listenAs(host, port ?? preferredPort ?? 0);
		const servers = await (port === undefined ? listens.catch(() => listenAs(host, 0)) : listens);
		return new CallbackServer(host, servers);
	}

	private constructor(host: CallbackHost, servers: readonly [Server, ...Server[]]) {
		this.#servers = servers;
		this.redirectUri = `http://${host.includes(':') ? `[${host}]` : host}:${portOf(servers[0])}${PATH}`;
		for (const server of servers) server.on('request', (request, response) => this.#serve(request, response));
	}

	/** The first response that `accepts` takes. */
	response(accepts: (response: URLSearchParams) => boolean): Promise<URLSearchParams> {
		this.#accepts = accepts;
		return this.#response.promise;
	}

	async close(): Promise<void> {
		await Promise.all(
			this.#servers.map(async (server) => {
				if (!server.listening) return;
				const closed = once(server, 'close');
				server.close();
				server.closeIdleConnections();
				// The page is small and was flushed; a client that keeps reading gains nothing.
				setTimeout(() => server.closeAllConnections(), 500).unref();
				await closed;
			}),
		);
	}

	#serve(request: IncomingMessage, response: ServerResponse): void {
		request.resume();
		const url = new URL(request.url ?? '/', 'http://loopback');
		if (request.method !== 'GET' || url.pathname !== PATH) return page(response, 404, 'Nothing here.');
		if (this.#accepts(url.searchParams)) {
			const isDenied = url.searchParams.has('error');
			page(response, 200, isDenied ? 'The sign-in was not completed.' : 'The sign-in page has answered.');
			return this.#response.resolve(url.searchParams);
		}
		page(response, 400, 'This response belongs to another sign-in and was ignored.');
		this.#refused++;
		if (this.#refused < FOREIGN_RESPONSE_LIMIT) return;
		this.#response.reject(
			new OrchestraError('bad_input', `${this.#refused} responses with a wrong \`state\` arrived`, {
				hint: 'Close the other sign-in pages, then run mctl auth again.',
			}),
		);
	}
}

/** A browser may take `localhost` for either address. A machine without IPv6 has one; on another, a program at the second one would get the response. */
async function listenAs(host: CallbackHost, port: number): Promise<[Server, ...Server[]]> {
	const first = await listen(host === '::1' ? '::1' : '127.0.0.1', port);
	if (host !== 'localhost') return [first];
	try {
		return [first, await listen('::1', portOf(first))];
	} catch (error) {
		if (systemCode(OrchestraError.from(error).cause) !== 'EADDRINUSE') return [first];
		first.close();
		throw error;
	}
}

async function listen(host: string, port: number): Promise<Server> {
	const server = createServer({ requestTimeout: 10_000, maxHeaderSize: 32 * 1024 });
	try {
		server.listen(port, host);
		await once(server, 'listening');
		return server;
	} catch (thrown) {
		throw new OrchestraError('io', `cannot listen on ${host} port ${port}: ${messageOf(thrown)}`, {
			cause: thrown,
			hint: 'End the program that uses the port, or set `oauth.callbackPort` of the server to another one.',
			data: { host, port },
		});
	}
}

function portOf(server: Server): number {
	// A server that listens on a host and a port has such an address.
	return (server.address() as AddressInfo).port;
}

function page(response: ServerResponse, status: number, text: string): void {
	response.writeHead(status, {
		'content-type': 'text/html; charset=utf-8',
		'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
		'referrer-policy': 'no-referrer',
		'cache-control': 'no-store',
		connection: 'close',
	});
	response.end(
		`<!doctype html><html lang="en"><meta charset="utf-8"><title>Orchestra</title><style>body{font:18px/1.5 system-ui,sans-serif;margin:20vh auto;max-width:32em;padding:0 1em;color-scheme:light dark}</style><h1>Orchestra</h1><p>${text}</p><p>You can close this window; the terminal has the rest.</p></html>\n`,
	);
}
