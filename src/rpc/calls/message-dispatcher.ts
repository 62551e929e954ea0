/*
 * Received messages: each line is taken as a view by a receiver that needs no values of it, or parsed,
 * classified and dispatched.
 *
 * A response settles its call at once. A request is handled, or queued by
 * `Admission`; so is everything else that gets a response, invalid messages included.
 * An invalid response to one of our calls fails that call, with the line in the error.
 */
import { messageOf, OrchestraError, withOutcome } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { isObject, parseJson } from '../../wire/json.ts';
import {
	encodeError,
	type Id,
	idOf,
	type RpcErrorObject,
	type RpcNotification,
	type RpcRequest,
	readMessage,
	rpcCodes,
} from '../../wire/json-rpc.ts';
import { elementsOf } from '../../wire/json-text.ts';
import type { OversizeLine } from '../../wire/lines.ts';
import { member } from '../../wire/message-member.ts';
import { messageOutline } from '../../wire/message-outline.ts';
import { MessageView } from '../../wire/message-view.ts';
import { quoteLine } from '../../wire/quote-line.ts';
import { ViewReader } from '../../wire/view-reader.ts';
import { OVERSIZE_HEAD_BYTES, OVERSIZE_TAIL_BYTES } from '../../wire/wire-limits.ts';
import type { Channel } from '../channel.ts';
import type { Dialect } from '../dialect.ts';
import type { PeerOptions } from '../peer.ts';
import { LONG_CHARACTERS } from '../rpc-limits.ts';
import { inSlices } from '../work-slices.ts';
import type { Admission } from './admission.ts';
import { BatchResponse } from './batch-response.ts';
import type { IncomingCallTable } from './incoming-call-table.ts';
import { oversizeMessage, parseFailure, tooLongResponse } from './message-errors.ts';
import type { OutgoingCalls } from './outgoing-calls.ts';
import type { ResponseBudget } from './response-budget.ts';

export interface MessageDispatcherDeps
	extends Pick<PeerOptions, 'role' | 'onNotification' | 'onView' | 'acceptsBatch' | 'isAlone' | 'unknownId'> {
	channel: Pick<Channel, 'logStray'>;
	dialect: Dialect;
	log: Log;
	outgoing: OutgoingCalls;
	incoming: IncomingCallTable;
	admission: Admission;
	budget: ResponseBudget;
	/** Sends a response, alone or as part of a batch. */
	reply: (text: string, batch: BatchResponse | undefined) => void;
}

export class MessageDispatcher {
	readonly #deps: MessageDispatcherDeps;
	readonly #isServer: boolean;
	readonly #reader = new ViewReader();
	/** The messages that came while a long one is scanned; undefined while none is. */
	#deferred: Origin[] | undefined;
	/** The messages that wait for the end of that scan. */
	readonly #waiting: (() => void)[] = [];

	constructor(deps: MessageDispatcherDeps) {
		this.#deps = deps;
		this.#isServer = deps.role === 'server';
	}

