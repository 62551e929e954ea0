/*
 * The streams of one connection: those that are open, ours that wait for the peer
 * to allow one more, and which of them have something to write.
 */
import { OrchestraError } from '../../errors.ts';
import { CODE_CANCELED, MAX_HELD_BYTES, MAX_WAITING_STREAMS, STOPPED_CHECK_MS } from '../link-limits.ts';
import { type EngineConnection, SHUTDOWN_READ } from './engine.ts';
import { QuicStream, type StreamHost } from './quic-stream.ts';

export interface StreamTableOptions {
	native: EngineConnection;
	address: string;
	frameLimitBytes: number;
	/** Undefined on the side that accepts no streams. */
	onStream: ((stream: QuicStream) => void) | undefined;
	/** Something is to be written. */
	onWake: () => void;
	/** The last stream is gone. */
	onQuiet: () => void;
}

/** The numbers of the streams that one side opens lie this far apart. */
const ID_STEP = 4;
/** Up to this many streams, asking each is cheaper than the engine's list. */
const FEW_STREAMS = 128;

export class StreamTable implements StreamHost {
	readonly native: EngineConnection;
	readonly address: string;
	readonly #options: StreamTableOptions;
	readonly #open = new Map<number, QuicStream>();
	/** Those with something to write, each once. */
	readonly #writing: QuicStream[] = [];
	/** Ours that have sent nothing yet. */
	readonly #fresh = new Set<QuicStream>();
	/** Ours that wait for a number. */
	readonly #waiting: QuicStream[] = [];
	/** The number of the next stream that the client opens. */
	#nextId = 0;
	/** Numbers below the next one of streams that did not come yet; the engine bounds them by the stream limit. */
	readonly #skipped = new Set<number>();
	#heldBytes = 0;
	#stoppedCheckAt = 0;
	#isStoppedCheckDue = false;
	#isOver = false;

	constructor(options: StreamTableOptions) {
		this.#options = options;
		this.native = options.native;
		this.address = options.address;
	}

	/** How many streams are open or wait their turn. */
	get size(): number {
		return this.#open.size + this.#waiting.length + this.#fresh.size;
	}

	/** True when something waits to be handed to the engine. */
	get hasWrites(): boolean {
		return this.#writing.length > 0 || this.#waiting.length > 0;
	}

	/** When the streams must be looked at again, whatever comes in. */
	get dueAt(): number {
		return this.#isStoppedCheckDue ? this.#stoppedCheckAt : Number.POSITIVE_INFINITY;
	}

