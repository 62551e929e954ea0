/*
 * One QUIC connection: the driver of the engine, its streams and its keep-alive.
 *
 * All work happens in two places. For each received datagram, every stream with data
 * is read at once, so that replies written by the readers share a datagram with the
 * ACK. Then the socket calls `flush` once for all streams that were written.
 */
import { attempt, messageOf, OrchestraError } from '../../errors.ts';
import { deferred } from '../../rpc/deferred.ts';
import { spinBriefly } from '../../spin.ts';
import type { HostPort } from '../address.ts';
import { formatAddress } from '../address.ts';
import * as limits from '../link-limits.ts';
import { connectionError } from './connection-error.ts';
import type { EngineConnection } from './engine.ts';
import { KeepAlive } from './keep-alive.ts';
import { isLocalPortOpen } from './local-port.ts';
import type { QuicStream } from './quic-stream.ts';
import { StreamTable } from './stream-table.ts';

/** The part of the UDP socket that a connection uses. */
export interface ConnectionHost {
	/** Call `flush` once in this event-loop turn. */
	scheduleFlush(connection: QuicConnection): void;
	/** Call `tick` at the connection's `dueAt`. */
	scheduleTick(connection: QuicConnection): void;
	/** Buffer for the next datagram. */
	readonly buffer: Uint8Array;
	/** Send the first `size` bytes of the buffer to the peer of this connection. */
	transmit(connection: QuicConnection, size: number): void;
	/** The connection is closed. */
	remove(connection: QuicConnection): void;
}

export interface QuicConnectionOptions {
	native: EngineConnection;
	host: ConnectionHost;
	local: HostPort;
	remote: HostPort;
	isServer: boolean;
	frameLimitBytes: number;
	handshakeMs: number;
	peerTimeoutMs: number;
	/** The handshake is complete and the peer is authenticated. */
	onEstablished: (connection: QuicConnection) => void;
	onStream?: (stream: QuicStream, connection: QuicConnection) => void;
}

const SHORT_HEADER_MASK = 0x80;
const READ_AT_ONCE_STREAMS = 4;
const NO_REASON = new Uint8Array(0);

export class QuicConnection {
	readonly native: EngineConnection;
	readonly address: string;
	readonly remote: HostPort;
	readonly #ended = deferred<OrchestraError>();
	readonly closed: Promise<OrchestraError> = this.#ended.promise;
	/** When `tick` must be called next, on the clock of `performance.now()`. */
	dueAt: number;
	isClosed = false;
	isEstablished = false;
	readonly #options: QuicConnectionOptions;
	readonly #path: { from: HostPort; to: HostPort };
	readonly #streams: StreamTable;
	readonly #keepAlive: KeepAlive;
	#handshakeBytes = 0;
	#isReadDue = false;
	#isFlushScheduled = false;
	/** Datagrams received since the last flush, and those that it sent. */
	#receivedCount = 0;
	#sentCount = 0;
	#onDrained: (() => void) | undefined;

