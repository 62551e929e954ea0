/*
 * One QUIC connection: feeds the engine, serves its streams, watches its peer.
 *
 * All work happens in two places. A datagram comes in: the engine takes it, and
 * every stream with data is read at once, so that answers written by the readers
 * leave with the acknowledgement. At the end of the turn the socket calls `flush`
 * once, however many streams were written.
 */
import { OrchestraError } from '../errors.ts';
import type { HostPort } from './address.ts';
import { formatAddress } from './address.ts';
import type { EngineConnection } from './engine.ts';
import * as limits from './limits.ts';
import { PeerWatch } from './peer-watch.ts';
import { QuicStream, type StreamHost } from './quic-stream.ts';
import { endOfConnection } from './refusal.ts';

/** What a connection needs of the UDP socket that it lives on. */
export interface ConnectionHost {
	/** Call `flush` at the end of this turn. */
	wake(connection: QuicConnection): void;
	/** Where the engine puts the next datagram. */
	readonly buffer: Uint8Array;
	/** Send the first `size` bytes of the buffer to the peer of this connection. */
	transmit(connection: QuicConnection, size: number): void;
	/** The connection is over. */
	remove(connection: QuicConnection): void;
}

export interface ConnectionOptions {
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
const FEW_STREAMS = 128;
const NO_REASON = new Uint8Array(0);

export class QuicConnection implements StreamHost {
	readonly native: EngineConnection;
	readonly address: string;
	readonly remote: HostPort;
	readonly closed: Promise<OrchestraError>;
	/** When `tick` must be called next, on the clock of `performance.now()`. */
	dueAt: number;
	isClosed = false;
	isEstablished = false;
	readonly #options: ConnectionOptions;
	readonly #path: { from: HostPort; to: HostPort };
	readonly #streams = new Map<number, QuicStream>();
	readonly #writing = new Set<QuicStream>();
	/** Ours that have sent nothing yet, and ours that wait for the peer to allow one more. */
	readonly #fresh = new Set<QuicStream>();
	readonly #waiting: QuicStream[] = [];
	readonly #watch: PeerWatch;
	/** The number of the next stream that the client opens. */
	#nextId = 0;
	#heldBytes = 0;
	#isReadDue = false;
	#hasSecrets = false;
	#stoppedCheckAt = 0;
	#isStoppedCheckDue = false;
	#resolveClosed: (reason: OrchestraError) => void = () => {};
	#onQuiet: (() => void) | undefined;

	constructor(options: ConnectionOptions) {
		this.#options = options;
		this.native = options.native;
		this.remote = options.remote;
		this.address = formatAddress(options.remote);
		this.#path = { from: options.remote, to: options.local };
		this.closed = new Promise((resolve) => {
			this.#resolveClosed = resolve;
		});
		const now = performance.now();
		this.#watch = new PeerWatch(now, options);
		this.dueAt = now;
	}

	/** How many streams are open or wait their turn. */
	get openStreams(): number {
		return this.#streams.size + this.#waiting.length + this.#fresh.size;
	}

