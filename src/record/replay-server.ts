/*
 * Serves a recording as an MCP server: each request gets the answer that was recorded
 * for it, with the messages that the server sent before.
 *
 * Times are not replayed: answers come at once. Ids, progress tokens and subscriptions are
 * those of the new client. A client request of the server is sent again, and its answer is
 * waited for, but nothing depends on it.
 */
import type { OrchestraError } from '../errors.ts';
import { parseBoundedJson } from '../files/value-bounds.ts';
import { SUBSCRIPTION_ID } from '../protocol/meta.ts';
import type { Receiver } from '../rpc/channel.ts';
import type { Transport } from '../transport/transport.ts';
import { isObject } from '../wire/json.ts';
import { encodeError, rpcCodes } from '../wire/json-rpc.ts';
import { elementsOf, textAt, withMember } from '../wire/json-text.ts';
import { MESSAGE_LEVELS } from '../wire/wire-limits.ts';
import { namedIn, type RecordedExchange } from './exchanges.ts';
import { MatchingExchanges, type Missing } from './matching-exchanges.ts';
import { REPLAYED_REQUEST_MS } from './record-limits.ts';

/** The id of a request as text, and as a value. */
interface Request {
	readonly id: string;
	readonly method: string;
	readonly params: unknown;
	readonly text: string;
}

export class ReplayServer implements Receiver {
	readonly #transport: Transport;
	readonly #exchanges: MatchingExchanges;
	readonly #onEnd: () => void;
	/** Client requests that wait for an answer, by id. */
	readonly #requests = new Map<string, () => void>();
	/** The answers that are being given. */
	readonly #playing = new Set<Promise<unknown>>();
	#isPaused = false;

	/** The caller starts the transport with this receiver, and closes it. @param onEnd the client disconnected */
	constructor(transport: Transport, exchanges: readonly RecordedExchange[], onEnd: () => void) {
		this.#transport = transport;
		this.#exchanges = new MatchingExchanges(exchanges);
		this.#onEnd = onEnd;
	}

	message(text: string): void {
		if (text.trim() === '') return;
		let value: unknown;
		try {
			value = parseBoundedJson(text, { depth: MESSAGE_LEVELS });
		} catch {
			return this.#post(encodeError(undefined, { code: rpcCodes.parse, message: 'parse error' }));
		}
		if (Array.isArray(value)) return this.#track(this.#batch(value, text));
		this.#track(this.#answerTo(value, text).then((answer) => answer && this.#post(answer)));
	}

	/** Resolves when every request so far is answered. */
	async settled(): Promise<void> {
		await Promise.all(this.#playing);
	}

	oversize(): void {
		const message = 'the message is too long';
		this.#post(encodeError(undefined, { code: rpcCodes.invalidRequest, message }));
	}

	end(_reason: OrchestraError): void {
		for (const answered of this.#requests.values()) answered();
		this.#onEnd();
	}

	#track(playing: Promise<unknown>): void {
		this.#playing.add(playing);
		void playing.finally(() => this.#playing.delete(playing));
	}

	async #batch(values: readonly unknown[], text: string): Promise<void> {
		const strings = elementsOf(text);
		const answers = await Promise.all(values.map((value, at) => this.#answerTo(value, strings[at] ?? '')));
		const given = answers.filter((answer) => answer !== undefined);
		if (given.length > 0) this.#post(`[${given.join(',')}]`);
	}

	/** The response; undefined when none is due. Never rejects. */
	async #answerTo(value: unknown, text: string): Promise<string | undefined> {
		if (!isObject(value)) return undefined;
		const { method, params } = value;
		const id = textAt(text, 'id');
		if (typeof method !== 'string') {
			this.#requests.get(id ?? '')?.();
			return undefined;
		}
		if (id === undefined) return undefined;
		if (method === 'ping') return response(id, 'result', '{}');
		const found = this.#exchanges.find(method, params);
		if (typeof found === 'string') return response(id, 'error', JSON.stringify(notRecorded(found, value)));
		return this.#play(found, { id, method, params, text });
	}

	async #play(exchange: RecordedExchange, request: Request): Promise<string | undefined> {
		for (const text of exchange.before) await this.#send(text, exchange, request);
		for (const text of exchange.after) setImmediate(() => void this.#send(text, exchange, request));
		const { answer, isCanceled, method } = exchange;
		if (answer) return response(request.id, answer.member, answer.text);
		const isOpen = isCanceled || method === 'subscriptions/listen';
		return isOpen ? undefined : response(request.id, 'error', JSON.stringify(noAnswer(exchange)));
	}

	/** Send a message of the server, and wait for the answer when it is a client request. */
	#send(text: string, exchange: RecordedExchange, request: Request): Promise<void> | undefined {
		const sent = retargeted(text, exchange, request);
		if (sent === undefined) return undefined;
		const id = textAt(sent, 'id');
		if (id === undefined) {
			this.#post(sent);
			return undefined;
		}
		return new Promise<void>((resolve) => {
			const answered = (): void => {
				clearTimeout(timer);
				this.#requests.delete(id);
				resolve();
			};
			const timer = setTimeout(answered, REPLAYED_REQUEST_MS);
			this.#requests.set(id, answered);
			this.#post(sent);
		});
	}

	/** A client that does not read is not read either. */
	#post(text: string): void {
		try {
			if (this.#transport.post(text) || this.#isPaused) return;
		} catch {
			return; // the client is gone, which `end` reports
		}
		this.#isPaused = true;
		this.#transport.pause();
		const resume = (): void => {
			this.#isPaused = false;
			this.#transport.resume();
		};
		this.#transport.flushed().then(resume, resume);
	}
}

function response(id: string, member: 'result' | 'error', text: string): string {
	return `{"jsonrpc":"2.0","id":${id},"${member}":${text}}`;
}

/** The message with the token and the subscription of the new request. Undefined for progress that was not requested. */
function retargeted(text: string, exchange: RecordedExchange, request: Request): string | undefined {
	let sent = text;
	if (textAt(text, 'params', 'progressToken') !== undefined) {
		const token = textAt(request.text, 'params', '_meta', 'progressToken');
		if (token === undefined) return undefined;
		sent = withMember(sent, ['params', 'progressToken'], token);
	}
	const subscription = textAt(text, 'params', '_meta', SUBSCRIPTION_ID);
	if (subscription !== undefined && subscription === exchange.id)
		sent = withMember(sent, ['params', '_meta', SUBSCRIPTION_ID], request.id);
	return sent;
}

function notRecorded(why: Missing, { method, params }: Record<string, unknown>): object {
	const name = namedIn(params);
	const what = name === undefined ? String(method) : `${String(method)} of ${name}`;
	if (why === 'method') return { code: rpcCodes.methodNotFound, message: `${what} was not recorded` };
	const message =
		why === 'params'
			? `${what} was not recorded with these params`
			: `${what} with these params was called more often than it was recorded`;
	return { code: rpcCodes.invalidParams, message, data: { method, params } };
}

function noAnswer({ method, line, omittedBytes }: RecordedExchange): object {
	const why =
		omittedBytes === undefined
			? 'the recording ends before its answer'
			: `its answer of ${omittedBytes} bytes was too long to be recorded`;
	return { code: rpcCodes.internal, message: `${method} in line ${line} has no answer: ${why}` };
}