	constructor(options: QuicConnectionOptions) {
		this.#options = options;
		this.native = options.native;
		this.remote = options.remote;
		this.address = formatAddress(options.remote);
		this.#path = { from: options.remote, to: options.local };
		this.#streams = new StreamTable({
			native: options.native,
			address: this.address,
			frameLimitBytes: options.frameLimitBytes,
			onStream: options.onStream && ((stream) => this.#accept(stream)),
			scheduleFlush: () => this.scheduleFlush(),
			onDrained: () => this.#onDrained?.(),
		});
		const now = performance.now();
		this.#keepAlive = new KeepAlive(now, options);
		this.dueAt = now;
	}

	openStream(): QuicStream {
		if (this.isClosed) throw new OrchestraError('closed', `the connection to ${this.address} is closed`);
		this.#keepAlive.callStarted(performance.now());
		return this.#streams.open();
	}

	take(data: Uint8Array): void {
		if (this.isClosed || (!this.isEstablished && !this.#checkHandshakeBytes(data.length))) return;
		try {
			this.native.recv(data, this.#path);
			this.#keepAlive.packetReceived(performance.now());
			spinBriefly();
		} catch {
			// The engine rejected the packet; `flush` checks whether that closed the connection.
			this.scheduleFlush();
		}
		const isShort = ((data[0] ?? 0) & SHORT_HEADER_MASK) === 0;
		if (!this.isEstablished) this.#completeHandshake(isShort);
		// With few streams, read at once for low latency; with many, read once per turn.
		if (this.#streams.size > READ_AT_ONCE_STREAMS) this.#isReadDue = true;
		else this.#readStreams();
		this.#receivedCount++;
		if (this.#mayDelayAck()) this.#delayAck();
		else this.scheduleFlush();
	}

	/** Write queued frames, send all datagrams and set the next `dueAt`. */
	flush(): void {
		this.#receivedCount = 0;
		if (this.#isReadDue) this.#readStreams();
		this.#isFlushScheduled = false;
		if (this.isClosed) return;
		try {
			if (this.isEstablished) this.#streams.write();
			this.#transmit();
		} catch (thrown) {
			this.fail(broken(this.address, thrown));
			return;
		}
		if (this.native.isDraining() || this.native.isClosed()) {
			this.#finish(connectionError(this.address, this.native.peerError(), this.native.localError()));
			return;
		}
		const now = performance.now();
		const engineMs = this.native.timeout();
		this.#keepAlive.engineDueAt = engineMs === null ? Number.POSITIVE_INFINITY : now + engineMs;
		this.dueAt = Math.min(this.#keepAlive.dueAt(this.#streams.size > 0), this.#streams.dueAt);
	}

	/** `dueAt` has passed: handle packet loss, probes and timeouts. */
	tick(now: number): void {
		if (this.isClosed) return;
		const state = this.#keepAlive.tick(now, this.#streams.size > 0);
		try {
			if (state.isEngineDue) this.native.onTimeout();
			if (state.isProbeDue) this.native.sendAckEliciting();
		} catch (thrown) {
			this.fail(broken(this.address, thrown));
			return;
		}
		// Only for a server: the connected socket of a client gets ECONNREFUSED.
		if (state.isProbeDue && this.#options.isServer && isLocalPortOpen(this.remote) === false) {
			this.fail(new OrchestraError('closed', `the process at ${this.address} is gone`));
		} else if (state.isTimedOut) this.fail(idleTimeout(this.address, state.idleMs, this.isEstablished));
		else if (this.native.isClosed())
			this.#finish(idleTimeout(this.address, state.idleMs, this.isEstablished));
		else this.scheduleFlush();
	}

	/** Drain open streams for `graceMs` (may be infinite), then close. */
	async close(graceMs: number = limits.CLOSE_GRACE_MS): Promise<void> {
		if (this.isClosed) return;
		if (this.#streams.size > 0 && graceMs > 0 && this.isEstablished) await this.#drain(graceMs);
		this.fail(new OrchestraError('closed', `the connection to ${this.address} was closed by this process`));
	}

	/** Close now: notify the peer and fail every stream with `error`. */
	fail(error: OrchestraError, code: number = limits.CODE_NONE): void {
		if (this.isClosed) return;
		// The engine may be closing already.
		attempt(() => {
			this.native.close(true, code, NO_REASON);
			this.#transmit();
		});
		this.#finish(error);
	}

	scheduleFlush(): void {
		if (this.#isFlushScheduled) return;
		this.#isFlushScheduled = true;
		this.#options.host.scheduleFlush(this);
	}

	/** The engine buffers everything that arrives out of order in a handshake, so an unauthenticated peer has a limit. */
	#checkHandshakeBytes(bytes: number): boolean {
		this.#handshakeBytes += bytes;
		if (this.#handshakeBytes <= limits.HANDSHAKE_LIMIT_BYTES) return true;
		const limit = limits.HANDSHAKE_LIMIT_BYTES;
		this.fail(
			new OrchestraError(
				'closed',
				`${this.address} sent more than ${limit} bytes before its handshake was complete`,
			),
		);
		return false;
	}

	/*
	 * A client completes the handshake before the server has verified its certificate. So a
	 * client counts as established only when the server's next packet arrives without an alert.
	 */
	#completeHandshake(isShort: boolean): void {
		if (!this.native.isEstablished() || this.native.isDraining() || this.native.isClosed()) return;
		if (!this.#options.isServer && !isShort) return;
		const protocol = Buffer.from(this.native.applicationProto()).toString('latin1');
		if (this.native.peerCertChain() === null || protocol === '') {
			this.fail(new OrchestraError('closed', `${this.address} sent no certificate or no ALPN protocol`));
			return;
		}
		this.isEstablished = true;
		this.#keepAlive.established();
		this.#options.onEstablished(this);
	}

	#readStreams(): void {
		this.#isReadDue = false;
		if (this.isEstablished && !this.isClosed) this.#streams.read();
	}

	/*
	 * Delayed ACK: the ACK of a few datagrams waits a moment, because a reply usually follows and shares
	 * its datagram. With more traffic in flight nothing waits, since the peer may need the ACK to continue,
	 * and its datagram may have extended our send window.
	 */
	#mayDelayAck(): boolean {
		const isBusy = this.#receivedCount > limits.ACK_DATAGRAMS || this.#sentCount > 1;
		if (!this.isEstablished || this.#isReadDue || isBusy) return false;
		return !this.#streams.hasWrites && !this.native.isDraining();
	}

	#delayAck(): void {
		this.dueAt = Math.min(this.dueAt, performance.now() + limits.ACK_DELAY_MS);
		this.#options.host.scheduleTick(this);
	}

	#accept(stream: QuicStream): void {
		this.#keepAlive.callStarted(performance.now());
		this.#options.onStream?.(stream, this);
	}

	#transmit(): void {
		const { host } = this.#options;
		for (this.#sentCount = 0; ; this.#sentCount++) {
			const packet = this.native.send(host.buffer);
			if (packet === null) return;
			host.transmit(this, packet[0]);
		}
	}

	#drain(graceMs: number): Promise<void> {
		return new Promise((resolve) => {
			const timer = graceMs < Number.POSITIVE_INFINITY ? setTimeout(resolve, graceMs) : undefined;
			this.#onDrained = () => {
				clearTimeout(timer);
				resolve();
			};
			void this.closed.then(this.#onDrained);
		});
	}

	#finish(error: OrchestraError): void {
		if (this.isClosed) return;
		this.isClosed = true;
		this.dueAt = Number.POSITIVE_INFINITY;
		this.#streams.fail(error);
		this.#options.host.remove(this);
		this.#ended.resolve(error);
	}
}

/** An engine error closes this connection, never the process. */
function broken(address: string, thrown: unknown): OrchestraError {
	return new OrchestraError('closed', `the connection to ${address} broke: ${messageOf(thrown)}`, {
		cause: thrown,
	});
}

function idleTimeout(address: string, idleMs: number, isEstablished: boolean): OrchestraError {
	const seconds = (idleMs / 1000).toFixed(1);
	if (isEstablished) return new OrchestraError('closed', `no packet from ${address} for ${seconds} s`);
	return new OrchestraError('timeout', `the handshake with ${address} timed out after ${seconds} s`, {
		hint: 'Is an Orchestra hub or plugin listening there, and is it QUIC?',
	});
}
