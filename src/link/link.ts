/*
 * The one shape of a link, whatever carries it.
 *
 * A link is an authenticated connection to one peer; a stream on it carries
 * frames both ways. Over QUIC a stream costs nothing, so a call has its own.
 * Over TLS (on TCP or on a Unix socket) a stream is a connection of its own, so calls
 * share one and their answers are told apart by request id. Nothing above needs to know more.
 */
import type { OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';

export type LinkKind = 'quic' | 'tls' | 'unix';

/** Who we are: PEM texts, as `loadIdentity` gives them. */
export interface Identity {
	name: string;
	/** The only authority that is trusted. */
	ca: string;
	certificate: string;
	key: string;
}

/** Takes what a stream delivers. After `end` only `fail` may follow; after `fail` nothing is called. */
export interface StreamReceiver {
	/** The payload of one whole frame; it may be kept. */
	frame(payload: Uint8Array): void;
	/** The peer will send no more. Sending to it may still work. */
	end(): void;
	/** The stream is gone in both directions: reset, a damaged frame, or the link died. */
	fail(error: OrchestraError): void;
}

export interface LinkStream {
	/** Start delivering. Must be called once, in the same turn in which the stream was got. */
	receive(receiver: StreamReceiver): void;
	/** Queue one frame. False: much is waiting, so await `drained()`. Throws when the stream is closed. */
	send(payload: Uint8Array): boolean;
	/** Resolves when little enough waits to be sent. Rejects when the stream fails first. */
	drained(): Promise<void>;
	/** No more frames from here; the peer's may still come. */
	end(): void;
	/** Stop reading for now: the sender feels it. Frames that were already read still come. */
	pause(): void;
	resume(): void;
	/**
	 * Give the stream up in both directions. Nothing is delivered after it. The peer's side fails with this
	 * code; over TLS, which has no such word, it may just end, so an answer must say by itself that it is whole.
	 */
	reset(code?: number): void;
}

/** An open connection to a peer that listens. */
export interface Link {
	readonly kind: LinkKind;
	/** Where the peer is, as `host:port` or `unix:/path`. */
	readonly address: string;
	/** The common name of the peer's certificate. */
	readonly peerName: string;
	/** True when a stream per call is the right way to use this link. */
	readonly streamsAreCheap: boolean;
	/** May it move to a fresh connection after very many streams? Only to a peer that serves more than one. */
	mayMove: boolean;
	/** Resolves, once, when the link is over, and says why. */
	readonly closed: Promise<OrchestraError>;
	/** Never blocks: a stream that must wait its turn keeps its frames until then. Throws when the link is closed. */
	openStream(): LinkStream;
	/** Let open streams finish for a moment, then close. Idempotent. */
	close(): Promise<void>;
}

/** The other end of an accepted connection. */
export interface LinkPeer {
	readonly kind: LinkKind;
	/** The common name of its certificate: a plugin that registers over this link is who this says. */
	readonly name: string;
	readonly address: string;
	readonly closed: Promise<OrchestraError>;
	close(): Promise<void>;
}

export interface DialOptions {
	/** `host:port`, where a name is resolved, IPv4 first; or `unix:/path`. */
	address: string;
	identity: Identity;
	/** The host that the peer's certificate must be good for. Default `localhost`, which all of ours are. */
	serverName?: string | undefined;
	/** Who must be there: the common name or a DNS name of its certificate. Default anybody of our authority. */
	peerName?: string | undefined;
	handshakeMs?: number | undefined;
	/** How long a QUIC peer may leave probes unanswered. Default 10 s. */
	silenceMs?: number | undefined;
	frameLimitBytes?: number | undefined;
	signal?: AbortSignal | undefined;
	log?: Log | undefined;
	/** After how many streams a QUIC link moves to a fresh connection; only tests have a reason to set it. */
	renewAfterStreams?: number | undefined;
	/** What to offer in the handshake; only tests have a reason to set it. */
	protocol?: string | undefined;
}

export interface ListenOptions {
	/** `host:port`, where port 0 lets the system choose; or `unix:/path`. */
	address: string;
	identity: Identity;
	/** Called for each stream that a peer opens. */
	onStream: (stream: LinkStream, peer: LinkPeer) => void;
	/** QUIC on an address other than loopback. The engine has known weaknesses: see docs/decisions. */
	allowRemote?: boolean | undefined;
	handshakeMs?: number | undefined;
	/** How long a QUIC peer may leave probes unanswered. Default 10 s. */
	silenceMs?: number | undefined;
	frameLimitBytes?: number | undefined;
	maxConnections?: number | undefined;
	log?: Log | undefined;
}

/** What a listener counted since it was opened. */
export interface ListenerCounts {
	/** Datagrams that belong to nothing we know, or are no QUIC at all. */
	ignored: number;
	/** Handshakes that were refused or never finished. */
	refused: number;
	accepted: number;
	/** Connections open now. */
	open: number;
}

export interface LinkListener {
	readonly kind: LinkKind;
	/** Where it really listens, as `host:port` or `unix:/path`. */
	readonly address: string;
	readonly counts: Readonly<ListenerCounts>;
	/** Close every connection and stop listening. Idempotent. */
	close(): Promise<void>;
}
