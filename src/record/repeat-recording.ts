/*
 * Makes the requests of a recording again, to a server, and compares the answers.
 *
 * One request after the other, in the order of the recording, with the notifications of
 * the client between them. A client request of the server gets the recorded answer. Secrets are
 * replaced in the new answers too, so that they do not count as differences.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import { redactJson } from '../redact.ts';
import { onAbort } from '../rpc/abortable.ts';
import { within } from '../rpc/clock.ts';
import type { Transport } from '../transport/transport.ts';
import { parseJson } from '../wire/json.ts';
import { rpcCodes } from '../wire/json-rpc.ts';
import { textAt } from '../wire/json-text.ts';
import { namedIn, type RecordedConversation, type RecordedExchange } from './exchanges.ts';
import { type JsonDifference, jsonDifferences } from './json-differences.ts';
import { REPEATED_ANSWER_MS } from './record-limits.ts';

/** The outcome of one request. */
export interface RepeatedRequest {
	readonly line: number;
	readonly method: string;
	/** The name of a tool or prompt, or the URI of a resource. */
	readonly name?: string | undefined;
	/** Why it was not made again. */
	readonly skipped?: string | undefined;
	readonly differences: readonly JsonDifference[];
}

export class RepeatedConversation {
	readonly #transport: Transport;
	readonly #conversation: RecordedConversation;
	readonly #waiting = new Map<string, (text: string) => void>();
	readonly #answered = new Map<string, number>();
	#endReason: OrchestraError | undefined;

	/** Starts the transport; the caller closes it. */
	constructor(transport: Transport, conversation: RecordedConversation) {
		this.#transport = transport;
		this.#conversation = conversation;
		transport.start({
			message: (text) => this.#receive(text),
			oversize: ({ limitBytes }) =>
				this.#end(new OrchestraError('bad_frame', `an answer is longer than ${limitBytes} bytes`)),
			failed: (_id, error) => this.#end(error),
			end: (reason) => this.#end(reason),
		});
	}

	/** Each request with the differences of its answer. Throws when the server ends or does not answer. */
	async *run(signal: AbortSignal): AsyncGenerator<RepeatedRequest> {
		onAbort(signal, () => this.#end(OrchestraError.from(signal.reason, 'canceled')));
		const notifications = [...this.#conversation.notifications];
		for (const exchange of this.#conversation.exchanges) {
			signal.throwIfAborted();
			while ((notifications[0]?.line ?? Number.POSITIVE_INFINITY) < exchange.line)
				this.#notify(notifications.shift()?.text);
			const { line, method } = exchange;
			const about = { line, method, name: namedIn(exchange.params) };
			const skipped = whySkipped(exchange);
			if (skipped !== undefined) yield { ...about, skipped, differences: [] };
			else yield { ...about, differences: await this.#repeat(exchange, signal) };
		}
	}

	async #repeat(exchange: RecordedExchange, signal: AbortSignal): Promise<JsonDifference[]> {
		const now = await this.#ask(exchange, signal);
		return jsonDifferences(answerOf(exchange.answer ?? { member: 'result', text: 'null' }), redactJson(now));
	}

	/** The answer as `{result}` or `{error}`. */
	async #ask({ text, id, method, line }: RecordedExchange, signal: AbortSignal): Promise<unknown> {
		if (this.#endReason) throw ended(this.#endReason, method, line);
		const answered = new Promise<string>((resolve) => this.#waiting.set(id, resolve));
		this.#post(text);
		const answer = await within(answered, REPEATED_ANSWER_MS);
		this.#waiting.delete(id);
		signal.throwIfAborted();
		if (this.#endReason && answer === '') throw ended(this.#endReason, method, line);
		if (answer === undefined)
			throw new OrchestraError(
				'timeout',
				`the server did not answer ${method} (line ${line}) within ${REPEATED_ANSWER_MS} ms`,
				{
					hint: 'Look at the log of the server; the recording has the answer that is expected.',
				},
			);
		const { result, error } = Object(parseJson(answer)) as Record<string, unknown>;
		return error === undefined ? { result } : { error };
	}

	/** Notifications about requests of the recording are not repeated: those requests have ended. */
	#notify(text: string | undefined): void {
		if (text === undefined || /"notifications\/(?:cancelled|progress)"/.test(text)) return;
		this.#post(text);
	}

	#receive(text: string): void {
		const id = textAt(text, 'id');
		const method = textAt(text, 'method');
		if (id === undefined) return;
		if (method !== undefined) return this.#answerRequest(id, JSON.parse(method));
		this.#waiting.get(id)?.(text);
	}

	/** The answers of the recording in their order; the last one again when there are no more. */
	#answerRequest(id: string, method: string): void {
		const answers = this.#conversation.clientAnswers.get(method) ?? [];
		const at = this.#answered.get(method) ?? 0;
		this.#answered.set(method, at + 1);
		const answer = answers[at] ?? answers.at(-1);
		const unknown = { code: rpcCodes.methodNotFound, message: `the recording has no answer to ${method}` };
		const { member, text } = answer ?? { member: 'error', text: JSON.stringify(unknown) };
		this.#post(`{"jsonrpc":"2.0","id":${id},"${method === 'ping' ? 'result":{}' : `${member}":${text}`}}`);
	}

	#post(text: string): void {
		try {
			this.#transport.post(text);
		} catch (thrown) {
			this.#end(OrchestraError.from(thrown, 'closed'));
		}
	}

	#end(reason: OrchestraError): void {
		this.#endReason ??= reason;
		for (const answered of this.#waiting.values()) answered('');
	}
}

function answerOf({ member, text }: { member: string; text: string }): unknown {
	return { [member]: JSON.parse(text) };
}

/** Why a request is not made again; undefined when it can be. */
export function whySkipped({
	method,
	answer,
	isCanceled,
	isMasked,
	omittedBytes,
}: RecordedExchange): string | undefined {
	if (omittedBytes !== undefined) return 'its answer was too long to be recorded';
	if (isCanceled) return 'it was canceled';
	if (answer === undefined) return 'it has no recorded answer';
	if (isMasked) return 'a secret in its params was replaced';
	return method === 'subscriptions/listen' ? 'it is a subscription' : undefined;
}

function ended(reason: OrchestraError, method: string, line: number): OrchestraError {
	return new OrchestraError(
		'closed',
		`the server ended before it answered ${method} (line ${line}): ${messageOf(reason)}`,
		{
			cause: reason,
			hint: 'Start it by hand with the same arguments, and look at what it prints.',
		},
	);
}
