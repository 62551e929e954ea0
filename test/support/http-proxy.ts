/* A forward proxy: CONNECT for HTTPS, absolute URLs for HTTP. Every host name leads to one port of this machine. */
import { createServer, request as requestHttp } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { certifyAuthority, makeLeaf, newAuthority } from '../../src/link/certificates/x509.ts';

const DAY_MS = 86_400_000;

export interface ProxyServer {
	readonly port: number;
	/** What it was asked for: `CONNECT host:port`, or the method and the URL. */
	readonly asked: string[];
}

export interface ProxyOptions {
	/** `user:password` that it wants. */
	readonly credentials?: string;
	/** Accept connections, and never answer. */
	readonly isSilent?: boolean;
}

/** Start a proxy to `targetPort`. It ends with the test. */
export async function startProxy(targetPort: number, options: ProxyOptions = {}): Promise<ProxyServer> {
	const { credentials, isSilent = false } = options;
	const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
	const asked: string[] = [];
	const sockets = new Set<Duplex>();
	const server = createServer((request, response) => {
		const { method = '', url = '', headers } = request;
		asked.push(`${method} ${url}`);
		if (isSilent) return;
		if (headers['proxy-authorization'] !== wanted) return void response.writeHead(407).end();
		const { 'proxy-authorization': _own, ...rest } = headers;
		const { pathname, search } = new URL(url);
		const onward = { port: targetPort, method, path: pathname + search, headers: rest };
		const forwarded = requestHttp(onward, (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(response);
		});
		forwarded.on('error', () => response.destroy());
		response.on('close', () => forwarded.destroy());
		request.pipe(forwarded);
	});
	server.on('connect', ({ url = '', headers }, socket: Duplex) => {
		asked.push(`CONNECT ${url}`);
		sockets.add(socket.on('error', () => {}));
		if (isSilent) return;
		if (headers['proxy-authorization'] !== wanted) return void socket.end('HTTP/1.1 407 No\r\n\r\n');
		const target = connect(targetPort, '127.0.0.1', () => {
			socket.write('HTTP/1.1 200 OK\r\n\r\n');
			socket.pipe(target).pipe(socket);
		});
		sockets.add(target.on('error', () => socket.destroy()));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
		server.closeAllConnections();
	});
	return { port: (server.address() as AddressInfo).port, asked };
}

/** HTTPS for `name` in front of an HTTP port. `authority` is the certificate that a client must trust. */
export async function startTlsFront(
	name: string,
	targetPort: number,
): Promise<{ port: number; authority: string }> {
	const validity = { from: new Date(Date.now() - DAY_MS), to: new Date(Date.now() + DAY_MS) };
	const authority = newAuthority();
	const { certificate } = certifyAuthority(authority, validity);
	const leaf = makeLeaf(name, validity, authority);
	const server = createTlsServer({ key: leaf.key, cert: leaf.certificate }, (request, response) => {
		const { method = '', url: path = '', headers } = request;
		const forwarded = requestHttp({ port: targetPort, method, path, headers }, (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(response);
		});
		forwarded.on('error', () => response.destroy());
		response.on('close', () => forwarded.destroy());
		request.pipe(forwarded);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.close();
		server.closeAllConnections();
	});
	return { port: (server.address() as AddressInfo).port, authority: certificate };
}
