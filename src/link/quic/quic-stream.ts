/*
 * One bidirectional QUIC stream that carries frames.
 *
 * Nothing here waits: frames are queued and the connection is woken; it calls
 * `write` and `read` when the engine has room or data. A stream of ours gets its
 * number only when the peer allows one more, so opening never fails for that.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import { FrameReader } from '../../wire/frame.ts';
import type { LinkStream, StreamReceiver } from '../link.ts';
import { CODE_BAD_FRAME, CODE_CANCELED, CODE_NONE, CODE_TOO_MUCH } from '../link-limits.ts';
import { Outgoing } from '../outgoing-frames.ts';
import { type EngineConnection, SHUTDOWN_READ, SHUTDOWN_WRITE } from './engine.ts';

/** What a stream needs of its connection. */
export interface StreamHost {
	readonly native: EngineConnection;
	readonly address: string;
	/** This stream has something to write, or a shutdown to send. */
	wake(stream?: QuicStream): void;
	/** Both directions are done. */
	forget(stream: QuicStream): void;
	/** Account for bytes of unfinished frames; false when the connection holds too many. */
	hold(bytes: number): boolean;
}

const NO_BYTES = new Uint8Array(0);
// One read at a time in the whole process, and what is read is copied out at once.
const scratch = new Uint8Array(64 * 1024);

export class QuicStream implements LinkStream {
	/** The number on the wire; -1 while the stream waits its turn. */
	id: number;
	/** Kept by the table: it is among those that have something to write. */
	isListed = false;
	readonly #host: StreamHost;
	readonly #reader: FrameReader;
	readonly #out = new Outgoing();
	#receiver: StreamReceiver | undefined;
	#heldBytes = 0;
	#isPaused = false;
	#isReading = false;
	#isEnding = false;
	#isWriteDone = false;
	#isReadDone = false;

	constructor(host: StreamHost, id: number, frameLimitBytes: number) {
		this.#host = host;
		this.id = id;
		this.#reader = new FrameReader(frameLimitBytes);
	}

	/** True when the peer said all it has to say, and we did not yet. */
	get isAnswerDue(): boolean {
		return this.#isReadDone && !this.#isWriteDone;
	}

	receive(receiver: StreamReceiver): void {
		this.#receiver = receiver;
	}

	send(payload: Uint8Array): boolean {
		if (this.#isEnding || this.#isWriteDone) {
			throw new OrchestraError('closed', `the stream to ${this.#host.address} takes no more frames`);
		}
		const hasRoom = this.#out.add(payload);
		this.#host.wake(this);
		return hasRoom;
	}

	drained(): Promise<void> {
		return this.#out.drained();
	}

