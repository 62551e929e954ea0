/*
 * The client side of a link over TLS 1.3, on TCP or a Unix socket.
 *
 * Each stream is a connection of its own. `dialTls` opens the first one, so that a
 * wrong address or certificate fails at once; the first stream uses it. On a Unix
 * socket a spare connection is always open: the next stream needs no handshake, and
 * the end of the peer process closes the link at once.
 */
import { isIP } from 'node:net';
import {
	type ConnectionOptions,
	connect,
	createSecureContext,
	type SecureContext,
	type TLSSocket,
} from 'node:tls';
import { isCode, messageOf, OrchestraError } from '../../errors.ts';
import { onAbort } from '../../rpc/abortable.ts';
import { Backoff } from '../../rpc/backoff.ts';
import { canceledCall } from '../../rpc/calls/message-errors.ts';
import { deferred } from '../../rpc/deferred.ts';
import { FRAME_LIMIT_BYTES } from '../../wire/wire-limits.ts';
import { parseDialAddress } from '../address.ts';
import { checkPeerName } from '../certificates/peer-name.ts';
import type { DialOptions, Link, LinkKind, LinkStream } from '../link.ts';
import {
	HANDSHAKE_MS,
	KEEP_ALIVE_MS,
	LINK_PROTOCOL,
	SPARE_RETRY_FIRST_MS,
	SPARE_RETRY_LONGEST_MS,
} from '../link-limits.ts';
import { TlsStream } from './tls-stream.ts';
import { isUnixAddress, unixPath } from './unix-address.ts';

/** Connect over TLS. Rejects when nothing listens there, or the peer's certificate has another authority or name. */
export async function dialTls(options: DialOptions): Promise<Link> {
	const context = contextOf(options);
	return new TlsLink(options, context, await open(options, context));
}

class TlsLink implements Link {
	readonly kind: LinkKind;
	readonly streamsAreCheap = false;
	readonly address: string;
	readonly peerName: string;
	/** No renewal: every stream is a connection of its own. */
	mayRenew = false;
	readonly #ended = deferred<OrchestraError>();
	readonly closed: Promise<OrchestraError> = this.#ended.promise;
	readonly #options: DialOptions;
	readonly #context: SecureContext;
	readonly #streams = new Set<TlsStream>();
	/** Connected and not used yet. */
	#spare: TlsStream | undefined;
	/** `waiting`: the last attempt failed, the next one is due soon. */
	#spareDial: 'none' | 'running' | 'waiting' = 'none';
	#retryTimer: NodeJS.Timeout | undefined;
	#isClosed = false;

	constructor(options: DialOptions, context: SecureContext, first: Connected) {
		// The signal covers only the dialing; later connections close with the link.
		this.#options = { ...options, signal: undefined };
		this.#context = context;
		this.kind = isUnixAddress(options.address) ? 'unix' : 'tls';
		this.address = options.address;
		this.peerName = first.peerName;
		this.#keepSpare(first);
	}

	openStream(): LinkStream {
		if (this.#isClosed) throw new OrchestraError('closed', `the link to ${this.address} is closed`);
		const spare = this.#spare;
		const stream = spare ?? this.#newStream();
		this.#spare = undefined;
		this.#streams.add(stream);
		if (!spare) void this.#dialFor(stream);
		const keepsSpare = this.kind === 'unix' && this.#options.keepsSpare !== false;
		if (keepsSpare && this.#spareDial === 'none') void this.#dialSpare();
		return stream;
	}

	async close(): Promise<void> {
		this.#end(new OrchestraError('closed', `the link to ${this.address} was closed by this process`));
	}

	#newStream(): TlsStream {
		return new TlsStream(this.address, this.#options.frameLimitBytes ?? FRAME_LIMIT_BYTES);
	}

	async #dialFor(stream: TlsStream): Promise<void> {
		try {
			this.#attach(stream, await open(this.#options, this.#context));
		} catch (thrown) {
			const error = OrchestraError.from(thrown, 'closed');
			stream.fail(error);
			this.#end(error);
		}
	}

	/*
	 * A reset handshake means a dead peer or a full one; only further attempts distinguish them. They continue
	 * with backoff until there is a spare or the link is closed: streams that the peer has ended look the same
	 * for a live and a dead peer.
	 */
	async #dialSpare(backoff = new Backoff(SPARE_RETRY_FIRST_MS, SPARE_RETRY_LONGEST_MS)): Promise<void> {
		this.#spareDial = 'running';
		try {
			this.#keepSpare(await open(this.#options, this.#context));
			this.#spareDial = 'none';
		} catch (thrown) {
			this.#spareDial = 'waiting';
			const error = OrchestraError.from(thrown, 'closed');
			if (error.data['isRefused'] === true) this.#end(error);
			else this.#endIfUnused(error);
			if (this.#isClosed) return;
			this.#retryTimer = setTimeout(() => void this.#dialSpare(backoff), backoff.nextMs());
		}
	}

	#keepSpare(connected: Connected): void {
		if (this.#isClosed || this.#spare) {
			connected.socket.on('error', () => {}).destroy();
			return;
		}
		this.#spare = this.#newStream();
		this.#attach(this.#spare, connected);
	}

