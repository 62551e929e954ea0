/*
 * Frames over one TLS connection: the whole connection is one stream.
 *
 * What is written in one turn is corked and leaves as one record. Half-close is
 * TCP's own; a reset destroys the connection, and the peer sees it break.
 */
import type { TLSSocket } from 'node:tls';
import { messageOf, OrchestraError } from '../../errors.ts';
import { spinBriefly } from '../../spin.ts';
import { FrameReader } from '../../wire/frame.ts';
import type { LinkStream, StreamReceiver } from '../link.ts';
import { Outgoing } from '../outgoing-frames.ts';

export class TlsStream implements LinkStream {
	readonly address: string;
	readonly #reader: FrameReader;
	/** Holds frames until the connection is up; after that the socket has its own buffer. */
	readonly #unsent = new Outgoing();
	#socket: TLSSocket | undefined;
	#receiver: StreamReceiver | undefined;
	#isCorked = false;
	#isEnding = false;
	#isOver = false;
	#isReadDone = false;
	#isPaused = false;
	/** Frames that came before there was a receiver. */
	#early: Uint8Array[] = [];
	#draining: Promise<void> | undefined;
	#onOver: (reason: OrchestraError) => void = () => {};

	constructor(address: string, frameLimitBytes: number) {
		this.address = address;
		this.#reader = new FrameReader(frameLimitBytes);
	}

	/** The connection is up. Frames that waited leave now. */
	attach(socket: TLSSocket, onOver: (reason: OrchestraError) => void): void {
		this.#onOver = onOver;
		if (this.#isOver) {
			socket.on('error', () => {}).destroy();
			onOver(new OrchestraError('canceled', `the connection to ${this.address} was given up`));
			return;
		}
		this.#socket = socket;
		socket.on('data', (chunk: Buffer) => {
			this.#take(chunk);
			spinBriefly();
		});
		socket.on('end', () => this.#readEnd());
		socket.on('error', (error) => this.fail(broken(this.address, error)));
		socket.on('close', () => this.#closed());
		if (this.#isPaused) socket.pause();
		this.#cork();
		for (let head = this.#unsent.head; head; head = this.#unsent.head) {
			socket.write(head);
			this.#unsent.taken(head.length);
		}
		if (this.#isEnding) socket.end();
	}

	receive(receiver: StreamReceiver): void {
		this.#receiver = receiver;
		for (const payload of this.#early.splice(0)) this.#receiver?.frame(payload);
		if (!this.#isPaused) this.#socket?.resume();
	}

	send(payload: Uint8Array): boolean {
		if (this.#isEnding || this.#isOver) {
			throw new OrchestraError('closed', `the connection to ${this.address} takes no more frames`);
		}
		const hasRoom = this.#unsent.add(payload);
		if (!this.#socket) return hasRoom;
		this.#cork();
		let isLight = true;
		for (let head = this.#unsent.head; head; head = this.#unsent.head) {
			isLight = this.#socket.write(head);
			this.#unsent.taken(head.length);
		}
		return isLight;
	}

	async drained(): Promise<void> {
		if (!this.#socket) return this.#unsent.drained();
		if (!this.#socket.writableNeedDrain) return;
		this.#draining ??= this.#untilDrained(this.#socket);
		await this.#draining;
	}

	end(): void {
		if (this.#isEnding || this.#isOver) return;
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
		this.fail(new OrchestraError('canceled', `the connection to ${this.address} was given up`));
	}

	fail(error: OrchestraError): void {
		if (this.#isOver) return;
		this.#isOver = true;
		const receiver = this.#receiver;
		this.#receiver = undefined;
		this.#unsent.clear(error);
		this.#socket?.destroy();
		this.#onOver(error);
		receiver?.fail(error);
	}

	/** One pair of listeners for everybody who waits; a stream that lives for days must not collect them. */
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
			// Receivers get plain bytes from every kind of link, not the richer class of Node.
			const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length);
			for (const payload of this.#reader.push(bytes)) this.#deliver(payload);
		} catch (thrown) {
			this.fail(OrchestraError.from(thrown, 'bad_frame'));
		}
	}

	/** A spare connection has no receiver yet; a peer that sends on it all the same has to wait. */
	#deliver(payload: Uint8Array): void {
		if (this.#receiver) this.#receiver.frame(payload);
		else if (!this.#isOver) {
			this.#early.push(payload);
			this.#socket?.pause();
		}
	}

	#readEnd(): void {
		if (this.#isOver) return;
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

	#closed(): void {
		if (this.#isOver) return;
		if (!this.#isReadDone) {
			this.fail(
				new OrchestraError('closed', `the connection to ${this.address} broke`, { hint: REFUSED_HINT }),
			);
			return;
		}
		this.#isOver = true;
		this.#onOver(new OrchestraError('closed', `the connection to ${this.address} is closed`));
	}
}

const REFUSED_HINT =
	'A server that refuses a certificate ends the connection like this; both ends must use the same folder.';

function broken(address: string, error: Error): OrchestraError {
	return new OrchestraError('closed', `the connection to ${address} broke: ${messageOf(error)}`, {
		cause: error,
		hint: REFUSED_HINT,
	});
}
