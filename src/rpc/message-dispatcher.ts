/*
 * Received messages: each line is parsed once, classified and dispatched.
 *
 * A response settles its call at once. A request is handled, or queued by
 * `Admission`; so is everything else that gets a response, invalid messages included.
 * An invalid response to one of our calls fails that call, with the line in the error.
 */
import { messageOf, OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { elementsOf, isObject, parseJson } from '../wire/json.ts';
import {
	encodeError,
	type Id,
	idFromHead,
	idFromTail,
	idKey,
	isId,
	isResponseHead,
	type RpcErrorObject,
	type RpcNotification,
	type RpcRequest,
	readMessage,
	rpcCodes,
} from '../wire/json-rpc.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { quoteLine } from '../wire/quote-line.ts';
import type { Admission } from './admission.ts';
import { BatchResponse } from './batch-response.ts';
import type { Channel } from './channel.ts';
import type { Dialect } from './dialect.ts';
import type { IncomingCalls } from './incoming-calls.ts';
import { oversizeMessage, parseFailure } from './message-errors.ts';
import type { OutgoingCalls } from './outgoing-calls.ts';
import type { PeerOptions } from './peer.ts';
import type { ResponseBudget } from './response-budget.ts';

export interface MessageDispatcherParts
	extends Pick<PeerOptions, 'role' | 'onNotification' | 'acceptsBatch' | 'isAlone' | 'unknownId'> {
	channel: Pick<Channel, 'noteStray'>;
	dialect: Dialect;
	log: Log;
	outgoing: OutgoingCalls;
	incoming: IncomingCalls;
	admission: Admission;
	budget: ResponseBudget;
	/** Sends a response, alone or as part of a batch. */
	reply: (text: string, batch: BatchResponse | undefined) => void;
}

export class MessageDispatcher {
	readonly #parts: MessageDispatcherParts;
	readonly #isServer: boolean;

	constructor(parts: MessageDispatcherParts) {
		this.#parts = parts;
		this.#isServer = parts.role === 'server';
	}

	/** @param isAdmitted true for a message that was queued before */
	read(text: string, batch: BatchResponse | undefined, isAdmitted: boolean): void {
		let value: unknown;
		try {
			value = parseJson(text);
		} catch (error) {
			return this.#handleParseError(text, error, isAdmitted);
		}
		if (Array.isArray(value) && batch === undefined) this.#handleBatch(value, text, isAdmitted);
		else this.#dispatch(value, text, batch, isAdmitted);
	}

	/** Handle a parsed message that is no batch. */
	dispatch(value: unknown, text: string): void {
		this.#dispatch(value, text, undefined, false);
	}

	oversize({ limitBytes, head, tail = '' }: OversizeLine): void {
		const last = isResponseHead(head) ? idFromTail(tail) : undefined;
		const known = last === undefined ? idFromHead(head) : { id: last, isRequest: false };
		const error = oversizeMessage(limitBytes);
		const { message } = error;
		this.#parts.log.warn(`${message}; it was dropped`);
		if (this.#isServer && known?.isRequest !== false) {
			return this.#replyError(known?.id, { code: rpcCodes.invalidRequest, message }, undefined);
		}
		if (known && !known.isRequest) this.#parts.outgoing.fail(known.id, error);
		else if (isResponseHead(head)) this.#parts.outgoing.failOnly(error);
		else this.#parts.outgoing.failOldest(error);
	}

	#dispatch(value: unknown, text: string, batch: BatchResponse | undefined, isAdmitted: boolean): void {
		const read = readMessage(value, text);
		switch (read.kind) {
			case 'request':
				if (!isAdmitted && this.#parts.admission.isBlocked) return this.#enqueue(read.message, text, batch);
				if (batch && this.#parts.isAlone?.(read.message.method)) {
					const reason = `${read.message.method} must not be part of a batch`;
					return this.#refuse(read.message.id, reason, text, batch);
				}
				this.#parts.dialect.restore(read.message.params, text);
				return this.#parts.incoming.serve(read.message, text, batch);
			case 'response':
				if (read.isBare && this.#isServer && !this.#parts.outgoing.awaits(read.message.id))
					return this.#handleInvalid(read.message.id, 'a request needs a `method`', {
						text,
						batch,
						isAdmitted,
					});
				return this.#parts.outgoing.settle(read.message, text);
			case 'notification':
				return this.#handleNotification(read.message, text, isAdmitted);
			case 'invalid':
				if (read.isNotification) return this.#parts.channel.noteStray(text);
				if (this.#failCall(value, read.id, read.reason, text)) return;
				return this.#handleInvalid(read.id, read.reason, { text, batch, isAdmitted });
		}
	}

	#enqueue(request: RpcRequest, text: string, batch: BatchResponse | undefined): void {
		if (this.#parts.admission.isRefusing) return this.#parts.incoming.refuse(request, batch);
		this.#parts.admission.enqueue({ text, key: idKey(request.id), batch });
	}

	#handleNotification({ method, params }: RpcNotification, text: string, isAdmitted: boolean): void {
		const canceledId = this.#parts.dialect.canceledId(method, params, text);
		const token = this.#parts.dialect.progressToken(method, params);
		if (canceledId !== undefined) this.#cancel(canceledId);
		else if (token !== undefined) this.#parts.outgoing.progress(token, params);
		else if (!isAdmitted && this.#parts.admission.hasQueued && !this.#parts.admission.isFull)
			return this.#parts.admission.enqueue({ text, key: undefined, batch: undefined });
		try {
			this.#parts.onNotification?.(method, params, text);
		} catch (error) {
			this.#parts.log.warn(`the handler of ${method} failed: ${messageOf(error)}`); // a notification has no response
		}
	}

	#cancel(id: unknown): void {
		if (!this.#parts.incoming.cancel(id) && isId(id)) this.#parts.admission.cancel(idKey(id));
	}

	/** An invalid response fails its call; false when `value` is not a response to a pending call. */
	#failCall(value: unknown, id: Id | null, reason: string, text: string): boolean {
		if (id === null || !this.#parts.outgoing.awaits(id) || !isObject(value) || 'method' in value)
			return false;
		this.#parts.channel.noteStray(text);
		this.#parts.outgoing.fail(id, badResponse(reason, text));
		return true;
	}

	#handleInvalid(id: Id | null, reason: string, { text, batch, isAdmitted }: Origin): void {
		if (!this.#isServer) return this.#parts.channel.noteStray(text);
		if (this.#mustQueue(isAdmitted)) return this.#parts.admission.enqueue({ text, key: undefined, batch });
		this.#refuse(id, reason, text, batch);
	}

	#refuse(id: Id | null, reason: string, text: string, batch: BatchResponse | undefined): void {
		if (!this.#isServer) return this.#parts.channel.noteStray(text);
		batch?.expect();
		const error = { code: rpcCodes.invalidRequest, message: `invalid request: ${reason}` };
		this.#replyError(id ?? undefined, error, batch);
	}

	/** Error responses are queued too: a peer that sends invalid messages and never reads must not fill our memory. */
	#mustQueue(isAdmitted: boolean): boolean {
		return !isAdmitted && this.#parts.admission.isBlocked && !this.#parts.admission.isRefusing;
	}

	#handleParseError(text: string, cause: unknown, isAdmitted: boolean): void {
		if (text.trim() === '') return;
		if (this.#isServer) {
			if (this.#mustQueue(isAdmitted))
				return this.#parts.admission.enqueue({ text, key: undefined, batch: undefined });
			const message = `parse error: ${messageOf(cause)}`;
			return this.#replyError(undefined, { code: rpcCodes.parse, message }, undefined);
		}
		this.#parts.channel.noteStray(text);
		this.#parts.outgoing.failOldest(parseFailure(text, cause));
	}

	#handleBatch(values: unknown[], text: string, isAdmitted: boolean): void {
		const reason = values.length === 0 ? 'a batch must not be empty' : 'this protocol version has no batches';
		if (values.length === 0 || !this.#parts.acceptsBatch?.()) {
			for (const value of values) this.#failCall(value, idIn(value), reason, text);
			return this.#handleInvalid(null, reason, { text, batch: undefined, isAdmitted });
		}
		const batch = new BatchResponse(
			(text) => this.#parts.reply(text, undefined),
			(characters) => this.#parts.budget.batched(characters),
		);
		const texts = elementsOf(text);
		for (const [at, value] of values.entries()) this.#dispatch(value, texts[at] ?? '', batch, isAdmitted);
		batch.seal();
	}

	#replyError(id: Id | undefined, error: RpcErrorObject, batch: BatchResponse | undefined): void {
		const unknownId = this.#parts.unknownId ? this.#parts.unknownId() : null;
		this.#parts.reply(encodeError(id ?? unknownId, error), batch);
	}
}

/** Where a message came from, for its response. */
interface Origin {
	readonly text: string;
	readonly batch: BatchResponse | undefined;
	readonly isAdmitted: boolean;
}

function idIn(value: unknown): Id | null {
	return isObject(value) && isId(value['id']) ? value['id'] : null;
}

function badResponse(reason: string, text: string): OrchestraError {
	const line = quoteLine(text);
	return new OrchestraError('bad_frame', `not a valid JSON-RPC response: ${reason}; received ${line}`, {
		hint: 'The program does not follow JSON-RPC 2.0. Report this to its author.',
		data: { line },
	});
}
