/*
 * What comes in: each line is parsed once, told apart, and handed on.
 *
 * An answer is settled at once. A request is served, or waits in `Admission`; so
 * does whatever else would be answered, nonsense included. An answer to a call of
 * ours that cannot be used fails that call, with the line in the error.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { elementsOf, isObject, parseJson } from '../wire/json.ts';
import {
	encodeError,
	type Id,
	idFromHead,
	idKey,
	isId,
	type RpcErrorObject,
	type RpcNotification,
	type RpcRequest,
	readMessage,
	rpcCodes,
} from '../wire/json-rpc.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { quoteLine } from '../wire/quote-line.ts';
import type { Admission } from './admission.ts';
import type { AnswerBudget } from './answer-budget.ts';
import { BatchAnswer } from './batch.ts';
import type { Channel } from './channel.ts';
import type { Dialect } from './dialect.ts';
import type { OutgoingCalls } from './outgoing-calls.ts';
import type { PeerOptions } from './peer.ts';
import type { Serving } from './serving.ts';

export interface IntakeParts
	extends Pick<PeerOptions, 'role' | 'onNotification' | 'acceptsBatch' | 'isAlone' | 'unknownId'> {
	channel: Pick<Channel, 'noteStray'>;
	dialect: Dialect;
	log: Log;
	outgoing: OutgoingCalls;
	serving: Serving;
	admission: Admission;
	budget: AnswerBudget;
	/** Sends an answer, alone or as part of a batch. */
	reply: (text: string, batch: BatchAnswer | undefined) => void;
}

export class Intake {
	readonly #parts: IntakeParts;
	readonly #isServer: boolean;

	constructor(parts: IntakeParts) {
		this.#parts = parts;
		this.#isServer = parts.role === 'server';
	}

	/** @param isAdmitted true for a message that has waited */
	read(text: string, batch: BatchAnswer | undefined, isAdmitted: boolean): void {
		let value: unknown;
		try {
			value = parseJson(text);
		} catch (error) {
			return this.#garbage(text, error, isAdmitted);
		}
		if (Array.isArray(value) && batch === undefined) this.#batch(value, text, isAdmitted);
		else this.#take(value, text, batch, isAdmitted);
	}

	oversize({ limitBytes, head }: OversizeLine): void {
		const known = idFromHead(head);
		const message = `message is longer than the limit of ${limitBytes} bytes`;
		this.#parts.log.warn(`${message}; it was dropped`);
		if (this.#isServer && known?.isRequest !== false) {
			return this.#answerError(known?.id, { code: rpcCodes.invalidRequest, message }, undefined);
		}
		const error = new OrchestraError('bad_frame', message, {
			hint: 'Raise `limitBytes`, or have the data sent as a resource link.',
			data: { limitBytes },
		});
		if (known && !known.isRequest) this.#parts.outgoing.fail(known.id, error);
		else this.#parts.outgoing.failOldest(error);
	}

