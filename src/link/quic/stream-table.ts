/*
 * The streams of one connection: open streams, our streams that wait for stream
 * credit of the peer, and the write queue.
 */
import { attempt, OrchestraError } from '../../errors.ts';
import { CallTable } from '../../rpc/calls/call-table.ts';
import {
	CODE_CANCELED,
	FEW_STREAMS_LIMIT,
	MAX_BUFFERED_BYTES,
	MAX_WAITING_STREAMS,
	STOPPED_CHECK_MS,
} from '../link-limits.ts';
import { type EngineConnection, SHUTDOWN_READ } from './engine.ts';
import { QuicStream } from './quic-stream.ts';

export interface StreamTableOptions {
	native: EngineConnection;
	address: string;
	frameLimitBytes: number;
	/** Undefined on the client side, which accepts no streams. */
	onStream: ((stream: QuicStream) => void) | undefined;
	/** Called when there is data to write. */
	scheduleFlush: () => void;
	/** Called when the last stream is closed. */
	onDrained: () => void;
}

/** Distance between the ids of streams of one side. */
const ID_STEP = 4;

export class StreamTable {
	readonly native: EngineConnection;
	readonly address: string;
	readonly #options: StreamTableOptions;
	readonly #open = new CallTable<number, QuicStream>();
	/** Streams with data to write, each once. */
	readonly #writeQueue: QuicStream[] = [];
	/** Our streams that have sent nothing yet. */
	readonly #unused: QuicStream[] = [];
	/** Our streams that wait for stream credit. */
	readonly #waiting: QuicStream[] = [];
	/** The id of the next stream that the client opens. */
	#nextId = 0;
	/** Ids below `#nextId` of streams that have not arrived yet; bounded by the stream limit of the engine. */
	readonly #skipped = new Set<number>();
	#bufferedBytes = 0;
	#stoppedCheckAt = 0;
	#isStoppedCheckDue = false;
	#isClosed = false;

	constructor(options: StreamTableOptions) {
		this.#options = options;
		this.native = options.native;
		this.address = options.address;
	}

	/** Number of streams, open or waiting for credit. */
	get size(): number {
		return this.#open.size + this.#waiting.length + this.#unused.length;
	}

	/** True when there is data to pass to the engine. */
	get hasWrites(): boolean {
		return this.#writeQueue.length > 0 || this.#waiting.length > 0;
	}

	/** When the next STOP_SENDING check is due. */
	get dueAt(): number {
		return this.#isStoppedCheckDue ? this.#stoppedCheckAt : Number.POSITIVE_INFINITY;
	}

