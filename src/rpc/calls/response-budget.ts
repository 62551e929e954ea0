/*
 * The limit of unread output for peers that do not read.
 *
 * Thousands of calls may be in flight, and the size of their responses is known only
 * at the end: queueing new requests does not bound them. So a response over the limit
 * is dropped and replaced by a short error. After a flush the count restarts, so up to
 * twice the limit can be unread. The peers of one server share a total as well.
 */
import { type RpcErrorObject, rpcCodes } from '../../wire/json-rpc.ts';

/** The unread output of all peers of one server. */
export class UnreadTotal {
	readonly limit: number;
	#characters = 0;

	/** `limit` in characters. */
	constructor(limit: number) {
		this.limit = limit;
	}

	get characters(): number {
		return this.#characters;
	}

	/** Count more unread characters; negative when they were read. */
	add(characters: number): void {
		this.#characters += characters;
	}
}

/** The unread output of one peer. */
export class ResponseBudget {
	readonly #limit: number;
	readonly #total: UnreadTotal | undefined;
	#posted = 0;
	#batched = 0;

	/** `limit` in characters. */
	constructor(limit: number, total?: UnreadTotal) {
		this.#limit = limit;
		this.#total = total;
	}

	/** The limit that this many more characters would exceed; undefined when they fit. A single response may have any size. */
	exceededBy(characters: number): number | undefined {
		const waiting = this.#posted + this.#batched;
		if (waiting === 0) return undefined;
		if (waiting + characters > this.#limit) return this.#limit;
		const total = this.#total;
		return total && total.characters + characters > total.limit ? total.limit : undefined;
	}

	/** Count a message posted while the output is above its high-water mark. */
	posted(characters: number): void {
		this.#posted += characters;
		this.#total?.add(characters);
	}

	/** Count responses buffered in a batch; negative when they are sent. */
	batched(characters: number): void {
		this.#batched += characters;
		this.#total?.add(characters);
	}

	/** The output was flushed, or is lost. */
	flushed(): void {
		this.#total?.add(-this.#posted);
		this.#posted = 0;
	}
}

/** The error in place of a response that exceeds `limit`. */
export function droppedResponse(characters: number, limit: number): RpcErrorObject {
	return {
		code: rpcCodes.internal,
		message: `the call has run, but its response of ${characters} characters was dropped: ${limit} characters of responses are unread`,
		data: { code: 'io', outcome: 'ran', hint: 'Read responses while you send requests.' },
	};
}
