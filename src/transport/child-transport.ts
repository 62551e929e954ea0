/*
 * Messages to and from a child process over its stdin and stdout.
 *
 * When the child dies, what it still managed to print is delivered first; only
 * then does the receiver hear the end, with the exit code and the last words.
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

export interface ChildTransportOptions extends ChildOptions {
	/** Longest message accepted, in bytes. Default 10 MiB. */
	limitBytes?: number | undefined;
}

/** How long a child that closed its stdout has to exit, so that the error can tell how. */
const EXIT_WAIT_MS = 500;

export class ChildTransport implements Transport {
	readonly #child: Child;
	readonly #reader: LineReader;
	readonly #writer: LineWriter;
	#receiver: Receiver | undefined;
	#endReason: OrchestraError | undefined;

	/** Start a program and talk to it. Throws `spawn`. */
	static async open(record: SpawnRecord, options: ChildTransportOptions = {}): Promise<ChildTransport> {
		// A server never starts a program, so it need not load what that takes.
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

	/** Resolves when the program has ended. */
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

	/** Tell the child that nothing more will come; it may still answer. */
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

	noteStray(text: string): void {
		this.#child.noteStray(text);
	}

	async close(): Promise<void> {
		this.#finish(new OrchestraError('closed', 'transport is shut down'));
		this.#reader.stop();
		await this.#child.stop();
	}

	async #onOutputEnd(): Promise<void> {
		await within(this.#child.exited, EXIT_WAIT_MS);
		this.#finish(this.#child.exitError());
	}

	#finish(reason: OrchestraError): void {
		if (this.#endReason) return;
		this.#endReason = reason;
		this.#writer.fail(reason);
		this.#receiver?.end(reason);
	}
}