	openStream(): QuicStream {
		if (this.isClosed) throw new OrchestraError('closed', `the connection to ${this.address} is closed`);
		if (this.#waiting.length >= limits.MAX_WAITING_STREAMS) {
			throw new OrchestraError(
				'io',
				`${this.#waiting.length} streams to ${this.address} wait their turn already`,
				{
					hint: 'Send fewer calls at once.',
				},
			);
		}
		const stream = new QuicStream(this, -1, this.#options.frameLimitBytes);
		this.#fresh.add(stream);
		this.#watch.busy(performance.now());
		return stream;
	}

	/** A datagram of this connection came in. */
	take(data: Uint8Array): void {
		if (this.isClosed) return;
		try {
			this.native.recv(data, this.#path);
			this.#watch.heard(performance.now());
		} catch {
			// A packet that the engine refuses; if that ends the connection, the engine says so below.
		}
		const isShort = ((data[0] ?? 0) & SHORT_HEADER_MASK) === 0;
		if (!this.isEstablished) this.#shakeHands(isShort);
		// With few streams each datagram is likely an answer somebody waits for; with many, one look a turn is enough.
		if (this.#streams.size > LOOK_AT_ONCE) this.#isReadDue = true;
		else this.#readStreams();
		if (this.#options.isServer && this.#streams.size > 0) this.#isStoppedCheckDue = true;
		this.#options.host.wake(this);
	}

	/** Write what waits, send all datagrams, and note when to come again. */
	flush(): void {
		if (this.#isReadDue) this.#readStreams();
		if (this.isClosed) return;
		if (this.isEstablished) this.#writeStreams();
		this.#transmit();
		if (this.native.isDraining() || this.native.isClosed()) {
			this.#over(endOfConnection(this.address, this.native.peerError(), this.native.localError()));
			return;
		}
		const now = performance.now();
		const engineMs = this.native.timeout();
		this.#watch.engineDueAt = engineMs === null ? Number.POSITIVE_INFINITY : now + engineMs;
		const stoppedCheckAt = this.#isStoppedCheckDue ? this.#stoppedCheckAt : Number.POSITIVE_INFINITY;
		this.dueAt = Math.min(this.#watch.dueAt(this.openStreams > 0), stoppedCheckAt);
	}

	/** Its time has come: a lost packet, a probe, or the end of patience. */
	tick(now: number): void {
		if (this.isClosed) return;
		const verdict = this.#watch.tick(now, this.openStreams > 0);
		if (verdict.isEngineDue) this.native.onTimeout();
		if (verdict.isProbeDue) this.native.sendAckEliciting();
		if (verdict.isSilent) this.fail(silence(this.address, verdict.silentMs, this.isEstablished));
		else if (this.native.isClosed()) this.#over(silence(this.address, verdict.silentMs, this.isEstablished));
		else this.#options.host.wake(this);
	}

	/** Let open streams finish for a moment, then tell the peer and close. */
	async close(graceMs: number = limits.CLOSE_GRACE_MS): Promise<void> {
		if (this.isClosed) return;
		if (this.openStreams > 0 && graceMs > 0 && this.isEstablished) await this.#quiet(graceMs);
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

	wake(stream?: QuicStream): void {
		if (stream && stream.id !== -1) this.#writing.add(stream);
		else if (stream && this.#fresh.delete(stream)) this.#waiting.push(stream);
		this.#options.host.wake(this);
	}

	forget(stream: QuicStream): void {
		this.#writing.delete(stream);
		if (stream.id !== -1) this.#streams.delete(stream.id);
		else if (!this.#fresh.delete(stream)) removeFrom(this.#waiting, stream);
		if (this.openStreams === 0) this.#onQuiet?.();
	}

	hold(bytes: number): boolean {
		this.#heldBytes += bytes;
		return this.#heldBytes <= limits.MAX_HELD_BYTES;
	}

	/*
	 * A client is done with the handshake before the server has seen its certificate. So a
	 * client counts as established when the server's next packet came and was no refusal.
	 */
	#shakeHands(isShort: boolean): void {
		if (!this.native.isEstablished() || this.native.isDraining() || this.native.isClosed()) return;
		if (!this.#options.isServer && !this.#hasSecrets) {
			this.#hasSecrets = true;
			if (!isShort) return;
		}
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

	/*
	 * Asking for each stream that is open is many times cheaper than the engine's own list, whose
	 * iterator is dear to make. The list is for the rare rest: streams that came out of order.
	 */
	#readStreams(): void {
		const { native } = this;
		this.#isReadDue = false;
		if (!this.isEstablished || !native.isReadable()) return;
		if (this.#streams.size <= FEW_STREAMS) {
			for (const [id, stream] of this.#streams) if (native.streamReadable(id)) stream.read();
			while (this.#options.onStream && !this.isClosed && native.streamReadable(this.#nextId))
				this.#accept(this.#nextId)?.read();
			if (this.isClosed || !native.isReadable()) return;
		}
		for (const id of native.readable()) {
			const stream = this.#streams.get(id) ?? this.#accept(id);
			stream?.read();
			if (this.isClosed) return;
		}
	}

	#accept(id: number): QuicStream | undefined {
		if (!this.#options.onStream || this.native.streamFinished(id)) return undefined;
		const stream = new QuicStream(this, id, this.#options.frameLimitBytes);
		this.#streams.set(id, stream);
		this.#nextId = Math.max(this.#nextId, id + 4);
		this.#watch.busy(performance.now());
		this.#options.onStream(stream, this);
		return stream;
	}

	#writeStreams(): void {
		if (this.#waiting.length > 0) this.#admit();
		for (const stream of this.#writing) {
			if (stream.write()) this.#writing.delete(stream);
		}
		if (this.#options.isServer) this.#checkStopped();
	}

	/** Give numbers to streams that wait, as far as the peer allows. */
	#admit(): void {
		const count = Math.min(this.#waiting.length, this.native.peerStreamsLeftBidi());
		for (const stream of this.#waiting.splice(0, count)) {
			stream.id = this.#nextId;
			this.#nextId += 4;
			this.#streams.set(stream.id, stream);
			// Written now: the number counts only once something was sent under it.
			if (!stream.write()) this.#writing.add(stream);
		}
	}

	/** The engine does not tell that a peer stopped listening; it must be asked, so not too often. */
	#checkStopped(): void {
		const now = performance.now();
		if (!this.#isStoppedCheckDue || now < this.#stoppedCheckAt) return;
		this.#isStoppedCheckDue = false;
		this.#stoppedCheckAt = now + limits.STOPPED_CHECK_MS;
		for (const stream of this.#streams.values()) if (stream.isAnswerDue) stream.checkStopped();
	}

	#transmit(): void {
		const { host } = this.#options;
		for (;;) {
			const packet = this.native.send(host.buffer);
			if (packet === null) return;
			host.transmit(this, packet[0]);
		}
	}

	#quiet(graceMs: number): Promise<void> {
		return new Promise((resolve) => {
			const timer = setTimeout(resolve, graceMs);
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
		for (const stream of [...this.#streams.values(), ...this.#waiting, ...this.#fresh]) stream.fail(error);
		this.#options.host.remove(this);
		this.#resolveClosed(error);
	}
}

function removeFrom<T>(list: T[], item: T): void {
	const at = list.indexOf(item);
	if (at !== -1) list.splice(at, 1);
}

function silence(address: string, silentMs: number, isEstablished: boolean): OrchestraError {
	const seconds = (silentMs / 1000).toFixed(1);
	if (isEstablished) return new OrchestraError('closed', `nothing came from ${address} for ${seconds} s`);
	return new OrchestraError('timeout', `the handshake with ${address} was not done after ${seconds} s`, {
		hint: 'Is an Orchestra hub or plugin listening there, and is it QUIC?',
	});
}