	/** @param isAdmitted true for a message that was queued before */
	read(text: string, batch: BatchResponse | undefined, isAdmitted: boolean): void {
		if (this.#deferred) return void this.#deferred.push({ text, batch, isAdmitted });
		if (text.length > LONG_CHARACTERS) {
			if (this.#refusesLong(text)) return;
			const isViewed = this.#deps.onView
				? !this.#deps.admission.isBlocked
				: this.#deps.outgoing.viewsResponses;
			if (batch === undefined && isViewed)
				return void this.#readLong(text, isAdmitted).catch((error: unknown) =>
					this.#deps.log.error(`a long message was not handled: ${messageOf(error)}`),
				);
		} else if (batch === undefined && this.#passOn(text)) return;
		this.#parse(text, batch, isAdmitted);
	}

	/** Call `action` when no long message is being scanned: at once, as a rule. */
	whenRead(action: () => void): void {
		if (this.#deferred) this.#waiting.push(action);
		else action();
	}

	/** Scan a long message in slices. Messages that come meanwhile wait for it, and no more are read. */
	async #readLong(text: string, isAdmitted: boolean): Promise<void> {
		const deferred: Origin[] = [];
		this.#deferred = deferred;
		this.#deps.admission.hold();
		const view = await inSlices(MessageView.inSlices(text));
		this.#deferred = undefined;
		try {
			if (!this.#takes(view)) this.#parse(text, undefined, isAdmitted);
			for (const each of deferred) this.read(each.text, each.batch, each.isAdmitted);
		} finally {
			if (!this.#deferred) this.#deps.admission.release();
			this.whenRead(() => {
				for (const action of this.#waiting.splice(0)) action();
			});
		}
	}

	#takes(view: MessageView | undefined): boolean {
		if (view === undefined) return false;
		return this.#deps.onView ? this.takeView(view) : this.#deps.outgoing.answerView(view);
	}

	#parse(text: string, batch: BatchResponse | undefined, isAdmitted: boolean): void {
		let value: unknown;
		try {
			value = parseJson(text);
		} catch (error) {
			return this.#handleParseError(text, error, isAdmitted);
		}
		if (Array.isArray(value) && batch === undefined) this.#handleBatch(value, text, isAdmitted);
		else this.#dispatch(value, text, batch, isAdmitted);
	}

	/** A request that is taken as a view, or a response to a forwarded call. Neither is parsed. */
	#passOn(text: string): boolean {
		const { onView, outgoing } = this.#deps;
		if (onView === undefined) return outgoing.answer(text);
		if (this.#deps.admission.isBlocked) return false;
		const view = this.#reader.view(text);
		return view !== undefined && this.takeView(view);
	}

	/** Pass a request before it is parsed; true when it is taken. */
	takeView(view: MessageView): boolean {
		return (
			!this.#deps.admission.isBlocked &&
			view.has(member.id) &&
			view.has(member.method) &&
			this.#deps.onView?.(view) === true
		);
	}

	/** Handle a parsed message that is no batch. */
	dispatch(value: unknown, text: string): void {
		this.#dispatch(value, text, undefined, false);
	}

	oversize({ limitBytes, head, tail }: OversizeLine): void {
		const { id, kind } = messageOutline(head, tail);
		const error = oversizeMessage(limitBytes);
		const { message } = error;
		this.#deps.log.warn(`${message}; it was dropped`);
		const isResponse = kind === 'result' || kind === 'error';
		if (this.#isServer && !isResponse)
			return this.#replyError(id, { code: rpcCodes.invalidRequest, message }, undefined);
		if (!isResponse) this.#deps.outgoing.failOldest(error);
		else if (id === undefined) this.#deps.outgoing.failOnly(error);
		else this.#deps.outgoing.fail(id, withOutcome(error, 'ran'));
	}

	/** Fail a call whose response is above its bound, without parsing it: true when it is. */
	#refusesLong(text: string): boolean {
		const { id, kind } = messageOutline(text.slice(0, OVERSIZE_HEAD_BYTES), text.slice(-OVERSIZE_TAIL_BYTES));
		if (id === undefined || kind === 'request') return false;
		const bound = this.#deps.outgoing.responseBoundOf(id);
		if (bound === undefined || text.length <= bound) return false;
		this.#deps.outgoing.fail(id, tooLongResponse(text.length, bound));
		return true;
	}

	#dispatch(value: unknown, text: string, batch: BatchResponse | undefined, isAdmitted: boolean): void {
		const read = readMessage(value, text);
		switch (read.kind) {
			case 'request':
				if (!isAdmitted && this.#deps.admission.isBlocked) return this.#enqueue(read.message, text, batch);
				if (batch && this.#deps.isAlone?.(read.message.method)) {
					const reason = `${read.message.method} must not be part of a batch`;
					return this.#refuse(read.message.id, reason, text, batch);
				}
				return this.#deps.incoming.serve(read.message, text, batch);
			case 'response':
				if (read.isBare && this.#isServer && !this.#deps.outgoing.awaits(read.message.id))
					return this.#handleInvalid(read.message.id, 'a request needs a `method`', {
						text,
						batch,
						isAdmitted,
					});
				return this.#deps.outgoing.settle(read.message, text);
			case 'notification':
				return this.#handleNotification(read.message, text, isAdmitted);
			case 'invalid':
				if (read.isNotification) return this.#deps.channel.logStray(text);
				if (this.#failCall(value, read.id, read.reason, text)) return;
				return this.#handleInvalid(read.id, read.reason, { text, batch, isAdmitted });
		}
	}

	#enqueue(request: RpcRequest, text: string, batch: BatchResponse | undefined): void {
		if (this.#deps.admission.isRefusing) return this.#deps.incoming.refuse(request, batch);
		this.#deps.admission.enqueue({ text, key: request.id, batch });
	}

	#handleNotification({ method, params }: RpcNotification, text: string, isAdmitted: boolean): void {
		const canceledId = this.#deps.dialect.canceledId(method, params, text);
		const token = this.#deps.dialect.progressToken(method, params);
		if (canceledId !== undefined) this.#cancel(canceledId);
		else if (token !== undefined) this.#deps.outgoing.progress(token, params);
		else if (!isAdmitted && this.#deps.admission.hasQueued && !this.#deps.admission.isFull)
			return this.#deps.admission.enqueue({ text, key: undefined, batch: undefined });
		try {
			this.#deps.onNotification?.(method, params, text);
		} catch (error) {
			this.#deps.log.warn(`the handler of ${method} failed: ${messageOf(error)}`); // a notification has no response
		}
	}

	#cancel(id: Id): void {
		if (!this.#deps.incoming.cancel(id)) this.#deps.admission.cancel(id);
	}

	/** An invalid response fails its call; false when `value` is not a response to a pending call. */
	#failCall(value: unknown, id: Id | null, reason: string, text: string): boolean {
		if (id === null || !this.#deps.outgoing.awaits(id) || !isObject(value) || 'method' in value) return false;
		this.#deps.channel.logStray(text);
		this.#deps.outgoing.fail(id, badResponse(reason, text));
		return true;
	}

	#handleInvalid(id: Id | null, reason: string, { text, batch, isAdmitted }: Origin): void {
		if (!this.#isServer) return this.#deps.channel.logStray(text);
		if (this.#mustQueue(isAdmitted)) return this.#deps.admission.enqueue({ text, key: undefined, batch });
		this.#refuse(id, reason, text, batch);
	}

	#refuse(id: Id | null, reason: string, text: string, batch: BatchResponse | undefined): void {
		if (!this.#isServer) return this.#deps.channel.logStray(text);
		batch?.expect();
		const error = { code: rpcCodes.invalidRequest, message: `invalid request: ${reason}` };
		this.#replyError(id ?? undefined, error, batch);
	}

	/** Error responses are queued too: a peer that sends invalid messages and never reads must not fill our memory. */
	#mustQueue(isAdmitted: boolean): boolean {
		return !isAdmitted && this.#deps.admission.isBlocked && !this.#deps.admission.isRefusing;
	}

	#handleParseError(text: string, cause: unknown, isAdmitted: boolean): void {
		if (text.trim() === '') return;
		if (this.#isServer) {
			if (this.#mustQueue(isAdmitted))
				return this.#deps.admission.enqueue({ text, key: undefined, batch: undefined });
			const message = `parse error: ${messageOf(cause)}`;
			this.#deps.log.info(`${message}; received ${quoteLine(text)}`);
			return this.#replyError(undefined, { code: rpcCodes.parse, message }, undefined);
		}
		this.#deps.channel.logStray(text);
		this.#deps.outgoing.failOldest(parseFailure(text, cause));
	}

	#handleBatch(values: unknown[], text: string, isAdmitted: boolean): void {
		const reason = values.length === 0 ? 'a batch must not be empty' : 'this protocol version has no batches';
		if (values.length === 0 || !this.#deps.acceptsBatch?.()) {
			for (const value of values) this.#failCall(value, idIn(value), reason, text);
			return this.#handleInvalid(null, reason, { text, batch: undefined, isAdmitted });
		}
		const batch = new BatchResponse(
			(text) => this.#deps.reply(text, undefined),
			(characters) => this.#deps.budget.batched(characters),
		);
		const texts = elementsOf(text);
		for (const [at, value] of values.entries()) this.#dispatch(value, texts[at] ?? '', batch, isAdmitted);
		batch.release();
	}

	#replyError(id: Id | undefined, error: RpcErrorObject, batch: BatchResponse | undefined): void {
		const unknownId = this.#deps.unknownId ? this.#deps.unknownId() : null;
		this.#deps.reply(encodeError(id ?? unknownId, error), batch);
	}
}

/** A message as it came, and where its response goes. */
interface Origin {
	readonly text: string;
	readonly batch: BatchResponse | undefined;
	readonly isAdmitted: boolean;
}

function idIn(value: unknown): Id | null {
	return (isObject(value) && idOf(value['id'], '')) || null;
}

function badResponse(reason: string, text: string): OrchestraError {
	const line = quoteLine(text);
	return new OrchestraError('bad_frame', `not a valid JSON-RPC response: ${reason}; received ${line}`, {
		hint: 'The program does not follow JSON-RPC 2.0. Report this to its author.',
		data: { line, outcome: 'ran' },
	});
}
