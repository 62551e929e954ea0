/*
 * The same link over TLS 1.3 and TCP.
 *
 * Each stream is a connection of its own. The first is made when dialing, so that
 * a wrong address or certificate shows at once, and is handed to the first stream.
 */
import { isIP } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { messageOf, OrchestraError } from '../errors.ts';
import { FRAME_LIMIT_BYTES } from '../wire/limits.ts';
import { parseDialAddress } from './address.ts';
import { HANDSHAKE_MS, KEEP_ALIVE_MS, LINK_PROTOCOL } from './limits.ts';
import type { DialOptions, Link, LinkStream } from './link.ts';
import { TlsStream } from './tls-stream.ts';

/** Connect over TLS. Rejects when nobody listens, or the peer is not of our authority. */
export async function dialTls(options: DialOptions): Promise<Link> {
	const first = await open(options);
	return new TlsLink(options, first);
}

class TlsLink implements Link {
	readonly kind = 'tls';
	readonly streamsAreCheap = false;
	readonly address: string;
	/** Every stream is a connection of its own already. */
	mayMove = false;
	readonly closed: Promise<OrchestraError>;
	readonly #options: DialOptions;
	readonly #streams = new Set<TlsStream>();
	#spare: TLSSocket | undefined;
	#isClosed = false;
	#resolveClosed: (reason: OrchestraError) => void = () => {};

	constructor(options: DialOptions, first: TLSSocket) {
		this.#options = options;
		this.address = options.address;
		this.closed = new Promise((resolve) => {
			this.#resolveClosed = resolve;
		});
		this.#keepSpare(first);
	}

	openStream(): LinkStream {
		if (this.#isClosed) throw new OrchestraError('closed', `the link to ${this.address} is closed`);
		const stream = new TlsStream(this.address, this.#options.frameLimitBytes ?? FRAME_LIMIT_BYTES);
		this.#streams.add(stream);
		const spare = this.#spare;
		if (spare) {
			this.#spare = undefined;
			spare.removeAllListeners('error').removeAllListeners('close');
			this.#attach(stream, spare);
		} else {
			void this.#dialFor(stream);
		}
		return stream;
	}

	async close(): Promise<void> {
		this.#end(new OrchestraError('closed', `the link to ${this.address} was closed here`));
	}

	async #dialFor(stream: TlsStream): Promise<void> {
		try {
			this.#attach(stream, await open(this.#options));
		} catch (thrown) {
			const error = OrchestraError.from(thrown, 'closed');
			stream.fail(error);
			this.#end(error);
		}
	}

	#attach(stream: TlsStream, socket: TLSSocket): void {
		stream.attach(socket, () => this.#streams.delete(stream));
	}

	#keepSpare(socket: TLSSocket): void {
		this.#spare = socket;
		const gone = (error?: Error): void =>
			this.#end(
				new OrchestraError(
					'closed',
					`${this.address} ended the connection${error ? `: ${messageOf(error)}` : ''}`,
					{
						hint: 'A server that refuses a certificate ends the connection like this; both ends must use the same folder.',
					},
				),
			);
		socket.once('error', gone);
		socket.once('close', () => gone());
	}

	#end(reason: OrchestraError): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		for (const stream of this.#streams) stream.fail(reason);
		this.#spare?.removeAllListeners('error').on('error', () => {});
		this.#spare?.destroy();
		this.#resolveClosed(reason);
	}
}

function open(options: DialOptions): Promise<TLSSocket> {
	const socket = connect(tlsOptions(options));
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
			if (socket.alpnProtocol !== (options.protocol ?? LINK_PROTOCOL)) {
				refuse(new OrchestraError('closed', `${options.address} does not speak ${LINK_PROTOCOL}`));
			} else settle(() => resolve(socket));
		});
	});
}

function tlsOptions(options: DialOptions): ConnectionOptions {
	const { host, port } = parseDialAddress(options.address);
	const { identity } = options;
	const name = options.serverName ?? 'localhost';
	// A variable, because the declared type does not know `allowHalfOpen`, which sockets do.
	const settings = {
		host,
		port,
		ca: identity.ca,
		...(identity.certificate === '' ? {} : { cert: identity.certificate, key: identity.key }),
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
	const isRefused = 'code' in error && error.code === 'ECONNREFUSED';
	const message = isRefused
		? `nothing listens on TCP ${address}`
		: `cannot connect to ${address}: ${messageOf(error)}`;
	return new OrchestraError('closed', message, { cause: error, data: { isRefused } });
}
