/*
 * The same link over TLS 1.3, on TCP or on a Unix socket.
 *
 * Each stream is a connection of its own. The first is made when dialing, so that
 * a wrong address or certificate shows at once, and is handed to the first stream.
 * On a Unix socket a spare connection is kept ready at all times: the next stream
 * needs no handshake, and the end of the peer closes the link at once.
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

/** Connect over TLS. Rejects when nobody listens, or the peer is not of our authority or not who is expected. */
export async function dialTls(options: DialOptions): Promise<Link> {
	const context = contextOf(options);
	return new TlsLink(options, context, await open(options, context));
}

class TlsLink implements Link {
	readonly kind: LinkKind;
	readonly streamsAreCheap = false;
	readonly address: string;
	readonly peerName: string;
	/** Every stream is a connection of its own already. */
	mayMove = false;
	readonly #ended = deferred<OrchestraError>();
	readonly closed: Promise<OrchestraError> = this.#ended.promise;
	readonly #options: DialOptions;
	readonly #context: SecureContext;
	readonly #streams = new Set<TlsStream>();
	/** Connected, and not used by anybody yet. */
	#spare: TlsStream | undefined;
	/** `waiting`: the last attempt failed, the next one is due soon. */
	#spareDial: 'none' | 'running' | 'waiting' = 'none';
	#retryTimer: NodeJS.Timeout | undefined;
	#isClosed = false;

	constructor(options: DialOptions, context: SecureContext, first: Connected) {
		// The signal was for dialing; later connections of the link end with the link.
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
		if (this.kind === 'unix' && this.#spareDial === 'none') void this.#dialSpare();
		return stream;
	}

	async close(): Promise<void> {
		this.#end(new OrchestraError('closed', `the link to ${this.address} was closed here`));
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
	 * A handshake that breaks off may be the end of the peer or a peer that is full: only the next attempts tell.
	 * They go on, with backoff, until there is a spare again or the link is closed: streams that the peer has ended
	 * look the same whether it lives or not.
	 */
	async #dialSpare(retryMs = SPARE_RETRY_FIRST_MS): Promise<void> {
		this.#spareDial = 'running';
		try {
			this.#keepSpare(await open(this.#options, this.#context));
			this.#spareDial = 'none';
		} catch (thrown) {
			this.#spareDial = 'waiting';
			const error = OrchestraError.from(thrown, 'closed');
			if (error.data['isRefused'] === true) this.#end(error);
			else this.#endIfAlone(error);
			if (this.#isClosed) return;
			const nextMs = Math.min(retryMs * 2, SPARE_RETRY_LONGEST_MS);
			this.#retryTimer = setTimeout(() => void this.#dialSpare(nextMs), retryMs);
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
			// Nobody ends a connection that was not used, but the end of the peer's process does.
			if (stream === this.#spare) this.#end(reason);
			else if (this.kind === 'unix' && this.#spareDial !== 'running') this.#endIfAlone(reason);
		});
	}

	/** The last connection to the peer is gone, and so is the peer. */
	#endIfAlone(reason: OrchestraError): void {
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

/** The keys, read once for all connections of a link. No session is resumed: that would hide the peer's certificate. */
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
			options.signal?.removeEventListener('abort', abort);
			socket.removeAllListeners('error');
			done();
		};
		const refuse = (error: OrchestraError): void =>
			settle(() => {
				socket.on('error', () => {}).destroy();
				reject(error);
			});
		const abort = (): void =>
			refuse(new OrchestraError('canceled', `dialing ${options.address} was called off`));
		const timer = setTimeout(() => refuse(slow(options.address, timeoutMs)), timeoutMs);
		options.signal?.addEventListener('abort', abort, { once: true });
		if (options.signal?.aborted) abort();
		socket.once('error', (error) => refuse(unreachable(options.address, error)));
		socket.once('secureConnect', () => {
			try {
				const peerName = examine(socket, options);
				settle(() => resolve({ socket, peerName }));
			} catch (thrown) {
				refuse(OrchestraError.from(thrown));
			}
		});
	});
}

/** The name of a peer that speaks our protocol and is who is expected; else throws. */
function examine(socket: TLSSocket, { address, protocol, peerName }: DialOptions): string {
	if (socket.alpnProtocol === (protocol ?? LINK_PROTOCOL))
		return checkPeerName(address, socket.getPeerX509Certificate(), peerName);
	throw new OrchestraError('closed', `${address} does not speak ${LINK_PROTOCOL}`);
}

function tlsOptions(options: DialOptions, secureContext: SecureContext): ConnectionOptions {
	const { address } = options;
	const place = isUnixAddress(address) ? { path: unixPath(address) } : parseDialAddress(address);
	const name = options.serverName ?? 'localhost';
	// A variable, because the declared type does not know `allowHalfOpen`, which sockets do.
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

function slow(address: string, timeoutMs: number): OrchestraError {
	return new OrchestraError(
		'timeout',
		`the handshake with ${address} was not done after ${timeoutMs / 1000} s`,
	);
}

function unreachable(address: string, error: Error): OrchestraError {
	const isUnix = isUnixAddress(address);
	// The file of a Unix socket may be there though its process is gone, or be gone with it.
	const isRefused = isCode(error, 'ECONNREFUSED') || (isUnix && isCode(error, 'ENOENT'));
	const message = isRefused
		? `nothing listens on ${isUnix ? '' : 'TCP '}${address}`
		: `cannot connect to ${address}: ${messageOf(error)}`;
	// It was there a moment ago, and died in the middle of the handshake.
	const isReset = isCode(error, 'ECONNRESET', 'EPIPE');
	return new OrchestraError('closed', message, {
		cause: error,
		data: { isRefused, isReset },
	});
}
