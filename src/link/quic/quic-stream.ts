/*
 * One bidirectional QUIC stream that carries frames.
 *
 * Nothing blocks: frames are queued and a write is scheduled; the connection calls
 * `write` and `read` when the engine has room or data. A stream of ours gets its id
 * when the peer grants stream credit, so opening never fails for lack of it.
 */
import { attempt, messageOf, OrchestraError } from '../../errors.ts';
import { FrameReader } from '../../wire/frame.ts';
import type { LinkStream, StreamReceiver } from '../link.ts';
import { CODE_BAD_FRAME, CODE_BUFFER_LIMIT, CODE_CANCELED, CODE_NONE } from '../link-limits.ts';
import { SendQueue } from '../send-queue.ts';
import { SHUTDOWN_READ, SHUTDOWN_WRITE } from './engine.ts';
import type { StreamTable } from './stream-table.ts';

const NO_BYTES = new Uint8Array(0);
// Shared by all streams: reads never overlap, and the data is copied out at once.
const scratch = new Uint8Array(64 * 1024);

export class QuicStream implements LinkStream {
	/** The stream id on the wire; -1 until the peer grants stream credit. */
	id: number;
	/** Set by the table: the stream is in its write queue. */
	isQueued = false;
	readonly #host: StreamTable;
	readonly #reader: FrameReader;
	readonly #sendQueue = new SendQueue();
	#receiver: StreamReceiver | undefined;
	#bufferedBytes = 0;
	#isPaused = false;
	#isReading = false;
	#isEnding = false;
	#isWriteDone = false;
	#isReadDone = false;

	constructor(host: StreamTable, id: number, frameLimitBytes: number) {
		this.#host = host;
		this.id = id;
		this.#reader = new FrameReader(frameLimitBytes);
	}

	/** True when the peer has closed its direction and we have not closed ours. */
	get isHalfClosed(): boolean {
		return this.#isReadDone && !this.#isWriteDone;
	}

	receive(receiver: StreamReceiver): void {
		this.#receiver = receiver;
	}

	send(payload: Uint8Array): boolean {
		if (this.#isEnding || this.#isWriteDone) {
			throw new OrchestraError('closed', `the stream to ${this.#host.address} takes no more frames`);
		}
		const hasRoom = this.#sendQueue.add(payload);
		this.#host.scheduleWrite(this);
		return hasRoom;
	}

	drained(): Promise<void> {
		return this.#sendQueue.drained();
	}

	end(): void {
		if (this.#isEnding || this.#isWriteDone) return;
		this.#isEnding = true;
		this.#host.scheduleWrite(this);
	}

	pause(): void {
		this.#isPaused = true;
	}

	resume(): void {
		if (!this.#isPaused) return;
		this.#isPaused = false;
		if (this.id !== -1 && !this.#isReadDone) this.read();
		this.#host.scheduleWrite();
	}

	reset(code: number = CODE_CANCELED): void {
		if (this.#isReadDone && this.#isWriteDone) return;
		this.#receiver = undefined;
		this.#abort(
			code,
			new OrchestraError('canceled', `the stream to ${this.#host.address} was reset by this process`),
		);
	}

	/** Pass as much as possible to the engine. True when the send queue is empty. */
	write(): boolean {
		try {
			return this.#write();
		} catch (thrown) {
			this.#onEngineError(thrown);
			return true;
		}
	}

	/** Read all available data. Not reentrant: a receiver that pauses and resumes meanwhile does not start a second read. */
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
				this.#onEngineError(thrown);
				return;
			}
			if (got === null) return;
			this.#deliver(got[0], got[1]);
			if (got[0] < scratch.length) return; // no more data
		}
	}

	/** Detect STOP_SENDING of the peer: the engine reports it only when asked. */
	checkStopped(): void {
		try {
			this.#host.native.streamCapacity(this.id);
		} catch (thrown) {
			this.#onEngineError(thrown);
		}
	}

