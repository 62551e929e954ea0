/*
 * One exchange with a tool's process: the request in, the events out.
 *
 * Chunks are taken one at a time and only when the reader of the events wants
 * more, so a slow reader slows the tool. Over a limit, at the deadline or when the
 * caller gives up, the whole process group is ended; its stdin was closed with the
 * request, so the stop ladder begins at SIGTERM.
 */
import type { Readable } from 'node:stream';
import { Child, type ChildOptions } from '../process/child.ts';
import { crashLines } from '../process/crash-lines.ts';
import type { ExitStatus } from '../process/spawn/spawner.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';
import { onAbort } from '../rpc/abortable.ts';
import { timerMs } from '../rpc/clock.ts';
import { deferred } from '../rpc/deferred.ts';
import { CARRIAGE_RETURN, NEWLINE } from '../wire/lines.ts';
import { ReassemblyBuffer } from '../wire/reassembly-buffer.ts';
import { readEvent, type ToolEvent } from './event.ts';
import type { RunOptions } from './run.ts';
import type { RunLimits } from './run-limits.ts';
import type { RunEnd, StopReason } from './summary.ts';
import type { Transcript } from './transcript.ts';

/** Lines of stderr that the error of a crash has. */
const STDERR_LINES = 10;

interface ExchangeOptions extends Pick<RunOptions, 'signal' | 'stderr' | 'spawner' | 'onSpawn'> {
	/** The bytes for stdin. */
	readonly requestText: string;
	readonly timeoutMs: number;
	readonly limits: RunLimits;
	readonly transcript: Transcript;
	readonly environment: Readonly<NodeJS.ProcessEnv>;
}

export class Exchange {
	readonly #child: Child;
	readonly #options: ExchangeOptions;
	readonly #deadline: NodeJS.Timeout;
	readonly #stopListening: () => void;
	readonly #lines = new RawLines();
	#bytes = 0;
	#stopped: StopReason | undefined;
	/** A process that cannot be ended has no exit; the stop ladder says when to go on without it. */
	readonly #stopping = deferred<ExitStatus>();

	/** Start the tool and send it the request. Throws `spawn`. The caller reads or closes it. */
	static async open(record: SpawnRecord, options: ExchangeOptions): Promise<Exchange> {
		const { stderr, spawner, environment: parentEnvironment } = options;
		const childOptions: ChildOptions = { stderr, spawner, parentEnvironment };
		const child = await Child.start(record, childOptions);
		options.onSpawn?.(child.pid);
		return new Exchange(child, options);
	}

	private constructor(child: Child, options: ExchangeOptions) {
		this.#child = child;
		this.#options = options;
		this.#deadline = setTimeout(() => this.#stop('timeout'), timerMs(options.timeoutMs));
		this.#stopListening = onAbort(options.signal, () => this.#stop('canceled'));
		// A tool that has exited met its deadline; `Child` handles a descendant that holds its pipe open.
		void child.gone.then(() => clearTimeout(this.#deadline));
		// A tool that never reads its input breaks this pipe; its exit status is reported.
		child.stdin.end(options.requestText);
	}

	/** The events as they arrive, until the tool's stdout ends or a limit is reached. */
	async *events(): AsyncGenerator<ToolEvent, void, undefined> {
		for await (const chunk of chunksOf(this.#child.stdout)) {
			const room = this.#options.limits.outputBytes - this.#bytes;
			this.#bytes += chunk.length;
			yield* this.#eventsIn(this.#lines.push(chunk.subarray(0, room)));
			if (chunk.length > room) this.#stop('output');
			if (this.#stopped === 'output' || this.#stopped === 'events') return;
		}
		yield* this.#eventsIn(this.#lines.end());
	}

	/** Wait until the process is gone. Returns its exit status. */
	async end(): Promise<RunEnd> {
		const exit = await Promise.race([this.#child.gone, this.#stopping.promise]);
		clearTimeout(this.#deadline);
		const isTalkative = exit.code !== 0 && this.#stopped === undefined;
		const stderr = isTalkative ? crashLines(await this.#child.lastStderrLines(), STDERR_LINES) : [];
		const { timeoutMs, limits } = this.#options;
		return { exit, stopped: this.#stopped, stderr, timeoutMs, limits };
	}

	/** Stop the process group. Idempotent; no process is left when it resolves. */
	async close(): Promise<void> {
		clearTimeout(this.#deadline);
		this.#stopListening();
		this.#child.stdout.destroy();
		await this.#child.stop(0);
	}

	/** The reader went away before the end. */
	abandon(): void {
		this.#stop('canceled');
	}

	*#eventsIn(lines: Buffer[]): Generator<ToolEvent> {
		const { transcript, limits } = this.#options;
		for (const line of lines) {
			const event = readEvent(line);
			if (typeof event === 'string') {
				const text = line.toString('utf8');
				this.#child.logStray(text);
				transcript.addStray(event, text);
				continue;
			}
			if (transcript.eventCount >= limits.events) return this.#stop('events');
			transcript.add(event);
			yield event;
		}
	}

	#stop(reason: StopReason): void {
		if (this.#stopped !== undefined) return;
		this.#stopped = reason;
		void this.#child.stop(0).then(this.#stopping.resolve);
		if (reason === 'output' || reason === 'events') this.#child.stdout.destroy();
	}
}

/**
 * The chunks of a stream, one at a time. Not the stream's own iterator: that one
 * reads in paused mode, in which a silent pipe and a full one look the same.
 */
async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
	const waiting: Buffer[] = [];
	let isOver = stream.destroyed || stream.readableEnded;
	let wake = (): void => {};
	const finish = (): void => {
		isOver = true;
		wake();
	};
	stream.on('data', (chunk: Buffer) => {
		waiting.push(chunk);
		stream.pause();
		wake();
	});
	for (const event of ['end', 'error', 'close']) stream.on(event, finish);
	for (;;) {
		for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) yield chunk;
		if (isOver) return;
		await new Promise<void>((resolve) => {
			wake = resolve;
			stream.resume();
		});
	}
}

/**
 * Cuts a tool's stdout into lines without touching a byte. The splitter of `wire/` decodes and drops
 * line ends, which is right for messages; here a line must come out as it went in. Blank lines are
 * left out. There is no limit per line: the runner bounds the whole output.
 */
export class RawLines {
	readonly #pending = new ReassemblyBuffer();

	/** Add a chunk. Returns the lines that it completed, newlines included. */
	push(chunk: Buffer): Buffer[] {
		const lines: Buffer[] = [];
		let start = 0;
		for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
			const line = chunk.subarray(start, end + 1);
			if (this.#pending.size > 0) lines.push(this.#takeWith(line));
			else if (!isBlank(line)) lines.push(line);
			start = end + 1;
		}
		if (start < chunk.length) this.#pending.append(chunk.subarray(start));
		return lines;
	}

	/** The stream is over: a last line without an end still counts. */
	end(): Buffer[] {
		return this.#pending.size > 0 ? [this.#takeWith(Buffer.alloc(0))] : [];
	}

	#takeWith(rest: Buffer): Buffer {
		const line = Buffer.concat([this.#pending.bytes, rest]);
		this.#pending.clear();
		return line;
	}
}

function isBlank(line: Buffer): boolean {
	return line.length === 1 || (line.length === 2 && line[0] === CARRIAGE_RETURN);
}
