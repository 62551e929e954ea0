/* The tunnel through a proxy, asked of real sockets that refuse, garble and hang up. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Proxy } from '../../../src/transport/http/proxy/proxy.ts';
import { TunnelAgent } from '../../../src/transport/http/proxy/tunnel-agent.ts';

describe('a tunnel', () => {
	it.each([
		['403 Forbidden', 'refused the connection with status 403', 'Ask its administrator'],
		['407 Proxy Authentication Required', 'status 407', 'It wants a user and a password'],
	])('that the proxy refuses with %s says what to do', async (status, message, hint) => {
		const proxy = await proxyThat((socket) => socket.end(`HTTP/1.1 ${status}\r\n\r\n`));
		const { error } = await opened(proxy, { host: 'example.com', port: 443 });
		expect(error).toMatchObject({
			message: expect.stringContaining(message),
			hint: expect.stringContaining(hint),
		});
	});

	it('names an IPv6 address in brackets, and the port of HTTPS when there is none', async () => {
		const heads: string[] = [];
		const proxy = await proxyThat((socket, head) => {
			heads.push(head);
			socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
		});
		await opened(proxy, { host: '::1' });
		expect(heads[0]).toMatch(/^CONNECT \[::1\]:443 HTTP\/1\.1\r\n/);
	});

	it.each([
		['example.com', undefined],
		['127.0.0.1', undefined],
		['127.0.0.1', 'example.com'],
	])('to %s with the name %s fails when the server speaks no TLS', async (host, servername) => {
		const proxy = await proxyThat((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nnot TLS at all, hang up'));
		const { error, stream } = await opened(proxy, { host, port: 443, ...(servername && { servername }) });
		expect(error).toBeInstanceOf(Error);
		expect(stream).toBeUndefined();
	});

	it.each([false, true])('says that a proxy is not there, encrypted: %s', async (isTls) => {
		const proxy = await proxyThat(() => {});
		const { error } = await opened({ ...proxy, port: 1, isTls }, { host: 'example.com', port: 443 });
		expect(error).toMatchObject({ message: expect.stringContaining('cannot be reached') });
	});

	it('that is opened for no request, and whose agent is destroyed, ends quietly', async () => {
		let sockets = 0;
		const proxy = await proxyThat(() => sockets++);
		const agent = new TunnelAgent(proxy);
		agent.createConnection({ host: 'example.com', port: 443 });
		agent.destroy();
		const { error } = await opened(proxy, { host: 'example.com', port: 443 }, agent);
		expect(error).toBeInstanceOf(Error);
	});
});

/** A proxy that answers each CONNECT as `answer` says. */
async function proxyThat(answer: (socket: Socket, head: string) => void): Promise<Proxy> {
	const server = createServer((socket) => {
		socket.on('error', () => {});
		socket.once('data', (head) => answer(socket, head.toString('latin1')));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(() => void server.close());
	// A server on a port has such an address.
	const { port } = server.address() as AddressInfo;
	const label = `127.0.0.1:${port}`;
	return { label, variable: 'HTTPS_PROXY', hostname: '127.0.0.1', port, isTls: false, headers: {} };
}

function opened(
	proxy: Proxy,
	options: { host: string; port?: number; servername?: string },
	agent: TunnelAgent = new TunnelAgent(proxy),
): Promise<{ error: Error | null; stream: Duplex | undefined }> {
	return new Promise((resolve) => {
		agent.createConnection(options, (error, stream) => resolve({ error, stream }));
	});
}
