/* Listen for TLS 1.3 peers on TCP or a Unix socket. Each connection is one stream; both sides need a certificate. */

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls';
import { messageOf, OrchestraError } from '../../errors.ts';
import { deferred } from '../../rpc/deferred.ts';
import { FRAME_LIMIT_BYTES } from '../../wire/wire-limits.ts';
import { formatAddress, parseAddress, resolveHost } from '../address.ts';
import { renewCertificates } from '../certificates/certificate-renewal.ts';
import { checkPeerName } from '../certificates/peer-name.ts';
import type { Identity, LinkKind, LinkListener, LinkPeer, ListenerCounts, ListenOptions } from '../link.ts';
import {
	HANDSHAKE_MS,
	KEEP_ALIVE_MS,
	LINK_PROTOCOL,
	MAX_CONNECTIONS,
	MAX_HANDSHAKES,
} from '../link-limits.ts';
import { TlsStream } from './tls-stream.ts';
import { isUnixAddress } from './unix-address.ts';
import { listenOnSocketFile, type SocketFile } from './unix-socket-file.ts';

/** Open a TLS listener on TCP or a Unix socket. Any address is allowed: peers need a certificate of our authority. */
export async function listenTls(options: ListenOptions): Promise<LinkListener> {
	const server = createServer({
		...contextOf(options.identity),
		requestCert: true,
		rejectUnauthorized: true,
		ALPNProtocols: [LINK_PROTOCOL],
		handshakeTimeout: options.handshakeMs ?? HANDSHAKE_MS,
		allowHalfOpen: true,
		noDelay: true,
		keepAlive: true,
		keepAliveInitialDelay: KEEP_ALIVE_MS,
	});
	// Further connections are dropped at once; a handshake has a timeout.
	server.maxConnections = (options.maxConnections ?? MAX_CONNECTIONS) + MAX_HANDSHAKES;
	if (isUnixAddress(options.address)) {
		const file = await listenOnSocketFile(server, options.address);
		return new TlsListener(server, options.address, options, file);
	}
	return new TlsListener(server, await listenOnTcp(server, options.address), options);
}

function contextOf({ ca, certificate, key }: Identity): SecureContextOptions {
	return { ca, cert: certificate, key, minVersion: 'TLSv1.3' };
}

async function listenOnTcp(server: Server, place: string): Promise<string> {
	const { host, port } = parseAddress(place);
	const [address = host] = await resolveHost(host);
	try {
		const listening = once(server, 'listening');
		server.listen(port, address);
		await listening;
	} catch (cause) {
		throw new OrchestraError('io', `cannot listen on TCP ${place}: ${messageOf(cause)}`, {
			cause,
			hint: 'Is another hub running there? Choose another port, or 0 for any.',
		});
	}
	// A TCP server that listens always has an AddressInfo.
	const bound = server.address() as AddressInfo;
	return formatAddress({ host: bound.address, port: bound.port });
}

class TlsListener implements LinkListener {
	readonly kind: LinkKind;
	readonly address: string;
	readonly #file: SocketFile | undefined;
	readonly #server: Server;
	readonly #options: ListenOptions;
	readonly #streams = new Set<TlsStream>();
	/** The connections that have not completed their handshake; one that the peer gave up counts until its timeout. */
	#handshakes = 0;
	/** All sockets, including those that never complete their handshake. */
	readonly #sockets = new Set<Socket>();
	readonly #counts = { ignored: 0, refused: 0, accepted: 0 };
	readonly #stopRenewing: () => void;
	#closing: Promise<void> | undefined;

	constructor(server: Server, address: string, options: ListenOptions, file?: SocketFile) {
		this.#server = server;
		this.#options = options;
		this.#file = file;
		this.address = address;
		this.kind = file ? 'unix' : 'tls';
		this.#stopRenewing = renewCertificates(options, (identity) =>
			server.setSecureContext(contextOf(identity)),
		);
		server.on('connection', (socket: Socket) => {
			this.#handshakes++;
			this.#sockets.add(socket);
			socket.once('close', () => this.#sockets.delete(socket));
		});
		server.on('secureConnection', (socket) => {
			this.#handshakes--;
			this.#accept(socket);
		});
		server.on('tlsClientError', (_error, socket) => {
			this.#handshakes--;
			this.#counts.refused++;
			socket.destroy();
		});
	}

	get counts(): ListenerCounts {
		return { ...this.#counts, open: this.#streams.size };
	}

	closeIfAlone(): boolean {
		if (this.#handshakes + this.#streams.size > 1) return false;
		this.#server.close(); // the system refuses those that wait to be accepted
		return true;
	}

	close(): Promise<void> {
		this.#closing ??= this.#close();
		return this.#closing;
	}

	async #close(): Promise<void> {
		this.#stopRenewing();
		// With an error when it has stopped to listen already; then too it calls back when all connections are closed.
		const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
		const reason = new OrchestraError('closed', `the listener on ${this.address} was closed`);
		for (const stream of this.#streams) stream.fail(reason);
		for (const socket of this.#sockets) socket.destroy();
		await this.#file?.remove();
		await closed;
	}

	#accept(socket: TLSSocket): void {
		const isFull = this.#streams.size >= (this.#options.maxConnections ?? MAX_CONNECTIONS);
		if (isFull || socket.alpnProtocol !== LINK_PROTOCOL || this.#closing) {
			this.#counts.refused++;
			socket.on('error', () => {}).destroy();
			return;
		}
		this.#counts.accepted++;
		const address = this.#file
			? this.address
			: formatAddress({ host: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 });
		const stream = new TlsStream(address, this.#options.frameLimitBytes ?? FRAME_LIMIT_BYTES);
		this.#streams.add(stream);
		const { peer, ended } = describePeer(socket, stream, this.kind);
		stream.attach(socket, () => {
			this.#streams.delete(stream);
			ended();
		});
		this.#options.onStream(stream, peer);
	}
}

function describePeer(
	socket: TLSSocket,
	stream: TlsStream,
	kind: LinkKind,
): { peer: LinkPeer; ended: () => void } {
	const { address } = stream;
	const { promise: closed, resolve } = deferred<OrchestraError>();
	const ended = (): void => resolve(new OrchestraError('closed', `the connection of ${address} is closed`));
	const name = checkPeerName(address, socket.getPeerX509Certificate(), undefined);
	const peer: LinkPeer = { kind, name, address, closed, close: async () => stream.reset() };
	return { peer, ended };
}
