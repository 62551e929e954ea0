/*
 * A recording as exchanges: each request of the client with its answer, and what the
 * server sent meanwhile.
 *
 * A message of the server belongs to the request that its progress token or subscription
 * names, else to the last request in flight, else it comes after the last answer.
 */

import { metaOf, SUBSCRIPTION_ID } from '../protocol/meta.ts';
import { MASK } from '../token-shapes.ts';
import { canonicalJson } from '../wire/canonical-json.ts';
import { isObject } from '../wire/json.ts';
import { elementsOf, textAt } from '../wire/json-text.ts';
import type { Recording } from './read-recording.ts';
import type { RecordedMessage } from './recording-format.ts';

/** The answer to a request, as it was written. */
export interface RecordedAnswer {
	readonly member: 'result' | 'error';
	/** The JSON text of the result or the error. */
	readonly text: string;
	readonly line: number;
}

/** One request of the client. */
export interface RecordedExchange {
	readonly line: number;
	readonly method: string;
	readonly params: unknown;
	/** The whole request. */
	readonly text: string;
	/** The id as JSON text. */
	readonly id: string;
	/** Method and params without `_meta`: equal for equal requests. */
	readonly key: string;
	/** Whether a secret was replaced in the params. */
	readonly isMasked: boolean;
	/** Undefined when there was none. */
	answer: RecordedAnswer | undefined;
	/** Whether the client gave up. */
	isCanceled: boolean;
	/** Whether it was answered or canceled. */
	isSettled: boolean;
	/** The size of an answer that was too long to be recorded. */
	omittedBytes: number | undefined;
	/** Messages of the server before the answer, and after it. */
	readonly before: string[];
	readonly after: string[];
}

/** Method and params without `_meta`, in one form for equal values. */
export function requestKey(method: string, params: unknown): string {
	return `${method} ${canonicalJson(withoutMeta(params))}`;
}

export function withoutMeta(params: unknown): unknown {
	if (!isObject(params)) return params;
	const { _meta, ...rest } = params;
	return rest;
}

/** The tool, prompt or resource that the params of a request name. */
export function namedIn(params: unknown): string | undefined {
	const { name, uri } = isObject(params) ? params : {};
	const found = name ?? uri;
	return typeof found === 'string' ? found : undefined;
}

/** The requests of several recordings. One without an answer is left out: it goes on in another file. */
export function exchangesOf(recordings: readonly Recording[]): readonly RecordedExchange[] {
	const all = recordings.flatMap((recording) => conversationOf(recording).exchanges);
	if (recordings.length < 2) return all;
	return all.filter(({ isSettled, method }) => isSettled || method === 'subscriptions/listen');
}

export function conversationOf({ messages }: Recording): RecordedConversation {
	const found = new RecordedConversation();
	for (const message of messages) for (const part of partsOf(message)) found.add(part);
	return found;
}

interface Part {
	readonly line: number;
	readonly from: RecordedMessage['from'];
	readonly text: string;
	readonly value: Readonly<Record<string, unknown>>;
	readonly omittedBytes: number | undefined;
}

/** The content of a recording. */
export class RecordedConversation {
	readonly exchanges: RecordedExchange[] = [];
	/** Notifications of the client, with the line of each. */
	readonly notifications: { line: number; text: string }[] = [];
	/** The answers of the client to requests of the server, by method, in order. */
	readonly clientAnswers: Map<string, RecordedAnswer[]> = new Map();
	readonly #inFlight = new Map<string, RecordedExchange>();
	/** The methods of the server's requests, by id. */
	readonly #methods = new Map<string, string>();
	readonly #byToken = new Map<string, RecordedExchange>();
	/** The calls without an answer, and some that have one. */
	readonly #calls: RecordedExchange[] = [];
	#last: RecordedExchange | undefined;

	/** Add the next message. */
	add(part: Part): void {
		const { method } = part.value;
		if (part.from === 'client') {
			if (typeof method !== 'string') this.#clientAnswered(part);
			else if (part.value['id'] === undefined) this.#notified(part, method);
			else this.#requested(part, method);
		} else if (typeof method === 'string') this.#fromServer(part, method);
		else this.#answered(part);
	}

	#requested({ line, text, value }: Part, method: string): void {
		const { params } = value;
		const id = textAt(text, 'id') ?? '';
		const key = requestKey(method, params);
		const exchange: RecordedExchange = {
			...{ line, method, params, text, id, key, isMasked: key.includes(MASK) },
			...{ answer: undefined, isCanceled: false, isSettled: false, omittedBytes: undefined },
			before: [],
			after: [],
		};
		this.exchanges.push(exchange);
		this.#inFlight.set(id, exchange);
		if (method !== 'subscriptions/listen') this.#calls.push(exchange);
		const token = metaOf(params)['progressToken'];
		if (token !== undefined) this.#byToken.set(JSON.stringify(token), exchange);
	}

	#answered({ line, text, value, omittedBytes }: Part): void {
		const id = omittedBytes === undefined ? textAt(text, 'id') : JSON.stringify(value['id']);
		const exchange = this.#inFlight.get(id ?? '');
		if (exchange === undefined) return;
		this.#inFlight.delete(id ?? '');
		this.#last = exchange;
		exchange.isSettled = true;
		exchange.omittedBytes = omittedBytes;
		exchange.answer = answerIn(text, line);
	}

	#fromServer(part: Part, method: string): void {
		const { id, params } = part.value;
		if (id !== undefined) this.#methods.set(JSON.stringify(id), method);
		const meta = metaOf(params);
		const token = isObject(params) ? params['progressToken'] : undefined;
		const subscription = meta[SUBSCRIPTION_ID];
		const named =
			(token === undefined ? undefined : this.#byToken.get(JSON.stringify(token))) ??
			(subscription === undefined ? undefined : this.#inFlight.get(JSON.stringify(subscription)));
		const owner = named ?? this.#lastCall();
		if (owner) owner.before.push(part.text);
		else this.#last?.after.push(part.text);
	}

	/** The last request in flight that is not a subscription. */
	#lastCall(): RecordedExchange | undefined {
		while (this.#calls.at(-1)?.isSettled) this.#calls.pop();
		return this.#calls.at(-1);
	}

	#notified({ line, text, value }: Part, method: string): void {
		this.notifications.push({ line, text });
		if (method !== 'notifications/cancelled') return;
		const id = textAt(text, 'params', 'requestId') ?? '';
		const exchange = this.#inFlight.get(id);
		if (exchange === undefined || !isObject(value['params'])) return;
		exchange.isCanceled = true;
		exchange.isSettled = true;
	}

	#clientAnswered({ line, text, value }: Part): void {
		const method = this.#methods.get(JSON.stringify(value['id']));
		const answer = answerIn(text, line);
		if (method === undefined || answer === undefined) return;
		const earlier = this.clientAnswers.get(method);
		if (earlier) earlier.push(answer);
		else this.clientAnswers.set(method, [answer]);
	}
}

function answerIn(text: string, line: number): RecordedAnswer | undefined {
	for (const member of ['result', 'error'] as const) {
		const found = textAt(text, member);
		if (found !== undefined) return { member, text: found, line };
	}
	return undefined;
}

/** A batch has several. */
function partsOf({ line, from, text = '{}', value, omittedBytes }: RecordedMessage): Part[] {
	const values = Array.isArray(value) ? value : [value];
	const strings = Array.isArray(value) ? elementsOf(text) : [text];
	return values.flatMap((each: unknown, at): Part[] =>
		isObject(each) ? [{ line, from, text: strings[at] ?? '{}', value: each, omittedBytes }] : [],
	);
}
