/*
 * Messages to and from a child process over its stdin and stdout.
 *
 * When the child exits, its remaining output is delivered first; then the receiver
 * gets `end` with the exit code and the last stderr lines.
 */
import { OrchestraError } from '../errors.ts';
import type { Child, ChildOptions, ExitStatus } from '../process/child.ts';
import type { Diagnosis } from '../process/diagnosis.ts';
import type { SpawnRecord } from '../process/spawn-record.ts';
import type { Receiver } from '../rpc/channel.ts';
import { within } from '../rpc/clock.ts';
import { MESSAGE_LIMIT_BYTES } from '../wire/wire-limits.ts';
import { LineReader } from './line-reader.ts';
import { LineWriter } from './line-writer.ts';
import type { Transport } from './transport.ts';
import { EXIT_WAIT_MS } from './transport-limits.ts';

/** Settings of the child process and its transport. */
export interface ChildTransportOptions extends ChildOptions {
	/** Longest message accepted, in bytes. Default 10 MiB. */
	limitBytes?: number | undefined;
}

/** A transport over the stdin and stdout of a child process. */
export class ChildTransport implements Transport {
	readonly #child: Child;
	readonly #reader: LineReader;
	readonly #writer: LineWriter;
	#receiver: Receiver | undefined;
	#endReason: OrchestraError | undefined;

	/** Start a program. Throws `spawn`. The caller closes the transport. */
	static async open(record: SpawnRecord, options: ChildTransportOptions = {}): Promise<ChildTransport> {
		// Loaded on demand: a server process never starts a program.
		const { Child } = await import('../process/child.ts');
		return new ChildTransport(await Child.start(record, options), options.limitBytes);
	}

	private constructor(child: Child, limitBytes: number = MESSAGE_LIMIT_BYTES) {
		this.#child = child;
		this.#writer = new LineWriter(child.stdin);
		this.#reader = new LineReader(child.stdout, limitBytes, () => void this.#onOutputEnd());
	}

	get pid(): number {
		return this.#child.pid;
	}

	get isRunning(): boolean {
		return this.#child.isRunning;
	}

	/** Resolves when the program has exited. */
	get exited(): Promise<ExitStatus> {
		return this.#child.exited;
	}

	/** True once `close` was called. */
	get isShutdown(): boolean {
		return this.#child.isShutdown;
	}

	get isClosed(): boolean {
		return this.#endReason !== undefined;
	}

	/** Command, exit, elapsed time, last stderr lines, stray stdout lines. */
	diagnose(): Diagnosis {
		return this.#child.diagnose();
	}

	start(receiver: Receiver): void {
		this.#receiver = receiver;
		if (this.#endReason) receiver.end(this.#endReason);
		else this.#reader.start(receiver);
	}

	post(text: string): boolean {
		if (this.#endReason) throw this.#endReason;
		return this.#writer.post(text);
	}

	flushed(): Promise<void> {
		return this.#writer.flushed();
	}

	/** Half-close: end the child's stdin; it may still respond. */
	async endInput(): Promise<void> {
		await this.#writer.flushed();
		this.#child.stdin.end();
	}

	pause(): void {
		this.#reader.pause();
	}

	resume(): void {
		this.#reader.resume();
	}

	logStray(text: string): void {
		this.#child.logStray(text);
	}

	async close(): Promise<void> {
		this.#finish(new OrchestraError('closed', 'transport is shut down'));
		this.#reader.stop();
		await this.#child.stop();
	}

	async #onOutputEnd(): Promise<void> {
		const exit = await within(this.#child.exited, EXIT_WAIT_MS);
		// stdout may end before stderr, which says why.
		if (exit !== undefined) await this.#child.lastStderrLines();
		this.#finish(this.#child.exitError());
	}

	#finish(reason: OrchestraError): void {
		if (this.#endReason) return;
		this.#endReason = reason;
		this.#writer.fail(reason);
		this.#receiver?.end(reason);
	}
}
