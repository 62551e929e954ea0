/*
 * Frames over one TLS connection: the whole connection is one stream.
 *
 * Writes of one event-loop turn are corked into one TLS record. Half-close is that
 * of TCP; a reset destroys the connection, and the peer gets a broken connection.
 */
import type { TLSSocket } from 'node:tls';
import { messageOf, OrchestraError } from '../../errors.ts';
import { spinBriefly } from '../../spin.ts';
import { FrameReader } from '../../wire/frame.ts';
import type { LinkStream, StreamReceiver } from '../link.ts';
import { SendQueue } from '../send-queue.ts';

export class TlsStream implements LinkStream {
	readonly address: string;
	readonly #reader: FrameReader;
	/** Queues frames until the connection is established; then the socket buffers them. */
	readonly #sendQueue = new SendQueue();
	#socket: TLSSocket | undefined;
	#receiver: StreamReceiver | undefined;
	#isCorked = false;
	#isEnding = false;
	#isClosed = false;
	#isReadDone = false;
	#isPaused = false;
	/** Frames that arrived before `receive` was called. */
	#earlyFrames: Uint8Array[] = [];
	#draining: Promise<void> | undefined;
	#onClosed: (reason: OrchestraError) => void = () => {};

	constructor(address: string, frameLimitBytes: number) {
		this.address = address;
		this.#reader = new FrameReader(frameLimitBytes);
	}

	/** The connection is established: write the queued frames. */
	attach(socket: TLSSocket, onClosed: (reason: OrchestraError) => void): void {
		this.#onClosed = onClosed;
		if (this.#isClosed) {
			socket.on('error', () => {}).destroy();
			onClosed(new OrchestraError('canceled', `the connection to ${this.address} was reset by this process`));
			return;
		}
		this.#socket = socket;
		socket.on('data', (chunk: Buffer) => {
			this.#take(chunk);
			spinBriefly();
		});
		socket.on('end', () => this.#onSocketEnd());
		socket.on('error', (error) => this.fail(broken(this.address, error)));
		socket.on('close', () => this.#onSocketClose());
		if (this.#isPaused) socket.pause();
		this.#cork();
		for (let head = this.#sendQueue.head; head; head = this.#sendQueue.head) {
			socket.write(head);
			this.#sendQueue.sent(head.length);
		}
		if (this.#isEnding) socket.end();
	}

	receive(receiver: StreamReceiver): void {
		this.#receiver = receiver;
		for (const payload of this.#earlyFrames.splice(0)) this.#receiver?.frame(payload);
		if (!this.#isPaused) this.#socket?.resume();
	}

	send(payload: Uint8Array): boolean {
		if (this.#isEnding || this.#isClosed) {
			throw new OrchestraError('closed', `the connection to ${this.address} takes no more frames`);
		}
		const hasRoom = this.#sendQueue.add(payload);
		if (!this.#socket) return hasRoom;
		this.#cork();
		let isBelowHighWater = true;
		for (let head = this.#sendQueue.head; head; head = this.#sendQueue.head) {
			isBelowHighWater = this.#socket.write(head);
			this.#sendQueue.sent(head.length);
		}
		return isBelowHighWater;
	}

	async drained(): Promise<void> {
		if (!this.#socket) return this.#sendQueue.drained();
		if (!this.#socket.writableNeedDrain) return;
		this.#draining ??= this.#untilDrained(this.#socket);
		await this.#draining;
	}

	end(): void {
		if (this.#isEnding || this.#isClosed) return;
		this.#isEnding = true;
		this.#socket?.end();
	}

	pause(): void {
		this.#isPaused = true;
		this.#socket?.pause();
	}

	resume(): void {
		this.#isPaused = false;
		this.#socket?.resume();
	}

	reset(): void {
		this.#receiver = undefined;
		this.fail(new OrchestraError('canceled', `the connection to ${this.address} was reset by this process`));
	}

	fail(error: OrchestraError): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		const receiver = this.#receiver;
		this.#receiver = undefined;
		this.#sendQueue.clear(error);
		this.#socket?.destroy();
		this.#onClosed(error);
		receiver?.fail(error);
	}

	/** One pair of listeners for all that wait; a stream that lives for days must not collect them. */
	#untilDrained(socket: TLSSocket): Promise<void> {
		return new Promise((resolve, reject) => {
			const settle = (done: () => void): void => {
				socket.off('drain', onDrain);
				socket.off('close', onClose);
				this.#draining = undefined;
				done();
			};
			const onDrain = (): void => settle(resolve);
			const onClose = (): void =>
				settle(() => reject(new OrchestraError('closed', `the connection to ${this.address} is closed`)));
			socket.on('drain', onDrain);
			socket.on('close', onClose);
		});
	}

	#cork(): void {
		if (this.#isCorked || !this.#socket) return;
		const socket = this.#socket;
		this.#isCorked = true;
		socket.cork();
		setImmediate(() => {
			this.#isCorked = false;
			socket.uncork();
		});
	}

	#take(chunk: Buffer): void {
		try {
			// Receivers get a plain Uint8Array from every kind of link, not a Buffer.
			const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length);
			for (const payload of this.#reader.push(bytes)) this.#deliver(payload);
		} catch (thrown) {
			this.fail(OrchestraError.from(thrown, 'bad_frame'));
		}
	}

	/** A spare connection has no receiver yet; a peer that sends on it is paused. */
	#deliver(payload: Uint8Array): void {
		if (this.#receiver) this.#receiver.frame(payload);
		else if (!this.#isClosed) {
			this.#earlyFrames.push(payload);
			this.#socket?.pause();
		}
	}

	#onSocketEnd(): void {
		if (this.#isClosed) return;
		if (!this.#receiver) {
			this.fail(new OrchestraError('closed', `${this.address} ended the connection`, { hint: REFUSED_HINT }));
			return;
		}
		this.#isReadDone = true;
		try {
			this.#reader.end();
		} catch (thrown) {
			this.fail(OrchestraError.from(thrown, 'bad_frame'));
			return;
		}
		this.#receiver?.end();
	}

	#onSocketClose(): void {
		if (this.#isClosed) return;
		if (!this.#isReadDone) {
			this.fail(
				new OrchestraError('closed', `the connection to ${this.address} broke`, { hint: REFUSED_HINT }),
			);
			return;
		}
		this.#isClosed = true;
		this.#onClosed(new OrchestraError('closed', `the connection to ${this.address} is closed`));
	}
}

const REFUSED_HINT =
	'A server that rejects the certificate closes the connection like this; both ends must use the same certificate folder.';

function broken(address: string, error: Error): OrchestraError {
	return new OrchestraError('closed', `the connection to ${address} broke: ${messageOf(error)}`, {
		cause: error,
		hint: REFUSED_HINT,
	});
}