	#take(value: unknown, text: string, batch: BatchAnswer | undefined, isAdmitted: boolean): void {
		const read = readMessage(value, text);
		switch (read.kind) {
			case 'request':
				if (!isAdmitted && this.#parts.admission.isShut) return this.#hold(read.message, text, batch);
				if (batch && this.#parts.isAlone?.(read.message.method)) {
					const reason = `${read.message.method} must not be part of a batch`;
					return this.#refuse(read.message.id, reason, text, batch);
				}
				this.#parts.dialect.restore(read.message.params, text);
				return this.#parts.serving.serve(read.message, text, batch);
			case 'response':
				if (read.isBare && this.#isServer && !this.#parts.outgoing.awaits(read.message.id))
					return this.#invalid(read.message.id, 'a request needs a `method`', { text, batch, isAdmitted });
				return this.#parts.outgoing.settle(read.message);
			case 'notification':
				return this.#hear(read.message, text, isAdmitted);
			case 'invalid':
				if (read.isNotification) return this.#parts.channel.noteStray(text);
				if (this.#failAnswer(value, read.id, read.reason, text)) return;
				return this.#invalid(read.id, read.reason, { text, batch, isAdmitted });
		}
	}

	#hold(request: RpcRequest, text: string, batch: BatchAnswer | undefined): void {
		if (this.#parts.admission.isRefusing) return this.#parts.serving.refuse(request, batch);
		this.#parts.admission.hold({ text, key: idKey(request.id), batch });
	}

	#hear({ method, params }: RpcNotification, text: string, isAdmitted: boolean): void {
		const canceledId = this.#parts.dialect.canceledId(method, params, text);
		const token = this.#parts.dialect.progressToken(method, params);
		if (canceledId !== undefined) this.#cancel(canceledId);
		else if (token !== undefined) this.#parts.outgoing.progress(token, params);
		else if (!isAdmitted && this.#parts.admission.hasQueued && !this.#parts.admission.isFull)
			return this.#parts.admission.hold({ text, key: undefined, batch: undefined });
		try {
			this.#parts.onNotification?.(method, params);
		} catch (error) {
			this.#parts.log.warn(`the handler of ${method} failed: ${messageOf(error)}`); // a notification has no answer
		}
	}

	#cancel(id: unknown): void {
		if (!this.#parts.serving.cancel(id) && isId(id)) this.#parts.admission.cancel(idKey(id));
	}

	/** An answer to a call of ours that cannot be read fails that call; false when it is none. */
	#failAnswer(value: unknown, id: Id | null, reason: string, text: string): boolean {
		if (id === null || !this.#parts.outgoing.awaits(id) || !isObject(value) || 'method' in value)
			return false;
		this.#parts.channel.noteStray(text);
		this.#parts.outgoing.fail(id, badAnswer(reason, text));
		return true;
	}

	#invalid(id: Id | null, reason: string, { text, batch, isAdmitted }: Origin): void {
		if (!this.#isServer) return this.#parts.channel.noteStray(text);
		if (this.#mustWait(isAdmitted)) return this.#parts.admission.hold({ text, key: undefined, batch });
		this.#refuse(id, reason, text, batch);
	}

	#refuse(id: Id | null, reason: string, text: string, batch: BatchAnswer | undefined): void {
		if (!this.#isServer) return this.#parts.channel.noteStray(text);
		batch?.expect();
		const error = { code: rpcCodes.invalidRequest, message: `invalid request: ${reason}` };
		this.#answerError(id ?? undefined, error, batch);
	}

	/** Errors wait as answers do: a peer that sends nonsense and never reads must not fill our memory. */
	#mustWait(isAdmitted: boolean): boolean {
		return !isAdmitted && this.#parts.admission.isShut && !this.#parts.admission.isRefusing;
	}

	#garbage(text: string, cause: unknown, isAdmitted: boolean): void {
		if (text.trim() === '') return;
		if (this.#isServer) {
			if (this.#mustWait(isAdmitted))
				return this.#parts.admission.hold({ text, key: undefined, batch: undefined });
			const message = `parse error: ${messageOf(cause)}`;
			return this.#answerError(undefined, { code: rpcCodes.parse, message }, undefined);
		}
		this.#parts.channel.noteStray(text);
		this.#parts.outgoing.failOldest(
			new OrchestraError('parse', `failed to parse response: ${messageOf(cause)}`, { cause, data: { text } }),
		);
	}

	#batch(values: unknown[], text: string, isAdmitted: boolean): void {
		const reason = values.length === 0 ? 'a batch must not be empty' : 'this protocol version has no batches';
		if (values.length === 0 || !this.#parts.acceptsBatch?.()) {
			for (const value of values) this.#failAnswer(value, idIn(value), reason, text);
			return this.#invalid(null, reason, { text, batch: undefined, isAdmitted });
		}
		const batch = new BatchAnswer(
			(answer) => this.#parts.reply(answer, undefined),
			(characters) => this.#parts.budget.batched(characters),
		);
		const texts = elementsOf(text);
		for (const [at, value] of values.entries()) this.#take(value, texts[at] ?? '', batch, isAdmitted);
		batch.seal();
	}

	#answerError(id: Id | undefined, error: RpcErrorObject, batch: BatchAnswer | undefined): void {
		const unknownId = this.#parts.unknownId ? this.#parts.unknownId() : null;
		this.#parts.reply(encodeError(id ?? unknownId, error), batch);
	}
}

/** Where a message came from, for the answer to it. */
interface Origin {
	readonly text: string;
	readonly batch: BatchAnswer | undefined;
	readonly isAdmitted: boolean;
}

function idIn(value: unknown): Id | null {
	return isObject(value) && isId(value['id']) ? value['id'] : null;
}

function badAnswer(reason: string, text: string): OrchestraError {
	const line = quoteLine(text);
	return new OrchestraError('bad_frame', `the answer is not a JSON-RPC response: ${reason}; it was ${line}`, {
		hint: 'The program answered, but not in JSON-RPC 2.0; this is a mistake in the program.',
		data: { line },
	});
}
