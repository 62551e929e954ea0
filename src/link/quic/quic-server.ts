/*
 * Listen for QUIC peers: many connections on one UDP socket.
 *
 * A datagram is matched to its connection by the connection id in its header. An
 * unmatched Initial packet is answered with a Retry and opens a connection only when
 * it returns our token; any other unmatched packet is ignored and counted.
 * `HandshakeLimiter` bounds the work for peers that are not authenticated yet.
 */

import { randomBytes } from 'node:crypto';
import type { RemoteInfo } from 'node:dgram';
import { attempt, OrchestraError } from '../../errors.ts';
import { Log } from '../../log.ts';
import { memoized } from '../../wire/memoized.ts';
import { FRAME_LIMIT_BYTES } from '../../wire/wire-limits.ts';
import { formatAddress, type HostPort, isLoopback, parseAddress, resolveHost } from '../address.ts';
import { renewCertificates } from '../certificates/certificate-renewal.ts';
import { checkPeerName, leafOf } from '../certificates/peer-name.ts';
import type { Identity, LinkListener, LinkPeer, ListenerCounts, ListenOptions } from '../link.ts';
import { FIRST_PACKET_BYTES, HANDSHAKE_MS, MAX_CONNECTIONS, PEER_TIMEOUT_MS } from '../link-limits.ts';
import {
	configureEngine,
	type Engine,
	type EngineConfig,
	type EngineHeader,
	loadEngine,
	TYPE_INITIAL,
} from './engine.ts';
import { HandshakeLimiter } from './handshake-limiter.ts';
import { QuicConnection } from './quic-connection.ts';
import { QuicSocket } from './quic-socket.ts';
import { mintRetryToken, openRetryToken, UsedTokens } from './retry-token.ts';

const ID_BYTES = 16;
const KEY_BYTES = 6;
const LONG_HEADER_MASK = 0x80;
const LONG_ID_AT = 6;

/** Open a QUIC listener. Addresses other than loopback need `allowRemote`. */
export async function listenQuic(options: ListenOptions): Promise<LinkListener> {
	const engine = await loadEngine();
	const { host, port } = parseAddress(options.address);
	const [address = host] = await resolveHost(host);
	const isRemote = !isLoopback(address);
	if (isRemote) checkRemote(address, options);
	const configure = (identity: Identity): EngineConfig =>
		configureEngine(engine, identity, { isServer: true, isRemote });
	const config = configure(options.identity);
	const socket = await QuicSocket.bind({ host: address, port });
	const listener = new QuicListener(engine, config, socket, options);
	listener.renewWith(configure);
	return listener;
}

function checkRemote(address: string, options: ListenOptions): void {
	if (options.allowRemote !== true) {
		throw new OrchestraError(
			'bad_input',
			`QUIC listens on loopback only, and ${address} is not a loopback address`,
			{
				hint: 'Use a TLS listener for other machines, or set `allowRemote`.',
				data: { address },
			},
		);
	}
	const log = options.log ?? Log.fromEnvironment('quic');
	log.warn(
		`QUIC listens on ${address}: the QUIC engine has known denial-of-service flaws; prefer TLS for remote peers`,
	);
}

class QuicListener implements LinkListener {
	readonly kind = 'quic';
	readonly address: string;
	readonly #engine: Engine;
	#config: EngineConfig;
	#stopRenewing: () => void = () => {};
	readonly #socket: QuicSocket;
	readonly #options: ListenOptions;
	readonly #byId = new Map<number, QuicConnection>();
	readonly #peerOf = memoized(describePeer);
	readonly #tokenKey = randomBytes(32);
	readonly #usedTokens = new UsedTokens();
	readonly #limiter = new HandshakeLimiter();
	readonly #counts = { ignored: 0, refused: 0, accepted: 0 };

	constructor(engine: Engine, config: EngineConfig, socket: QuicSocket, options: ListenOptions) {
		this.#engine = engine;
		this.#config = config;
		this.#socket = socket;
		this.#options = options;
		this.address = formatAddress(socket.local);
		socket.receive(
			(data, from) => this.#take(data, from),
			// A datagram that could not be sent counts as lost; the engine retransmits it.
			() => {},
		);
	}

