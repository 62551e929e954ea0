/*
 * What a plugin writes to stderr: the line that says where it listens, and its log.
 *
 * It is read for the whole life of the plugin, so that the plugin never blocks on it.
 * A plugin that floods it costs the hub little: beyond a number of bytes a second,
 * chunks are dropped unread, and their size is said with the next line that passes.
 */
import { deferred } from '../../rpc/deferred.ts';
import { LineSplitter } from '../../wire/lines.ts';

const LONGEST_LINE_BYTES = 64 * 1024;
/** What is read in a second once the plugin is ready. */
const BYTES_PER_SECOND = 256 * 1024;
const SECOND_MS = 1000;
const NEWLINE = 0x0a;

export class StderrLines {
	/** Where the plugin listens, once it has said so. */
	readonly ready: Promise<string>;
	readonly #address = deferred<string>();
	readonly #onLog: ((line: string) => void) | undefined;
	readonly #now: () => number;
	#lines = new LineSplitter(LONGEST_LINE_BYTES);
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
		if (this.#isReady && this.#isTooMuch(chunk.length)) {
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

	#isTooMuch(bytes: number): boolean {
		if (this.#now() - this.#secondStartedAt >= SECOND_MS) {
			this.#secondStartedAt = this.#now();
			this.#readBytes = 0;
		}
		this.#readBytes += bytes;
		return this.#readBytes > BYTES_PER_SECOND;
	}

	/** Go on with the first whole line after what was dropped. */
	#resume(chunk: Uint8Array): Uint8Array {
		const newline = chunk.indexOf(NEWLINE);
		if (newline === -1) {
			this.#droppedBytes += chunk.length;
			return chunk.subarray(chunk.length);
		}
		this.#onLog?.(`(${this.#droppedBytes + newline} bytes of its stderr were left out)`);
		this.#droppedBytes = 0;
		this.#lines = new LineSplitter(LONGEST_LINE_BYTES);
		return chunk.subarray(newline + 1);
	}
}
