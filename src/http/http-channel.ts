/*
 * A channel over HTTP exchanges. Its streams bound their own output and end when they
 * are not read, so the channel as a whole has no backpressure.
 */
import type { About, Channel } from '../rpc/channel.ts';

export abstract class HttpChannel implements Channel {
	abstract post(text: string, about?: About): boolean;

	abstract close(): Promise<void>;

	flushed(): Promise<void> {
		return Promise.resolve();
	}

	pause(): void {}

	resume(): void {}

	logStray(): void {}
}