	get counts(): ListenerCounts {
		return { ...this.#counts, open: this.#byId.size };
	}

	/** Use each renewed identity for the connections that come. */
	renewWith(configure: (identity: Identity) => EngineConfig): void {
		this.#stopRenewing = renewCertificates(this.#options, (identity) => {
			this.#config = configure(identity);
		});
	}

	async close(): Promise<void> {
		this.#stopRenewing();
		await Promise.all([...this.#byId.values()].map((connection) => connection.close(0)));
		await this.#socket.close();
	}

	#take(data: Buffer, from: RemoteInfo): void {
		const connection = this.#byId.get(keyIn(data));
		if (!connection) this.#takeUnknown(data, { host: from.address, port: from.port });
		// Migration is off: a packet from another address does not belong to this connection.
		else if (connection.remote.port !== from.port || connection.remote.host !== from.address)
			this.#counts.ignored++;
		else connection.take(data);
	}

	#takeUnknown(data: Buffer, from: HostPort): void {
		const now = performance.now();
		const source = formatAddress(from);
		const header =
			isFirstPacket(data) && this.#limiter.allowsInitial(source, now) ? this.#firstHeader(data) : undefined;
		if (!header) {
			this.#counts.ignored++;
			return;
		}
		const { buffer } = this.#socket;
		if (!this.#engine.versionIsSupported(header.version)) {
			this.#socket.sendTo(from, this.#engine.negotiateVersion(header.scid, header.dcid, buffer));
			return;
		}
		const claim = { from: source, id: header.dcid };
		const originalId = openRetryToken(this.#tokenKey, claim, header.token ?? new Uint8Array(0), Date.now());
		if (originalId) this.#accept(data, header, originalId, from);
		else this.#retry(header, from);
	}

	#firstHeader(data: Buffer): EngineHeader | undefined {
		return attempt(() => {
			const header = this.#engine.Header.fromSlice(data, ID_BYTES);
			return header.ty === TYPE_INITIAL || !this.#engine.versionIsSupported(header.version)
				? header
				: undefined;
		});
	}

	#retry(header: EngineHeader, from: HostPort): void {
		const id = randomBytes(ID_BYTES);
		const claim = { from: formatAddress(from), id };
		const token = mintRetryToken(this.#tokenKey, claim, header.dcid, Date.now());
		const { buffer } = this.#socket;
		this.#socket.sendTo(
			from,
			this.#engine.retry(header.scid, header.dcid, id, token, header.version, buffer),
		);
	}

	#accept(data: Buffer, header: EngineHeader, originalId: Uint8Array, remote: HostPort): void {
		const now = performance.now();
		const isFull = this.#byId.size >= (this.#options.maxConnections ?? MAX_CONNECTIONS);
		const key = keyOf(header.dcid);
		const isAdmitted = !isFull && this.#limiter.admits(formatAddress(remote), now);
		if (!isAdmitted || !this.#usedTokens.use(key, now)) {
			this.#counts.refused++;
			return;
		}
		const { local } = this.#socket;
		const connection = new QuicConnection({
			native: this.#engine.Connection.accept(header.dcid, originalId, local, remote, this.#config),
			host: this.#socket,
			local,
			remote,
			isServer: true,
			frameLimitBytes: this.#options.frameLimitBytes ?? FRAME_LIMIT_BYTES,
			handshakeMs: this.#options.handshakeMs ?? HANDSHAKE_MS,
			peerTimeoutMs: this.#options.peerTimeoutMs ?? PEER_TIMEOUT_MS,
			onEstablished: (established) => {
				this.#counts.accepted++;
				this.#limiter.end(established);
			},
			onStream: (stream, owner) => this.#options.onStream(stream, this.#peerOf(owner)),
		});
		this.#limiter.begin(connection, now);
		this.#byId.set(key, connection);
		this.#socket.connections.add(connection);
		void connection.closed.then(() => {
			this.#byId.delete(key);
			this.#limiter.end(connection);
			if (!connection.isEstablished) this.#counts.refused++;
		});
		connection.take(data);
	}
}

function describePeer(connection: QuicConnection): LinkPeer {
	return {
		kind: 'quic',
		name: checkPeerName(connection.address, leafOf(connection.native.peerCertChain()), undefined),
		address: connection.address,
		closed: connection.closed,
		close: () => connection.close(),
	};
}

/** A cheap check before any parsing: long enough, with a long header. */
function isFirstPacket(data: Buffer): boolean {
	return data.length >= FIRST_PACKET_BYTES && ((data[0] ?? 0) & LONG_HEADER_MASK) !== 0;
}

/** The key of the connection id in a datagram. An invalid datagram gives an unknown key. */
function keyIn(data: Buffer): number {
	return keyOf(data, ((data[0] ?? 0) & LONG_HEADER_MASK) === 0 ? 1 : LONG_ID_AT);
}

/** The first bytes of a connection id, as many as a number holds: we chose them at random. */
function keyOf(data: Uint8Array, start = 0): number {
	let key = 0;
	for (let at = start; at < start + KEY_BYTES; at++) key = key * 256 + (data[at] ?? 0);
	return key;
}
