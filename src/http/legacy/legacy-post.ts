/*
 * The requests of one POST of a legacy session, and their answer.
 *
 * The answer outlives its connection: a client that has an event id can resume the
 * stream on another one. Without an id the answer has no reader and is dropped.
 */
import { droppedResponse, ResponseBudget, type UnreadTotal } from '../../rpc/calls/response-budget.ts';
import { encodeError, type Id } from '../../wire/json-rpc.ts';
import type { EventStream } from '../event-stream.ts';
import { LEGACY_RETRY_MS } from '../http-limits.ts';
import { PostAnswer, type PostAnswerDeps } from '../post-answer.ts';
import { type BufferedEvent, eventId, type ReplayBuffer } from './replay-buffer.ts';

export interface LegacyPostDeps extends Pick<PostAnswerDeps, 'limits' | 'heartbeats'> {
	/** The name of its stream, unique in the session. */
	readonly name: string;
	readonly replay: ReplayBuffer;
	/** True when the revision has streams that begin with an id. */
	readonly isPrimed: boolean;
	/** The keys of its requests. */
	readonly keys: Iterable<Id>;
	/** True when the answer is an array. */
	readonly isBatch: boolean;
	readonly unreadTotal: UnreadTotal;
}

export class LegacyPost {
	readonly #deps: LegacyPostDeps;
	readonly #open: Set<Id>;
	readonly #budget: ResponseBudget;
	readonly #responses: string[] = [];
	#answer: PostAnswer | undefined;
	/** The stream on which the client resumed. */
	#resumed: EventStream | undefined;
	#isStream = false;
	#eventCount = 0;

	constructor(response: ConstructorParameters<typeof PostAnswer>[0], deps: LegacyPostDeps) {
		const { limits, heartbeats } = deps;
		this.#deps = deps;
		this.#open = new Set(deps.keys);
		this.#budget = new ResponseBudget(limits.collectedCharacters, deps.unreadTotal);
		this.#answer = new PostAnswer(response, {
			limits,
			heartbeats,
			streamAfterMs: limits.streamAfterMs,
			onStream: (stream) => this.#onStream(stream),
			onDisconnect: () => {
				this.#answer = undefined;
				this.#takeResponses();
			},
		});
	}

	get name(): string {
		return this.#deps.name;
	}

	/** True while a message can reach the client, now or when it resumes. */
	get isReachable(): boolean {
		return this.#answer !== undefined || this.#isStream;
	}

	/** True while a client is connected. */
	get isConnected(): boolean {
		return this.#answer !== undefined || this.#resumed?.isOpen === true;
	}

	/** True when every request has its response or was canceled. */
	get isDone(): boolean {
		return this.#open.size === 0;
	}

	/** Send a message before the response. */
	send(text: string): void {
		this.#answer?.stream();
		if (this.#isStream) this.#sendEvent(text);
	}

	/** Send the response to one of the requests. */
	respond(id: Id, text: string): void {
		this.#open.delete(id);
		if (this.#isStream) this.#sendEvent(text);
		else if (this.#answer) this.#collect(id, text);
		if (this.isDone) this.#finish();
	}

	/** A request was canceled: it gets no response. */
	cancel(key: Id): void {
		if (this.#open.delete(key) && this.isDone) this.#finish();
	}

	/** The events after `number`; undefined when some are lost. */
	after(number: number): readonly BufferedEvent[] | undefined {
		const events = this.#deps.replay.after(this.name, number);
		return events?.length === this.#eventCount - number ? events : undefined;
	}

	/** Continue on another connection, with the events that the client missed. */
	resume(stream: EventStream, events: readonly BufferedEvent[]): void {
		this.#answer?.end();
		this.#answer = undefined;
		this.#resumed?.end();
		this.#resumed = stream;
		for (const { text, id } of events) stream.send(text, id);
	}

	keepAlive(now: number): void {
		this.#resumed?.keepAlive(now);
	}

	/** The session ends. */
	end(): void {
		this.#answer?.end();
		this.#resumed?.end();
	}

	#onStream(stream: EventStream): void {
		this.#isStream = true;
		if (this.#deps.isPrimed) stream.prime(eventId(this.name, 0), LEGACY_RETRY_MS);
		// Responses of a batch that were collected so far.
		for (const text of this.#takeResponses()) this.#sendEvent(text, stream);
	}

	#sendEvent(text: string, stream: EventStream | undefined = this.#stream): void {
		const id = this.#deps.replay.add(this.name, ++this.#eventCount, text);
		stream?.send(text, id);
	}

	get #stream(): EventStream | undefined {
		return this.#answer?.stream() ?? this.#resumed;
	}

	#finish(): void {
		const responses = this.#takeResponses();
		const [first] = responses;
		if (this.#isStream || first === undefined) return this.end();
		this.#answer?.finish(200, this.#deps.isBatch ? `[${responses.join(',')}]` : first);
	}

	#collect(id: Id, text: string): void {
		const limit = this.#budget.exceededBy(text.length);
		const buffered = limit === undefined ? text : encodeError(id, droppedResponse(text.length, limit));
		this.#budget.batched(buffered.length);
		this.#responses.push(buffered);
	}

	#takeResponses(): string[] {
		const responses = this.#responses.splice(0);
		for (const { length } of responses) this.#budget.batched(-length);
		return responses;
	}
}
