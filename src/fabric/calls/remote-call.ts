/*
 * One call of this hub to a worker: what is known about it, and when to give up.
 *
 * The rules about silence are here, without a clock or a connection of their own: `check`
 * says what to do now. A call is never sent again.
 */
import { OrchestraError } from '../../errors.ts';
import type { CallContext } from '../../mcp/server/call-context.ts';
import { BoundedMap } from '../../rpc/bounded-map.ts';
import type { JsonText } from '../../wire/json-text.ts';
import {
	ACCEPT_MS,
	ANSWERS_LIMIT,
	EXPIRY_MARGIN_MS,
	EXPIRY_MS,
	GRACE_MS,
	HUB_CALL_LOGS_LIMIT,
	QUERY_AFTER_MS,
	QUERY_EVERY_MS,
	SILENCE_MS,
} from '../fabric-limits.ts';
import { NotificationRate } from '../notification-rate.ts';
import type { WorkerCalls } from './call-counts.ts';
import type { ChunkReceiver } from './chunk-receiver.ts';

/** The state of the link of this hub. */
export interface LinkState {
	readonly isUp: boolean;
	/** The time of the last connect. */
	readonly upSince: number;
	/** Whether a worker of the group of this call is present. */
	readonly hasWorker: boolean;
}

export interface RemoteCallOptions {
	readonly id: string;
	readonly group: string;
	readonly tool: string;
	/** The worker that it was sent to; undefined when the server chose one. */
	readonly target?: string | undefined;
	/** The subject that it was sent to. */
	readonly subject: string;
	readonly context: CallContext;
	readonly sentAt: number;
	readonly resolve: (result: JsonText) => void;
	readonly reject: (error: OrchestraError) => void;
}

const LINK_LOST = 'the link to the NATS server was lost before a worker accepted it';

export class RemoteCall {
	readonly about: RemoteCallOptions;
	/** The worker that accepted it. */
	worker: { readonly name: string; readonly instance: string | undefined } | undefined;
	chunks: ChunkReceiver | undefined;
	/** The counts of the worker that has it. */
	counts: WorkerCalls | undefined;
	isCanceled = false;
	/** Keyed by the number of the client request: the answer that was sent, or while the client is asked, what withdraws it. */
	readonly answers: Map<number, string | AbortController> = new BoundedMap(ANSWERS_LIMIT);
	/** Client requests that have no answer yet. */
	asking = 0;
	/** Bounds what a worker sends about it. */
	readonly rate: NotificationRate;
	#heardAt: number;
	#queriedAt = Number.NEGATIVE_INFINITY;
	#queryingSince: number | undefined;
	/** The link was lost after the call was sent. */
	#hasLostLink = false;

	constructor(about: RemoteCallOptions) {
		this.about = about;
		this.#heardAt = about.sentAt;
		const { context } = about;
		this.rate = new NotificationRate(
			(kind, params) => (kind === 'progress' ? context.forwardProgress(params) : context.forwardLog(params)),
			HUB_CALL_LOGS_LIMIT,
		);
	}

	/** The worker that accepted it, or that it was sent to alone. */
	get holder(): RemoteCall['worker'] {
		const { target } = this.about;
		return this.worker ?? (target === undefined ? undefined : { name: target, instance: undefined });
	}

	/** Whether a message of this worker about the call counts. */
	mayHearFrom(worker: string): boolean {
		return (this.holder?.name ?? worker) === worker;
	}

	/** A worker has it; the first one that says so. */
	acceptedBy(name: string, instance: string | undefined): void {
		this.worker ??= { name, instance };
		this.about.context.worker = this.worker.name;
	}

	/** Its worker said something about it. */
	heard(now: number): void {
		this.#heardAt = now;
		this.#queryingSince = undefined;
	}

	/** The link is up again: ask at once, and give the worker the whole grace. */
	reconnected(now: number): void {
		this.#queryingSince = now;
		this.#queriedAt = now;
		this.#hasLostLink = true;
	}

	/** The next action: nothing, query the worker, or give up for a reason. */
	check(now: number, link: LinkState): 'wait' | 'query' | { readonly unknown: string } {
		const silentMs = now - this.#heardAt;
		if (silentMs > SILENCE_MS) return { unknown: `nothing was heard for ${seconds(silentMs)}` };
		if (!link.isUp) return 'wait';
		return this.worker === undefined
			? this.#checkAccepted(now, link)
			: this.#checkSilence(now, link, silentMs);
	}

	#checkAccepted(now: number, { hasWorker }: LinkState): 'wait' | { readonly unknown: string } {
		const ms = now - this.about.sentAt;
		const isLate = ms > EXPIRY_MS + EXPIRY_MARGIN_MS;
		if (this.#hasLostLink && isLate) return { unknown: LINK_LOST };
		if (isLate) return { unknown: `no worker accepted it in ${seconds(ms)}` };
		if (ms > ACCEPT_MS && !hasWorker)
			return { unknown: this.#hasLostLink ? LINK_LOST : 'its worker left without an answer' };
		return 'wait';
	}

	#checkSilence(
		now: number,
		{ upSince }: LinkState,
		silentMs: number,
	): 'wait' | 'query' | { readonly unknown: string } {
		if (silentMs < QUERY_AFTER_MS && this.#queryingSince === undefined) return 'wait';
		this.#queryingSince ??= now;
		if (now - Math.max(this.#queryingSince, upSince) > GRACE_MS)
			return { unknown: `its worker ${this.worker?.name} has been silent for ${seconds(silentMs)}` };
		if (now - this.#queriedAt < QUERY_EVERY_MS) return 'wait';
		this.#queriedAt = now;
		return 'query';
	}
}

/** The error of a call that may have run. */
export function unknownOutcome({ group, tool }: RemoteCallOptions, reason: string): OrchestraError {
	return new OrchestraError('closed', `outcome unknown: ${tool} of ${group} was called, and ${reason}`, {
		hint: 'The call was not repeated. Check whether it took effect before you repeat it.',
		data: { offer: group, tool, outcome: 'unknown' },
	});
}

/** The error of a call that ran, and whose result cannot be used. */
export function unusableResult({ group, tool }: RemoteCallOptions, reason: string): OrchestraError {
	return new OrchestraError(
		'bad_frame',
		`${tool} of ${group} ran, and its result cannot be used: ${reason}`,
		{
			hint: 'Make the call again only if that does no harm.',
			data: { offer: group, tool, outcome: 'ran' },
		},
	);
}

/** The error of a call that did not run. */
export function notRun(group: string, tool: string, reason: string): OrchestraError {
	return new OrchestraError('closed', `not run: ${tool} of ${group}: ${reason}`, {
		hint: 'It is safe to call it again. mctl fabric status shows who offers what.',
		data: { offer: group, tool, outcome: 'not_run' },
	});
}

function seconds(ms: number): string {
	return `${Math.round(ms / 1000)} s`;
}
