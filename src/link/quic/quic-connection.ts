/*
 * One QUIC connection: feeds the engine, serves its streams, watches its peer.
 *
 * All work happens in two places. A datagram comes in: the engine takes it, and
 * every stream with data is read at once, so that answers written by the readers
 * leave with the acknowledgement. Then the socket calls `flush` once, however many
 * streams were written.
 */

import { messageOf, OrchestraError } from '../../errors.ts';
import { deferred } from '../../rpc/deferred.ts';
import { spinBriefly } from '../../spin.ts';
import type { HostPort } from '../address.ts';
import { formatAddress } from '../address.ts';
import * as limits from '../link-limits.ts';
import type { EngineConnection } from './engine.ts';
import { isLocalPortOpen } from './local-port.ts';
import { PeerWatch } from './peer-watch.ts';
import type { QuicStream } from './quic-stream.ts';
import { endOfConnection } from './refusal.ts';
import { StreamTable } from './stream-table.ts';

/** What a connection needs of the UDP socket that it lives on. */
export interface ConnectionHost {
	/** Call `flush` once, in this turn. */
	wake(connection: QuicConnection): void;
	/** Call `tick` when the connection's `dueAt` has come. */
	wakeLater(connection: QuicConnection): void;
	/** Where the engine puts the next datagram. */
	readonly buffer: Uint8Array;
	/** Send the first `size` bytes of the buffer to the peer of this connection. */
	transmit(connection: QuicConnection, size: number): void;
	/** The connection is over. */
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
	silenceMs: number;
	/** The peer is who it must be. */
	onEstablished: (connection: QuicConnection) => void;
	onStream?: (stream: QuicStream, connection: QuicConnection) => void;
}