	#attach(stream: TlsStream, { socket }: Connected): void {
		stream.attach(socket, (reason) => {
			this.#streams.delete(stream);
			// An unused connection closes only when the peer process ends.
			if (stream === this.#spare) this.#end(reason);
			else if (this.kind === 'unix' && this.#spareDial !== 'running') this.#endIfUnused(reason);
		});
	}

	/** Close the link when its last connection is closed: the peer is gone. */
	#endIfUnused(reason: OrchestraError): void {
		if (!this.#spare && this.#streams.size === 0) this.#end(reason);
	}

	#end(reason: OrchestraError): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		clearTimeout(this.#retryTimer);
		for (const stream of this.#streams) stream.fail(reason);
		this.#spare?.fail(reason);
		this.#ended.resolve(reason);
	}
}

interface Connected {
	socket: TLSSocket;
	peerName: string;
}

/** The TLS context, created once per link. Sessions are not resumed: that would hide the peer's certificate. */
function contextOf({ identity }: DialOptions): SecureContext {
	return createSecureContext({
		ca: identity.ca,
		...(identity.certificate === '' ? {} : { cert: identity.certificate, key: identity.key }),
		minVersion: 'TLSv1.3',
	});
}

function open(options: DialOptions, context: SecureContext): Promise<Connected> {
	const socket = connect(tlsOptions(options, context));
	return new Promise((resolve, reject) => {
		const timeoutMs = options.handshakeMs ?? HANDSHAKE_MS;
		const settle = (done: () => void): void => {
			clearTimeout(timer);
			stopListening();
			socket.removeAllListeners('error');
			done();
		};
		const refuse = (error: OrchestraError): void =>
			settle(() => {
				socket.on('error', () => {}).destroy();
				reject(error);
			});
		const abort = (): void => refuse(canceledCall(`dialing ${options.address}`, options.signal?.reason));
		const timer = setTimeout(() => {
			const message = `the handshake with ${options.address} timed out after ${timeoutMs / 1000} s`;
			refuse(new OrchestraError('timeout', message));
		}, timeoutMs);
		let stopListening = (): void => {};
		socket.once('error', (error) => refuse(connectError(options.address, error)));
		socket.once('secureConnect', () => {
			try {
				const peerName = verifyPeer(socket, options);
				settle(() => resolve({ socket, peerName }));
			} catch (thrown) {
				refuse(OrchestraError.from(thrown));
			}
		});
		stopListening = onAbort(options.signal, abort);
	});
}

/** Returns the peer's name. Throws when the ALPN protocol or the certificate name is wrong. */
function verifyPeer(socket: TLSSocket, { address, protocol, peerName }: DialOptions): string {
	if (socket.alpnProtocol === (protocol ?? LINK_PROTOCOL))
		return checkPeerName(address, socket.getPeerX509Certificate(), peerName);
	throw new OrchestraError('closed', `${address} does not speak ${LINK_PROTOCOL}`);
}

function tlsOptions(options: DialOptions, secureContext: SecureContext): ConnectionOptions {
	const { address } = options;
	const place = isUnixAddress(address) ? { path: unixPath(address) } : parseDialAddress(address);
	const name = options.serverName ?? 'localhost';
	// A variable, because the declared type lacks `allowHalfOpen`, which sockets support.
	const settings = {
		...place,
		secureContext,
		...(isIP(name) ? {} : { servername: name }),
		ALPNProtocols: [options.protocol ?? LINK_PROTOCOL],
		minVersion: 'TLSv1.3' as const,
		allowHalfOpen: true,
		keepAlive: true,
		keepAliveInitialDelay: KEEP_ALIVE_MS,
		noDelay: true,
	};
	return settings;
}

function connectError(address: string, error: Error): OrchestraError {
	const isUnix = isUnixAddress(address);
	// After its process ended, the file of a Unix socket may exist or not.
	const isRefused = isCode(error, 'ECONNREFUSED') || (isUnix && isCode(error, 'ENOENT'));
	const message = isRefused
		? `nothing listens on ${isUnix ? '' : 'TCP '}${address}`
		: `cannot connect to ${address}: ${messageOf(error)}`;
	// The peer died or closed during the handshake.
	const isReset = isCode(error, 'ECONNRESET', 'EPIPE');
	return new OrchestraError('closed', message, {
		cause: error,
		data: { isRefused, isReset },
	});
}