	open(): QuicStream {
		if (this.#waiting.length >= MAX_WAITING_STREAMS) {
			const message = `${this.#waiting.length} streams to ${this.address} wait their turn already`;
			throw new OrchestraError('io', message, { hint: 'Send fewer calls at once.' });
		}
		const stream = new QuicStream(this, -1, this.#options.frameLimitBytes);
		this.#fresh.add(stream);
		return stream;
	}

	/*
	 * Read all that came. A single stream is read without asking. Asking for each stream that is open is
	 * many times cheaper than the engine's own list, whose iterator is dear to make. The list is for the
	 * rest: streams that came out of order.
	 *
	 * Each step of each loop makes progress: the next id grows with every stream that is accepted, and the
	 * engine's list is a snapshot. Whether a stream is still readable after it was read is never asked.
	 */
	read(): void {
		const { native } = this;
		if (this.#open.size > 0 && this.#options.onStream) this.#isStoppedCheckDue = true;
		if (this.#open.size === 1) for (const stream of this.#open.values()) stream.read();
		if (this.#isOver || !native.isReadable()) return;
		if (this.#open.size <= FEW_STREAMS) {
			for (const [id, stream] of this.#open) if (native.streamReadable(id)) stream.read();
			while (!this.#isOver && this.#options.onStream && native.streamReadable(this.#nextId)) {
				this.#accept(this.#nextId).read();
			}
			if (this.#isOver || !native.isReadable()) return;
		}
		for (const id of native.readable()) {
			const stream = this.#open.get(id) ?? (this.#isNew(id) ? this.#accept(id) : undefined);
			if (stream) stream.read();
			else if (id < this.#nextId) this.#discard(id);
			if (this.#isOver) return;
		}
	}

	/** Hand all that waits to the engine, as far as it takes it. */
	write(): void {
		if (this.#waiting.length > 0) this.#admit();
		for (const stream of this.#writing.splice(0)) {
			stream.isListed = false;
			if (!stream.write()) this.#list(stream);
		}
		if (this.#isStoppedCheckDue) this.#checkStopped();
	}

	/** The connection is gone. */
	fail(error: OrchestraError): void {
		this.#isOver = true;
		for (const stream of [...this.#open.values(), ...this.#waiting, ...this.#fresh]) stream.fail(error);
	}

	wake(stream?: QuicStream): void {
		if (stream && stream.id !== -1) this.#list(stream);
		else if (stream && this.#fresh.delete(stream)) this.#waiting.push(stream);
		this.#options.onWake();
	}

	forget(stream: QuicStream): void {
		if (stream.id !== -1) this.#open.delete(stream.id);
		else if (!this.#fresh.delete(stream)) removeFrom(this.#waiting, stream);
		if (this.size === 0) this.#options.onQuiet();
	}

	hold(bytes: number): boolean {
		this.#heldBytes += bytes;
		return this.#heldBytes <= MAX_HELD_BYTES;
	}

	#list(stream: QuicStream): void {
		if (stream.isListed) return;
		stream.isListed = true;
		this.#writing.push(stream);
	}

	/** True for a stream of the peer that was not accepted yet. */
	#isNew(id: number): boolean {
		return this.#options.onStream !== undefined && (id >= this.#nextId || this.#skipped.has(id));
	}

	/** A stream may have ended or been reset before it carried a byte: its reader finds out like any other. */
	#accept(id: number): QuicStream {
		for (; this.#nextId < id; this.#nextId += ID_STEP) this.#skipped.add(this.#nextId);
		if (id === this.#nextId) this.#nextId += ID_STEP;
		else this.#skipped.delete(id);
		const stream = new QuicStream(this, id, this.#options.frameLimitBytes);
		this.#open.set(id, stream);
		try {
			this.#options.onStream?.(stream);
		} catch (thrown) {
			// The server of a stream must not be able to end the process from inside a datagram.
			stream.fail(OrchestraError.from(thrown));
		}
		return stream;
	}

	/** Data for a stream that we have given up: without this it stays in the engine's list. */
	#discard(id: number): void {
		try {
			this.native.streamShutdown(id, SHUTDOWN_READ, CODE_CANCELED);
		} catch {
			// The engine has forgotten the stream already.
		}
	}

	/** Give numbers to streams that wait, as far as the peer allows. */
	#admit(): void {
		const count = Math.min(this.#waiting.length, this.native.peerStreamsLeftBidi());
		for (const stream of this.#waiting.splice(0, count)) {
			stream.id = this.#nextId;
			this.#nextId += ID_STEP;
			this.#open.set(stream.id, stream);
			// Written now: the number counts only once something was sent under it.
			if (!stream.write()) this.#list(stream);
		}
	}

	/** The engine does not tell that a peer stopped listening; it must be asked, so not too often. */
	#checkStopped(): void {
		const now = performance.now();
		if (now < this.#stoppedCheckAt) return;
		this.#isStoppedCheckDue = false;
		this.#stoppedCheckAt = now + STOPPED_CHECK_MS;
		for (const stream of this.#open.values()) if (stream.isAnswerDue) stream.checkStopped();
	}
}

function removeFrom<T>(list: T[], item: T): void {
	const at = list.indexOf(item);
	if (at !== -1) list.splice(at, 1);
}