	end(): void {
		if (this.#isEnding || this.#isWriteDone) return;
		this.#isEnding = true;
		this.#host.wake(this);
	}

	pause(): void {
		this.#isPaused = true;
	}

	resume(): void {
		if (!this.#isPaused) return;
		this.#isPaused = false;
		if (this.id !== -1 && !this.#isReadDone) this.read();
		this.#host.wake();
	}

	reset(code: number = CODE_CANCELED): void {
		if (this.#isReadDone && this.#isWriteDone) return;
		this.#receiver = undefined;
		this.#giveUp(code, new OrchestraError('canceled', `the stream to ${this.#host.address} was given up`));
	}

	/** Hand as much as possible to the engine. True when nothing is left to write for now. */
	write(): boolean {
		try {
			return this.#write();
		} catch (thrown) {
			this.#engineThrew(thrown);
			return true;
		}
	}

	/** Take in all that the engine has. A receiver that pauses and resumes meanwhile does not start a second read. */
	read(): void {
		if (this.#isReading) return;
		this.#isReading = true;
		try {
			this.#readAll();
		} finally {
			this.#isReading = false;
		}
	}

	#readAll(): void {
		while (!this.#isPaused && !this.#isReadDone) {
			let got: [number, boolean] | null;
			try {
				got = this.#host.native.streamRecv(this.id, scratch);
			} catch (thrown) {
				this.#engineThrew(thrown);
				return;
			}
			if (got === null) return;
			this.#deliver(got[0], got[1]);
			if (got[0] < scratch.length) return; // that was all there is
		}
	}

	/** Notice a peer that no longer wants our answer. */
	checkStopped(): void {
		try {
			this.#host.native.streamCapacity(this.id);
		} catch (thrown) {
			this.#engineThrew(thrown);
		}
	}

	/** The connection is gone, or the peer reset the stream. */
	fail(error: OrchestraError): void {
		if (this.#isReadDone && this.#isWriteDone) return;
		const receiver = this.#receiver;
		this.#receiver = undefined;
		this.#finish(error);
		receiver?.fail(error);
	}

	#write(): boolean {
		const { native } = this.#host;
		let head = this.#out.head;
		while (head) {
			const isLast = this.#isEnding && this.#out.isLast;
			const sent = native.streamSend(this.id, head, isLast) ?? 0;
			const isWhole = sent === head.length;
			this.#out.taken(sent);
			if (!isWhole) return false;
			if (isLast) {
				this.#writeDone();
				return true;
			}
			head = this.#out.head;
		}
		if (this.#isEnding && !this.#isWriteDone) {
			if (native.streamSend(this.id, NO_BYTES, true) === null) return false;
			this.#writeDone();
		}
		return true;
	}

	#deliver(size: number, isLast: boolean): void {
		try {
			// Copied, because a frame may be kept and the scratch buffer is read into again.
			const payloads = size > 0 ? this.#reader.push(scratch.slice(0, size)) : [];
			this.#account();
			if (isLast) this.#reader.end();
			for (const payload of payloads) this.#receiver?.frame(payload);
		} catch (thrown) {
			this.#damaged(OrchestraError.from(thrown, 'bad_frame'));
			return;
		}
		if (isLast) this.#readDone();
	}

	#account(): void {
		const { bufferedBytes } = this.#reader;
		const grew = bufferedBytes - this.#heldBytes;
		this.#heldBytes = bufferedBytes;
		if (grew === 0 || this.#host.hold(grew)) return;
		throw new OrchestraError('bad_frame', `${this.#host.address} has too many unfinished frames under way`, {
			data: { code: CODE_TOO_MUCH },
		});
	}

	#damaged(error: OrchestraError): void {
		const receiver = this.#receiver;
		this.#receiver = undefined;
		this.#giveUp(CODE_BAD_FRAME, error);
		receiver?.fail(error);
	}

	#giveUp(code: number, error: OrchestraError): void {
		if (this.id !== -1) {
			if (!this.#isWriteDone) this.#shutdown(SHUTDOWN_WRITE, code);
			if (!this.#isReadDone) this.#shutdown(SHUTDOWN_READ, code);
		}
		this.#finish(error);
		this.#host.wake();
	}

	#shutdown(direction: number, code: number): void {
		try {
			this.#host.native.streamShutdown(this.id, direction, code);
		} catch {
			// The engine has forgotten the stream already, which is what we want.
		}
	}

	/** The engine says by throwing that the peer reset or stopped the stream. */
	#engineThrew(thrown: unknown): void {
		const text = messageOf(thrown);
		const code = Number(/Stream(?:Reset|Stopped)\((\d+)\)/.exec(text)?.[1] ?? Number.NaN);
		if (Number.isNaN(code)) {
			this.#damaged(new OrchestraError('closed', `the stream to ${this.#host.address} broke: ${text}`));
			return;
		}
		// An answer that came whole is complete, even when the peer stopped listening to us.
		if (code === CODE_NONE && text.includes('Stopped') && !this.#isReadDone) {
			this.#writeDone();
			return;
		}
		this.#damaged(
			new OrchestraError('closed', `${this.#host.address} gave the stream up with code ${code}`, {
				data: { code },
			}),
		);
	}

	#writeDone(): void {
		this.#isWriteDone = true;
		if (this.#isReadDone) this.#host.forget(this);
	}

	#readDone(): void {
		this.#isReadDone = true;
		const receiver = this.#receiver;
		if (this.#isWriteDone) this.#host.forget(this);
		receiver?.end();
	}

	#finish(error: OrchestraError): void {
		this.#isReadDone = true;
		this.#isWriteDone = true;
		this.#out.clear(error);
		if (this.#heldBytes > 0) this.#host.hold(-this.#heldBytes);
		this.#heldBytes = 0;
		this.#host.forget(this);
	}
}