const SHORT_HEADER_MASK = 0x80;
const LOOK_AT_ONCE = 4;
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
	readonly #watch: PeerWatch;
	#handshakeBytes = 0;
	#isReadDue = false;
	#isWoken = false;
	/** Datagrams that came since the last flush, and those that it sent. */
	#taken = 0;
	#sent = 0;
	#onQuiet: (() => void) | undefined;

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
			onWake: () => this.wake(),
			onQuiet: () => this.#onQuiet?.(),
		});
		const now = performance.now();
		this.#watch = new PeerWatch(now, options);
		this.dueAt = now;
	}

	openStream(): QuicStream {
		if (this.isClosed) throw new OrchestraError('closed', `the connection to ${this.address} is closed`);
		this.#watch.busy(performance.now());
		return this.#streams.open();
	}

	/** A datagram of this connection came in. */
	take(data: Uint8Array): void {
		if (this.isClosed || (!this.isEstablished && !this.#mayStillGrow(data.length))) return;
		try {
			this.native.recv(data, this.#path);
			this.#watch.heard(performance.now());
			spinBriefly();
		} catch {
			// A packet that the engine refuses; if that ends the connection, the flush finds out.
			this.wake();
		}
		const isShort = ((data[0] ?? 0) & SHORT_HEADER_MASK) === 0;
		if (!this.isEstablished) this.#shakeHands(isShort);
		// With few streams each datagram is likely an answer somebody waits for; with many, one look a turn is enough.
		if (this.#streams.size > LOOK_AT_ONCE) this.#isReadDue = true;
		else this.#readStreams();
		this.#taken++;
		if (this.#mayWait()) this.#wakeLater();
		else this.wake();
	}

	/** Write what waits, send all datagrams, and note when to come again. */
	flush(): void {
		this.#taken = 0;
		if (this.#isReadDue) this.#readStreams();
		this.#isWoken = false;
		if (this.isClosed) return;
		try {
			if (this.isEstablished) this.#streams.write();
			this.#transmit();
		} catch (thrown) {
			this.fail(broken(this.address, thrown));
			return;
		}
		if (this.native.isDraining() || this.native.isClosed()) {
			this.#over(endOfConnection(this.address, this.native.peerError(), this.native.localError()));
			return;
		}
		const now = performance.now();
		const engineMs = this.native.timeout();
		this.#watch.engineDueAt = engineMs === null ? Number.POSITIVE_INFINITY : now + engineMs;
		this.dueAt = Math.min(this.#watch.dueAt(this.#streams.size > 0), this.#streams.dueAt);
	}

	/** Its time has come: a lost packet, a probe, or the end of patience. */
	tick(now: number): void {
		if (this.isClosed) return;
		const verdict = this.#watch.tick(now, this.#streams.size > 0);
		try {
			if (verdict.isEngineDue) this.native.onTimeout();
			if (verdict.isProbeDue) this.native.sendAckEliciting();
		} catch (thrown) {
			this.fail(broken(this.address, thrown));
			return;
		}
		// A client needs no such question: its socket is connected, and the system tells it.
		if (verdict.isProbeDue && this.#options.isServer && isLocalPortOpen(this.remote) === false) {
			this.fail(new OrchestraError('closed', `the process at ${this.address} is gone`));
		} else if (verdict.isSilent) this.fail(silence(this.address, verdict.silentMs, this.isEstablished));
		else if (this.native.isClosed()) this.#over(silence(this.address, verdict.silentMs, this.isEstablished));
		else this.wake();
	}

	/** Let open streams finish, for a moment or however long they take, then tell the peer and close. */
	async close(graceMs: number = limits.CLOSE_GRACE_MS): Promise<void> {
		if (this.isClosed) return;
		if (this.#streams.size > 0 && graceMs > 0 && this.isEstablished) await this.#quiet(graceMs);
		this.fail(new OrchestraError('closed', `the connection to ${this.address} was closed here`));
	}

	/** End now: the peer is told, every stream fails with `error`. */
	fail(error: OrchestraError, code: number = limits.CODE_NONE): void {
		if (this.isClosed) return;
		try {
			this.native.close(true, code, NO_REASON);
			this.#transmit();
		} catch {
			// It was closing already.
		}
		this.#over(error);
	}

	/** Flush in this turn. */
	wake(): void {
		if (this.#isWoken) return;
		this.#isWoken = true;
		this.#options.host.wake(this);
	}

	/** The engine keeps all that comes out of order in a handshake, so a peer that is not proved yet may send only so much. */
	#mayStillGrow(bytes: number): boolean {
		this.#handshakeBytes += bytes;
		if (this.#handshakeBytes <= limits.HANDSHAKE_LIMIT_BYTES) return true;
		const limit = limits.HANDSHAKE_LIMIT_BYTES;
		this.fail(
			new OrchestraError(
				'closed',
				`${this.address} sent more than ${limit} bytes before its handshake was done`,
			),
		);
		return false;
	}

	/*
	 * A client is done with the handshake before the server has seen its certificate. So a
	 * client counts as established when the server's next packet came and was no refusal.
	 */
	#shakeHands(isShort: boolean): void {
		if (!this.native.isEstablished() || this.native.isDraining() || this.native.isClosed()) return;
		if (!this.#options.isServer && !isShort) return;
		const protocol = Buffer.from(this.native.applicationProto()).toString('latin1');
		if (this.native.peerCertChain() === null || protocol === '') {
			this.fail(new OrchestraError('closed', `${this.address} showed no certificate or no protocol`));
			return;
		}
		this.isEstablished = true;
		this.#watch.established();
		this.#options.onEstablished(this);
	}

	#readStreams(): void {
		this.#isReadDue = false;
		if (this.isEstablished && !this.isClosed) this.#streams.read();
	}

	/*
	 * A single datagram that asks for nothing but an acknowledgement can wait a moment: most often there
	 * will be something to say, and one datagram carries both. Where much is under way nothing waits,
	 * since the peer may need the acknowledgement to go on, and we may have been allowed to.
	 */
	#mayWait(): boolean {
		if (!this.isEstablished || this.#isReadDue || this.#taken > 1 || this.#sent > 1) return false;
		return !this.#streams.hasWrites && !this.native.isDraining();
	}

	#wakeLater(): void {
		this.dueAt = Math.min(this.dueAt, performance.now() + limits.ACK_DELAY_MS);
		this.#options.host.wakeLater(this);
	}

	#accept(stream: QuicStream): void {
		this.#watch.busy(performance.now());
		this.#options.onStream?.(stream, this);
	}

	#transmit(): void {
		const { host } = this.#options;
		for (this.#sent = 0; ; this.#sent++) {
			const packet = this.native.send(host.buffer);
			if (packet === null) return;
			host.transmit(this, packet[0]);
		}
	}

	#quiet(graceMs: number): Promise<void> {
		return new Promise((resolve) => {
			const timer = graceMs < Number.POSITIVE_INFINITY ? setTimeout(resolve, graceMs) : undefined;
			this.#onQuiet = () => {
				clearTimeout(timer);
				resolve();
			};
			void this.closed.then(this.#onQuiet);
		});
	}

	#over(error: OrchestraError): void {
		if (this.isClosed) return;
		this.isClosed = true;
		this.dueAt = Number.POSITIVE_INFINITY;
		this.#streams.fail(error);
		this.#options.host.remove(this);
		this.#ended.resolve(error);
	}
}

/** The engine refused to go on: that ends this connection, never the process. */
function broken(address: string, thrown: unknown): OrchestraError {
	return new OrchestraError('closed', `the connection to ${address} broke: ${messageOf(thrown)}`, {
		cause: thrown,
	});
}

function silence(address: string, silentMs: number, isEstablished: boolean): OrchestraError {
	const seconds = (silentMs / 1000).toFixed(1);
	if (isEstablished) return new OrchestraError('closed', `nothing came from ${address} for ${seconds} s`);
	return new OrchestraError('timeout', `the handshake with ${address} was not done after ${seconds} s`, {
		hint: 'Is an Orchestra hub or plugin listening there, and is it QUIC?',
	});
}
