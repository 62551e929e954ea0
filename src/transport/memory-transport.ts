/*
 * A transport pair within one process, for tests and for an embedded hub. Messages
 * are delivered asynchronously and in order, as by a pipe.
 */
import { OrchestraError } from '../errors.ts';
import type { Receiver } from '../rpc/channel.ts';
import type { Transport } from './transport.ts';
import { MEMORY_QUEUE_MESSAGES } from './transport-limits.ts';

/** Two connected transports within this process. */
export function memoryPair(): [Transport, Transport] {
	const left = new MemoryTransport();
	const right = new MemoryTransport();
	left.join(right);
	right.join(left);
	return [left, right];
}

class MemoryTransport implements Transport {
	#other: MemoryTransport = this;
	#receiver: Receiver | undefined;
	#inbox: string[] = [];
	#isPaused = false;
	#endReason: OrchestraError | undefined;
	#hasNotifiedEnd = false;
	#flushWaiters: (() => void)[] = [];

	join(other: MemoryTransport): void {
		this.#other = other;
	}

	get isClosed(): boolean {
		return this.#endReason !== undefined;
	}

	start(receiver: Receiver): void {
		this.#receiver = receiver;
		this.#schedule();
	}

	post(text: string): boolean {
		if (this.#endReason) throw this.#endReason;
		this.#other.#inbox.push(text);
		if (this.#other.#inbox.length === 1) this.#other.#schedule();
		return this.#other.#inbox.length < MEMORY_QUEUE_MESSAGES;
	}

	flushed(): Promise<void> {
		if (this.#endReason) return Promise.reject(this.#endReason);
		if (this.#other.#inbox.length === 0) return Promise.resolve();
		return new Promise((resolve) => this.#flushWaiters.push(resolve));
	}

	pause(): void {
		this.#isPaused = true;
	}

	resume(): void {
		this.#isPaused = false;
		this.#schedule();
	}

	logStray(): void {}

	async close(): Promise<void> {
		this.#stop(new OrchestraError('closed', 'transport is shut down'));
		this.#other.#stop(new OrchestraError('closed', 'the other end was closed'));
	}

	#stop(reason: OrchestraError): void {
		this.#endReason ??= reason;
		for (const resolve of this.#flushWaiters.splice(0)) resolve();
		this.#schedule();
	}

	#schedule(): void {
		if (this.#receiver) queueMicrotask(() => this.#deliver());
	}

	#deliver(): void {
		while (!this.#isPaused && this.#receiver) {
			const text = this.#inbox.shift();
			if (text === undefined) break;
			this.#receiver.message(text);
		}
		if (this.#inbox.length > 0) return;
		for (const resolve of this.#other.#flushWaiters.splice(0)) resolve();
		if (this.#endReason === undefined || this.#hasNotifiedEnd) return;
		this.#hasNotifiedEnd = true;
		this.#receiver?.end(this.#endReason);
	}
}
