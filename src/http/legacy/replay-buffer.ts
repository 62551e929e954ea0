/*
 * The last messages of a legacy session, for a client that resumes a stream after its
 * connection broke. Bounded by number and size; the oldest are dropped.
 *
 * An event id names its stream and the number of the event in it, so that only the
 * messages of that stream are sent again.
 */
import type { HttpLimits } from '../http-limits.ts';

export interface BufferedEvent {
	readonly id: string;
	readonly text: string;
	readonly stream: string;
	/** Its number in the stream. */
	readonly number: number;
}

export class ReplayBuffer {
	readonly #limits: Pick<HttpLimits, 'replayMessages' | 'replayCharacters'>;
	readonly #events: BufferedEvent[] = [];
	#characters = 0;

	constructor(limits: Pick<HttpLimits, 'replayMessages' | 'replayCharacters'>) {
		this.#limits = limits;
	}

	/** Buffer a message. Returns its event id. */
	add(stream: string, number: number, text: string): string {
		const id = eventId(stream, number);
		this.#events.push({ id, stream, number, text });
		this.#characters += text.length;
		while (this.#events.length > this.#limits.replayMessages || this.#isTooLarge) {
			this.#characters -= this.#events.shift()?.text.length ?? 0;
		}
		return id;
	}

	/** The messages of a stream after `number`; undefined when some are lost. */
	after(stream: string, number: number): readonly BufferedEvent[] | undefined {
		const events = this.#events.filter((event) => event.stream === stream && event.number > number);
		const [first] = events;
		return first === undefined || first.number === number + 1 ? events : undefined;
	}

	get #isTooLarge(): boolean {
		return this.#characters > this.#limits.replayCharacters && this.#events.length > 0;
	}
}

export function eventId(stream: string, number: number): string {
	return `${stream}-${number}`;
}

/** What an event id says; undefined when it is not one of ours. */
export function readEventId(id: string): { stream: string; number: number } | undefined {
	const [, stream, number] = /^([a-z]\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
	return stream === undefined ? undefined : { stream, number: Number(number) };
}
