/*
 * The stderr of a plugin: the READY line with its address, and its log.
 *
 * It is read until the plugin ends, so that the plugin never blocks on it. The rate is
 * limited: beyond a number of bytes per second, chunks are dropped unparsed, and their
 * size is logged with the next line.
 */
import { STDERR_LINE_BYTES } from '../../process/process-limits.ts';
import { deferred } from '../../rpc/deferred.ts';
import { LineSplitter, NEWLINE } from '../../wire/lines.ts';
import { BYTES_PER_SECOND } from '../plugin-limits.ts';

const SECOND_MS = 1000;

export class StderrLines {
	/** Resolves with the address of the plugin. */
	readonly ready: Promise<string>;
	readonly #address = deferred<string>();
	readonly #onLog: ((line: string) => void) | undefined;
	readonly #now: () => number;
	#lines = new LineSplitter(STDERR_LINE_BYTES);
	#isReady = false;
	#secondStartedAt = Number.NEGATIVE_INFINITY;
	#readBytes = 0;
	#droppedBytes = 0;

	constructor(onLog: ((line: string) => void) | undefined, now: () => number = () => performance.now()) {
		this.#onLog = onLog;
		this.#now = now;
		this.ready = this.#address.promise;
	}

	push(chunk: Uint8Array): void {
		if (this.#isReady && this.#isOverRate(chunk.length)) {
			this.#droppedBytes += chunk.length;
			return;
		}
		const rest = this.#droppedBytes > 0 ? this.#resume(chunk) : chunk;
		for (const line of this.#lines.push(rest)) this.#take(typeof line === 'string' ? line : line.head);
	}

	#take(text: string): void {
		const address = this.#isReady ? undefined : /^READY (\S+)$/.exec(text.trim())?.[1];
		if (address === undefined) return this.#onLog?.(text);
		this.#isReady = true;
		this.#address.resolve(address);
	}

	#isOverRate(bytes: number): boolean {
		if (this.#now() - this.#secondStartedAt >= SECOND_MS) {
			this.#secondStartedAt = this.#now();
			this.#readBytes = 0;
		}
		this.#readBytes += bytes;
		return this.#readBytes > BYTES_PER_SECOND;
	}

	/** Continue with the first whole line after the dropped bytes. */
	#resume(chunk: Uint8Array): Uint8Array {
		const newline = chunk.indexOf(NEWLINE);
		if (newline === -1) {
			this.#droppedBytes += chunk.length;
			return chunk.subarray(chunk.length);
		}
		this.#onLog?.(`(${this.#droppedBytes + newline} bytes of its stderr were dropped)`);
		this.#droppedBytes = 0;
		this.#lines = new LineSplitter(STDERR_LINE_BYTES);
		return chunk.subarray(newline + 1);
	}
}
