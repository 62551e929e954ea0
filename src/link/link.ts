/*
 * The interface of a link, independent of its transport.
 *
 * A link is an authenticated connection to one peer; a stream on it carries frames
 * in both directions. A QUIC stream is cheap, so each call has its own. A TLS stream
 * (on TCP or a Unix socket) is a connection of its own, so calls are multiplexed on
 * one stream by request id.
 */
import type { OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';

export type LinkKind = 'quic' | 'tls' | 'unix';

/** Our name, key and certificates in PEM, as `loadIdentity` returns them. */
export interface Identity {
	name: string;
	/** The only trusted certificate authority. */
	ca: string;
	certificate: string;
	key: string;
	/** When it is due to be loaded again, and from which folder; absent when nobody renews it. */
	renewal?: { readonly dueAt: Date; readonly folder: string } | undefined;
}

/** Receives the events of a stream. After `end` only `fail` may follow; after `fail` nothing is called. */
export interface StreamReceiver {
	/** The payload of one frame; the receiver may keep it. */
	frame(payload: Uint8Array): void;
	/** Half-close: the peer sends no more frames. Sending may still work. */
	end(): void;
	/** Both directions are closed by a reset, a bad frame or the end of the link. */
	fail(error: OrchestraError): void;
}

export interface LinkStream {
	/** Start delivery. Call once, in the event-loop turn that returned the stream. */
	receive(receiver: StreamReceiver): void;
	/** Queue one frame. False: the queue is above the high-water mark, so await `drained()`. Throws when the stream is closed. */
	send(payload: Uint8Array): boolean;
	/** Resolves when the queue is below the high-water mark. Rejects when the stream fails first. */
	drained(): Promise<void>;
	/** Half-close: no more frames from this side; the peer may still send. */
	end(): void;
	/** Stop reading: backpressure reaches the sender. Frames that were read already are still delivered. */
	pause(): void;
	resume(): void;
	/**
	 * Abort both directions. Nothing is delivered afterwards. The peer's stream fails with this code; TLS has no
	 * reset code, so there the stream may just end, and a reply must mark its own completeness.
	 */
	reset(code?: number): void;
}

/** An open connection to a listening peer. */
export interface Link {
	readonly kind: LinkKind;
	/** Address of the peer, `host:port` or `unix:/path`. */
	readonly address: string;
	/** The common name of the peer's certificate. */
	readonly peerName: string;
	/** True when each call should have its own stream. */
	readonly streamsAreCheap: boolean;
	/** True when the link may be renewed on a fresh connection; requires a peer that accepts more than one. */
	mayRenew: boolean;
	/** Resolves with the reason when the link is closed. */
	readonly closed: Promise<OrchestraError>;
	/** Never blocks: frames are queued until the peer allows the stream. Throws when the link is closed. */
	openStream(): LinkStream;
	/** Drain open streams for a short grace period, then close. Idempotent. */
	close(): Promise<void>;
}

/** The other end of an accepted connection. */
export interface LinkPeer {
	readonly kind: LinkKind;
	/** The common name of its certificate: the identity of a plugin that registers over this link. */
	readonly name: string;
	readonly address: string;
	readonly closed: Promise<OrchestraError>;
	close(): Promise<void>;
}

interface LinkOptions {
	identity: Identity;
	handshakeMs?: number | undefined;
	/** How long a QUIC peer may leave keep-alive probes unanswered. Default 10 s. */
	peerTimeoutMs?: number | undefined;
	frameLimitBytes?: number | undefined;
	log?: Log | undefined;
}

export interface DialOptions extends LinkOptions {
	/** `host:port` (a name is resolved, IPv4 first) or `unix:/path`. */
	address: string;
	/** The host name that the peer's certificate must be valid for. Default `localhost`, which all our certificates contain. */
	serverName?: string | undefined;
	/** Expected common name or DNS name of the peer's certificate. Default: any certificate of our authority. */
	peerName?: string | undefined;
	signal?: AbortSignal | undefined;
	/** False: one connection for one stream, with no spare for the next one. Default true, on a Unix socket. */
	keepsSpare?: boolean | undefined;
	/** After how many streams a QUIC link is renewed; for tests. */
	renewAfterStreams?: number | undefined;
	/** ALPN protocol to offer; for tests. */
	protocol?: string | undefined;
}

export interface ListenOptions extends LinkOptions {
	/** `host:port` (port 0: any free port) or `unix:/path`. */
	address: string;
	/** Called for each stream that a peer opens. */
	onStream: (stream: LinkStream, peer: LinkPeer) => void;
	/** Allow QUIC on an address other than loopback. The engine has known weaknesses: see docs/decisions. */
	allowRemote?: boolean | undefined;
	maxConnections?: number | undefined;
	/** How often a listener looks whether its identity must be renewed. Default: every hour. */
	renewalCheckMs?: number | undefined;
}

/** Counters of a listener. */
export interface ListenerCounts {
	/** Datagrams of unknown connections, or that are not QUIC. */
	ignored: number;
	/** Handshakes that were refused or not completed. */
	refused: number;
	accepted: number;
	/** Connections open now. */
	open: number;
}

/** An open listener for links. */
export interface LinkListener {
	readonly kind: LinkKind;
	/** The bound address, `host:port` or `unix:/path`. */
	readonly address: string;
	readonly counts: Readonly<ListenerCounts>;
	/** Accept no more connections, unless there are two or more, also in their handshake. True when it stopped; absent where it cannot. */
	closeIfAlone?(): boolean;
	/** Close every connection and stop listening. Idempotent. */
	close(): Promise<void>;
}
