/*
 * One JSON-RPC request over HTTP, from POST to answer.
 *
 * It is sent again only when the server certainly did not process it (no connection,
 * a lost session, wrong headers), or once when its method is idempotent. Everything
 * else that ends without an answer fails the call at once.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { messageOf, OrchestraError, requestOutcomeOf } from '../../errors.ts';
import { pause } from '../../rpc/clock.ts';
import { encodeError, type Id, rpcCodes } from '../../wire/json-rpc.ts';
import { resumeStream } from './events/event-source.ts';
import { ERROR_BODY_BYTES, RECONNECT_DELAYS_MS, STREAM_SILENCE } from './http-client-limits.ts';
import { interrupted, notMcp, refused, tooLarge } from './http-errors.ts';
import type { WireExchange } from './http-wire.ts';
import { isIdempotent, type OutgoingMessage } from './outgoing-message.ts';
import {
	type HttpVerdict,
	isAnswer,
	isEraVerdict,
	isUnknownSession,
	mayHaveEventLink,
	type Repair,
	repairFor,
} from './refusal-rules.ts';
import type { RequestContext } from './request-context.ts';
import {
	closeSoon,
	discardBody,
	isEventStream,
	newPosition,
	readEvents,
	readText,
	type StreamPosition,
} from './response-body.ts';
import { errorIn, responseId, splitBatch } from './response-messages.ts';

export class PostRequest {
	readonly message: OutgoingMessage;
	readonly id: Id;
	readonly #context: RequestContext;
	readonly #onFlushed: () => void;
	readonly #repaired = new Set<Repair>();
	#session: string | undefined;
	/** Delivers a refusal that may mean a lost session, when it does not. */
	#deliverRefusal: (() => void) | undefined;
	#exchange: WireExchange | undefined;
	#abort: AbortController | undefined;
	#isDone = false;
	#isFlushed = false;

	/** @param onFlushed called when the message was written, and again when the request ends */
	constructor(message: OutgoingMessage, id: Id, context: RequestContext, onFlushed: () => void) {
		this.message = message;
		this.id = id;
		this.#context = context;
		this.#onFlushed = onFlushed;
	}

	/** True when the whole message was written to the operating system. */
	get isFlushed(): boolean {
		return this.#isFlushed;
	}

	/** Send it and deliver the answer or the failure. Never rejects. */
	async run(): Promise<void> {
		try {
			for (let repair = await this.#attempts(); repair; repair = await this.#attempts()) {
				this.#repaired.add(repair);
				if (repair === 'headers') await this.#context.relistTools(this.message);
				else if (this.#deliverRefusal && !(await this.#context.isSessionLost(this.#session)))
					return this.#deliverRefusal();
				else await this.#context.renewSession(this.#session);
			}
		} catch (thrown) {
			this.fail(OrchestraError.from(thrown, 'io'));
		} finally {
			this.#onFlushed();
		}
	}

	/** Deliver the answer, once. */
	answer(text: string, headers: IncomingHttpHeaders): void {
		if (this.#isDone) return;
		this.#isDone = true;
		this.#context.onAnswer(this.message, text, headers);
	}

	/** Deliver the failure, unless there was an answer. */
	fail(error: OrchestraError): void {
		if (this.#isDone) return;
		this.#isDone = true;
		this.#context.onFailed(this.message, error);
	}

	/** The caller wants no answer any more: close the stream. */
	abort(): void {
		this.#isDone = true;
		this.#exchange?.abort();
		this.#abort?.abort();
	}

	/** Send until there is an answer, or something to repair first. */
	async #attempts(): Promise<Repair | undefined> {
		for (let attempt = 0; ; attempt++) {
			try {
				return await this.#once();
			} catch (thrown) {
				const error = OrchestraError.from(thrown, 'io');
				const delayMs = this.#retryDelay(error, attempt);
				if (delayMs === undefined) throw error;
				await pause(delayMs, this.#signal());
			}
		}
	}

	#retryDelay(error: OrchestraError, attempt: number): number | undefined {
		if (this.#isDone) return undefined;
		if (requestOutcomeOf(error) === 'unknown')
			return isIdempotent(this.message.method) && attempt === 0 ? 0 : undefined;
		const hasFailedToConnect = requestOutcomeOf(error) === 'not_run' && error.data['status'] === undefined;
		return hasFailedToConnect && this.#context.wire.wasReachable ? RECONNECT_DELAYS_MS[attempt] : undefined;
	}

	async #once(): Promise<Repair | undefined> {
		const { message } = this;
		const ready = this.#context.ready(message);
		if (ready) await ready;
		this.#session = this.#context.sessionOf(message);
		this.#exchange = this.#context.wire.exchange({
			method: 'POST',
			...this.#context.target(message),
			body: message.text,
			onFlushed: () => {
				this.#isFlushed = true;
				this.#onFlushed();
			},
		});
		if (this.#isDone) return undefined;
		const response = await this.#exchange.reply();
		this.#context.flow.add(response);
		const { statusCode: status = 0 } = response;
		if (status < 200 || status >= 300) return this.#readRefusal(response, status);
		if (this.#context.hasEventLink()) {
			discardBody(response);
			return undefined; // the answer arrives on the other stream
		}
		return isEventStream(response) ? this.#readStream(response) : this.#readAnswer(response, status);
	}

	async #readAnswer(response: IncomingMessage, status: number): Promise<Repair | undefined> {
		const { limitBytes, wire } = this.#context;
		const body = await this.#textOf(response, limitBytes);
		if (body === undefined) throw tooLarge(wire.label, limitBytes, 'ran');
		const repair = this.#accept(body, response.headers);
		if (repair || this.#isDone) return repair;
		return this.#handleForeign(notMcp(wire.label, { status, headers: response.headers, body }), status);
	}

	async #readStream(first: IncomingMessage): Promise<Repair | undefined> {
		const { limitBytes, wire, flow } = this.#context;
		const position = newPosition();
		let repair: Repair | undefined;
		for (let response: IncomingMessage | undefined = first; response; flow.add(response)) {
			const stream = response;
			const onEvent = ({ data }: { data: string }): void => {
				repair ??= this.#accept(data, stream.headers);
				if (this.#isDone || repair) closeSoon(stream);
			};
			const silence = this.message.method === 'subscriptions/listen' ? STREAM_SILENCE : undefined;
			const end = await readEvents(stream, { limitBytes, position, isPolled: true, silence, onEvent });
			if (this.#isDone || repair) return repair;
			// It may be the answer, or a notification before it.
			if (end === 'too large') throw tooLarge(wire.label, limitBytes, 'unknown');
			response = await this.#resume(position);
			if (response === undefined) break;
		}
		if (this.#isDone) return undefined;
		throw interrupted(wire.label, 'ended its stream without an answer');
	}

	/** Only the legacy era has resumption, and only for a stream with event ids. */
	#resume(position: StreamPosition): Promise<IncomingMessage | undefined> {
		if (this.message.version !== undefined || position.lastEventId === undefined)
			return Promise.resolve(undefined);
		const { wire } = this.#context;
		const { headers } = this.#context.target(this.message);
		return resumeStream(position, { wire, headers, signal: this.#signal() });
	}

	/** Deliver every message of `text`; returns what must be repaired instead. */
	#accept(text: string, headers: IncomingHttpHeaders): Repair | undefined {
		for (const one of splitBatch(text)) {
			const id = responseId(one);
			const error = id === undefined ? undefined : errorIn(one);
			const isOurs = id === null ? error !== undefined : id === this.id;
			const deliver = (): void =>
				this.answer(id === null && error ? encodeError(this.id, error) : one, headers);
			const verdict = { status: 200, code: error?.code, said: error?.message ?? '' };
			const repair = isOurs && error ? this.#repairFor(verdict, deliver) : undefined;
			if (repair) return repair;
			if (isOurs) deliver();
			else if (one.includes('"jsonrpc"')) this.#context.onMessage(one, id, this.id);
		}
		return undefined;
	}

	async #readRefusal(response: IncomingMessage, status: number): Promise<Repair | undefined> {
		const { headers } = response;
		const body = (await this.#textOf(response, ERROR_BODY_BYTES)) ?? '';
		const error = errorIn(body);
		const verdict = { status, code: error?.code, said: body };
		const deliver = (): void => {
			if (error && isAnswer(verdict)) return this.answer(encodeError(this.id, error), headers);
			const { label } = this.#context.wire;
			this.#handleForeign(refused(label, { status, headers, body: error?.message ?? body }), status);
		};
		const repair = this.#repairFor(verdict, deliver);
		if (repair) return repair;
		if (mayHaveEventLink(this.message, verdict) && (await this.#context.fallBack())) return this.#once();
		deliver();
		return undefined;
	}

	#handleForeign(failure: OrchestraError, status: number): undefined {
		if (!isEraVerdict(this.message, status)) throw failure;
		const error = { code: rpcCodes.methodNotFound, message: failure.message, data: { status } };
		this.answer(encodeError(this.id, error), {});
		return undefined;
	}

	/** Each kind of repair is tried once. `deliver` delivers the refusal as the answer. */
	#repairFor(verdict: HttpVerdict, deliver: () => void): Repair | undefined {
		const repair = repairFor(this.message, this.#session, verdict);
		if (repair === undefined || this.#repaired.has(repair)) return undefined;
		this.#deliverRefusal = isUnknownSession(verdict) ? undefined : deliver;
		return repair;
	}

	async #textOf(response: IncomingMessage, limitBytes: number): Promise<string | undefined> {
		try {
			return await readText(response, limitBytes);
		} catch (cause) {
			throw interrupted(this.#context.wire.label, `cut its answer: ${messageOf(cause)}`, cause);
		}
	}

	#signal(): AbortSignal {
		this.#abort ??= new AbortController();
		return this.#abort.signal;
	}
}