	open(): QuicStream {
		if (this.#waiting.length >= MAX_WAITING_STREAMS) {
			const message = `${this.#waiting.length} streams to ${this.address} already wait for stream credit`;
			throw new OrchestraError('io', message, { hint: 'Send fewer calls at once.' });
		}
		const stream = new QuicStream(this, -1, this.#options.frameLimitBytes);
		this.#unused.push(stream);
		return stream;
	}

	/*
	 * Read all readable streams. A single stream is read without polling. Polling each open stream is many
	 * times cheaper than the engine's list, whose iterator is expensive. The list covers the rest: streams
	 * that arrived out of order.
	 *
	 * Every loop terminates: the next id grows with every accepted stream, and the engine's list is a
	 * snapshot. A stream is never polled again after it was read.
	 */
	read(): void {
		const { native } = this;
		if (this.#open.size > 0 && this.#options.onStream) this.#isStoppedCheckDue = true;
		if (this.#open.size === 1) this.#open.forEach((stream) => stream.read());
		if (this.#isClosed || !native.isReadable()) return;
		if (this.#open.size <= FEW_STREAMS_LIMIT) {
			this.#open.forEach((stream, id) => {
				if (native.streamReadable(id)) stream.read();
			});
			while (!this.#isClosed && this.#options.onStream && native.streamReadable(this.#nextId)) {
				this.#accept(this.#nextId).read();
			}
			if (this.#isClosed || !native.isReadable()) return;
		}
		for (const id of native.readable()) {
			const stream = this.#open.get(id) ?? (this.#isNew(id) ? this.#accept(id) : undefined);
			if (stream) stream.read();
			else if (id < this.#nextId) this.#discard(id);
			if (this.#isClosed) return;
		}
	}

	/** Pass queued data to the engine as far as it has room. */
	write(): void {
		if (this.#waiting.length > 0) this.#assignIds();
		for (const stream of this.#writeQueue.splice(0)) {
			stream.isQueued = false;
			if (!stream.write()) this.#enqueue(stream);
		}
		if (this.#isStoppedCheckDue) this.#checkStopped();
	}

	fail(error: OrchestraError): void {
		this.#isClosed = true;
		for (const stream of [...this.#open.values(), ...this.#waiting, ...this.#unused]) stream.fail(error);
	}

	/** Schedule a write of this stream, or of a pending shutdown. */
	scheduleWrite(stream?: QuicStream): void {
		if (stream && stream.id !== -1) this.#enqueue(stream);
		else if (stream && removeFrom(this.#unused, stream)) this.#waiting.push(stream);
		this.#options.scheduleFlush();
	}

	/** Both directions are closed. */
	remove(stream: QuicStream): void {
		if (stream.id !== -1) this.#open.take(stream.id);
		else if (!removeFrom(this.#unused, stream)) removeFrom(this.#waiting, stream);
		if (this.size === 0) this.#options.onDrained();
	}

	/** Count buffered bytes of incomplete frames; false when the connection is over its limit. */
	addBufferedBytes(bytes: number): boolean {
		this.#bufferedBytes += bytes;
		return this.#bufferedBytes <= MAX_BUFFERED_BYTES;
	}

	#enqueue(stream: QuicStream): void {
		if (stream.isQueued) return;
		stream.isQueued = true;
		this.#writeQueue.push(stream);
	}

	#isNew(id: number): boolean {
		return this.#options.onStream !== undefined && (id >= this.#nextId || this.#skipped.has(id));
	}

	/** The stream may have ended or been reset before its first byte: `read` detects that. */
	#accept(id: number): QuicStream {
		for (; this.#nextId < id; this.#nextId += ID_STEP) this.#skipped.add(this.#nextId);
		if (id === this.#nextId) this.#nextId += ID_STEP;
		else this.#skipped.delete(id);
		const stream = new QuicStream(this, id, this.#options.frameLimitBytes);
		this.#open.set(id, stream);
		try {
			this.#options.onStream?.(stream);
		} catch (thrown) {
			// An error of the handler fails this stream only.
			stream.fail(OrchestraError.from(thrown));
		}
		return stream;
	}

	/** Discard data for a stream that we reset: otherwise it stays in the engine's list. */
	#discard(id: number): void {
		// The engine has removed the stream already.
		attempt(() => this.native.streamShutdown(id, SHUTDOWN_READ, CODE_CANCELED));
	}

	/** Assign ids to waiting streams as far as the peer grants credit. */
	#assignIds(): void {
		const count = Math.min(this.#waiting.length, this.native.peerStreamsLeftBidi());
		for (const stream of this.#waiting.splice(0, count)) {
			stream.id = this.#nextId;
			this.#nextId += ID_STEP;
			this.#open.set(stream.id, stream);
			// Write now: the engine counts an id only once data was sent on it.
			if (!stream.write()) this.#enqueue(stream);
		}
	}

	/** Poll for STOP_SENDING, rate-limited: the engine has no event for it. */
	#checkStopped(): void {
		const now = performance.now();
		if (now < this.#stoppedCheckAt) return;
		this.#isStoppedCheckDue = false;
		this.#stoppedCheckAt = now + STOPPED_CHECK_MS;
		for (const stream of this.#open.values()) if (stream.isHalfClosed) stream.checkStopped();
	}
}

/** The newest is the usual one. */
function removeFrom<T>(list: T[], item: T): boolean {
	const at = list.lastIndexOf(item);
	if (at !== -1) list.splice(at, 1);
	return at !== -1;
}