	/** The connection closed, or the peer reset the stream. */
	fail(error: OrchestraError): void {
		if (this.#isReadDone && this.#isWriteDone) return;
		const receiver = this.#receiver;
		this.#receiver = undefined;
		this.#finish(error);
		receiver?.fail(error);
	}

	#write(): boolean {
		const { native } = this.#host;
		let head = this.#sendQueue.head;
		while (head) {
			const isLast = this.#isEnding && this.#sendQueue.isLast;
			const sent = native.streamSend(this.id, head, isLast) ?? 0;
			const isWhole = sent === head.length;
			this.#sendQueue.sent(sent);
			if (!isWhole) return false;
			if (isLast) {
				this.#writeDone();
				return true;
			}
			head = this.#sendQueue.head;
		}
		if (this.#isEnding && !this.#isWriteDone) {
			if (native.streamSend(this.id, NO_BYTES, true) === null) return false;
			this.#writeDone();
		}
		return true;
	}

	#deliver(size: number, isLast: boolean): void {
		try {
			// Copied, because a receiver may keep the frame and the scratch buffer is reused.
			const payloads = size > 0 ? this.#reader.push(scratch.slice(0, size)) : [];
			this.#countBuffered();
			if (isLast) this.#reader.end();
			for (const payload of payloads) this.#receiver?.frame(payload);
		} catch (thrown) {
			this.#failWith(OrchestraError.from(thrown, 'bad_frame'));
			return;
		}
		if (isLast) this.#readDone();
	}

	#countBuffered(): void {
		const { bufferedBytes } = this.#reader;
		const grew = bufferedBytes - this.#bufferedBytes;
		this.#bufferedBytes = bufferedBytes;
		if (grew === 0 || this.#host.addBufferedBytes(grew)) return;
		throw new OrchestraError('bad_frame', `${this.#host.address} sent too many bytes of incomplete frames`, {
			data: { code: CODE_BUFFER_LIMIT },
		});
	}

	#failWith(error: OrchestraError): void {
		const receiver = this.#receiver;
		this.#receiver = undefined;
		this.#abort(CODE_BAD_FRAME, error);
		receiver?.fail(error);
	}

	#abort(code: number, error: OrchestraError): void {
		if (this.id !== -1) {
			if (!this.#isWriteDone) this.#shutdown(SHUTDOWN_WRITE, code);
			if (!this.#isReadDone) this.#shutdown(SHUTDOWN_READ, code);
		}
		this.#finish(error);
		this.#host.scheduleWrite();
	}

	#shutdown(direction: number, code: number): void {
		// The engine has removed the stream already.
		attempt(() => this.#host.native.streamShutdown(this.id, direction, code));
	}

	/** The engine throws when the peer reset or stopped the stream. */
	#onEngineError(thrown: unknown): void {
		const text = messageOf(thrown);
		const code = Number(/Stream(?:Reset|Stopped)\((\d+)\)/.exec(text)?.[1] ?? Number.NaN);
		if (Number.isNaN(code)) {
			this.#failWith(new OrchestraError('closed', `the stream to ${this.#host.address} broke: ${text}`));
			return;
		}
		// The peer stopped reading without an error: its reply may still be complete.
		if (code === CODE_NONE && text.includes('Stopped') && !this.#isReadDone) {
			this.#writeDone();
			return;
		}
		this.#failWith(
			new OrchestraError('closed', `${this.#host.address} reset the stream with code ${code}`, {
				data: { code },
			}),
		);
	}

	#writeDone(): void {
		this.#isWriteDone = true;
		if (this.#isReadDone) this.#host.remove(this);
	}

	#readDone(): void {
		this.#isReadDone = true;
		const receiver = this.#receiver;
		if (this.#isWriteDone) this.#host.remove(this);
		receiver?.end();
	}

	#finish(error: OrchestraError): void {
		this.#isReadDone = true;
		this.#isWriteDone = true;
		this.#sendQueue.clear(error);
		if (this.#bufferedBytes > 0) this.#host.addBufferedBytes(-this.#bufferedBytes);
		this.#bufferedBytes = 0;
		this.#host.remove(this);
	}
}
