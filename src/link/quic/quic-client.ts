/* Dial a QUIC peer: one connected UDP socket for each connection. */
import { randomBytes } from 'node:crypto';
import { isCode, messageOf, OrchestraError } from '../../errors.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { canceledCall } from '../../rpc/calls/message-errors.ts';
import { deferred } from '../../rpc/deferred.ts';
import { FRAME_LIMIT_BYTES } from '../../wire/wire-limits.ts';
import { formatAddress, type HostPort, isLoopback, parseDialAddress, resolveHost } from '../address.ts';
import { checkPeerName, leafOf } from '../certificates/peer-name.ts';
import type { DialOptions, Link } from '../link.ts';
import { HANDSHAKE_MS, PEER_TIMEOUT_MS, RENEW_AFTER_STREAMS } from '../link-limits.ts';
import { configureEngine, loadEngine } from './engine.ts';
import { QuicConnection } from './quic-connection.ts';
import { type Dialed, QuicLink } from './quic-link.ts';
import { QuicSocket } from './quic-socket.ts';

const ID_BYTES = 16;

/** Connect over QUIC; tries every IP address of a name. Rejects with the last error. */
export async function dialQuic(options: DialOptions): Promise<Link> {
	const { host, port } = parseDialAddress(options.address);
	let last: unknown;
	for (const address of await resolveHost(host)) {
		try {
			return await openLink({ host: address, port }, options);
		} catch (thrown) {
			last = thrown;
			if (!OrchestraError.is(thrown) || thrown.data['isRefused'] !== true) throw thrown;
		}
	}
	throw last;
}

async function openLink(remote: HostPort, options: DialOptions): Promise<Link> {
	const { signal: _, ...again } = options;
	return new QuicLink(await dialOne(remote, options), {
		redial: () => dialOne(remote, again),
		renewAfterStreams: options.renewAfterStreams ?? RENEW_AFTER_STREAMS,
	});
}

async function dialOne(remote: HostPort, options: DialOptions): Promise<Dialed> {
	const engine = await loadEngine();
	const socket = await QuicSocket.connect(remote);
	const { promise, resolve, reject } = deferred();
	try {
		const config = configureEngine(engine, options.identity, {
			isServer: false,
			isRemote: !isLoopback(remote.host),
			protocol: options.protocol,
		});
		const serverName = options.serverName ?? 'localhost';
		const connection = new QuicConnection({
			native: engine.Connection.connect(serverName, randomBytes(ID_BYTES), socket.local, remote, config),
			host: socket,
			local: socket.local,
			remote,
			isServer: false,
			frameLimitBytes: options.frameLimitBytes ?? FRAME_LIMIT_BYTES,
			handshakeMs: options.handshakeMs ?? HANDSHAKE_MS,
			peerTimeoutMs: options.peerTimeoutMs ?? PEER_TIMEOUT_MS,
			onEstablished: () => resolve(),
		});
		socket.connections.add(connection);
		socket.receive(
			(data) => connection.take(data),
			(error) => connection.fail(refused(remote, error)),
		);
		void connection.closed.then((reason) => {
			reject(reason);
			void socket.close();
		});
		connection.scheduleFlush();
		await untilDone(promise, connection, options.signal);
		const peerName = checkPeer(connection, options.peerName);
		return { connection, socket, peerName };
	} catch (thrown) {
		await socket.close();
		throw OrchestraError.from(thrown, 'io');
	}
}

async function untilDone(
	done: Promise<void>,
	connection: QuicConnection,
	signal?: AbortSignal,
): Promise<void> {
	const abort = (): void => connection.fail(canceledCall(`dialing ${connection.address}`, signal?.reason));
	await done.finally(onAbort(signal, abort));
}

/** The certificate is of our authority; check that it also has the expected name. */
function checkPeer(connection: QuicConnection, expected: string | undefined): string {
	try {
		return checkPeerName(connection.address, leafOf(connection.native.peerCertChain()), expected);
	} catch (thrown) {
		connection.fail(OrchestraError.from(thrown));
		throw thrown;
	}
}

function refused(remote: HostPort, error: Error): OrchestraError {
	const isRefused = isCode(error, 'ECONNREFUSED');
	const where = formatAddress(remote);
	const message = isRefused
		? `nothing listens on UDP ${where}`
		: `the UDP socket to ${where} failed: ${messageOf(error)}`;
	return new OrchestraError('closed', message, { cause: error, data: { isRefused } });
}
