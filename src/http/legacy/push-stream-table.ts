/*
 * The streams on which a legacy session sends messages that belong to no request.
 *
 * A client may open several. Each message is sent on one of them only, the newest that
 * is open; a second one does not end the first, because a client that reconnects by
 * itself would then open both in turn forever. Without an open stream a few messages
 * wait for the next one.
 */
import type { EventStream } from '../event-stream.ts';
import type { HttpLimits } from '../http-limits.ts';
import type { ReplayBuffer } from './replay-buffer.ts';

interface PushStream {
	readonly stream: EventStream;
	readonly name: string;
	eventCount: number;
}

export class PushStreamTable {
	readonly #limits: HttpLimits;
	readonly #replay: ReplayBuffer;
	/** The newest is the last. */
	#open: PushStream[] = [];
	#unsent: string[] = [];
	#unsentCharacters = 0;

	constructor(limits: HttpLimits, replay: ReplayBuffer) {
		this.#limits = limits;
		this.#replay = replay;
	}

	get count(): number {
		return this.#open.length;
	}

	send(text: string): void {
		const newest = this.#open.at(-1);
		if (newest) return this.#sendOn(newest, text);
		this.#unsent.push(text);
		this.#unsentCharacters += text.length;
		const { unsentMessages, unsentCharacters } = this.#limits;
		while (this.#unsent.length > unsentMessages || this.#unsentCharacters > unsentCharacters)
			this.#unsentCharacters -= this.#unsent.shift()?.length ?? 0;
	}

	/** @param name of the stream, unique in the session @param eventCount sent on it already */
	add(stream: EventStream, name: string, eventCount: number): void {
		const opened = { stream, name, eventCount };
		this.#open.push(opened);
		stream.onClose(() => (this.#open = this.#open.filter((each) => each !== opened)));
		this.#unsentCharacters = 0;
		for (const text of this.#unsent.splice(0)) this.#sendOn(opened, text);
	}

	keepAlive(now: number): void {
		for (const { stream } of this.#open) stream.keepAlive(now);
	}

	end(): void {
		for (const { stream } of this.#open) stream.end();
	}

	#sendOn(target: PushStream, text: string): void {
		target.stream.send(text, this.#replay.add(target.name, ++target.eventCount, text));
	}
}
