/*
 * Calls that wait for a user, and approvals that no call has used yet.
 *
 * An approval is used once. The call that waits takes it; when its caller has given up, the
 * next call with the same binding takes it, until it expires. So a client with a short
 * deadline gets through with a second call. The end of a session withdraws its requests.
 */

import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { abortable } from '../rpc/abortable.ts';
import { deferred } from '../rpc/deferred.ts';
import type { ApprovalAnswer, ApprovalFiles } from './approval-files.ts';
import { type ApprovalRequest, bindingKey } from './approval-request.ts';
import { APPROVAL_MS, APPROVAL_POLL_MS, PENDING_APPROVALS_LIMIT } from './trust-limits.ts';

const ID_BYTES = 3;

/** How a wait ends. */
export type ApprovalOutcome = 'allowed' | 'denied' | 'expired' | 'full';

/** A request without what `Approvals` adds. */
export type NewApprovalRequest = Omit<ApprovalRequest, 'id' | 'pid' | 'askedAt' | 'expiresAt'>;

export interface ApprovalsOptions {
	readonly files: ApprovalFiles;
	readonly log: Log;
	/** Default 5 minutes. */
	readonly approvalMs?: number | undefined;
}

interface PendingApproval {
	readonly request: ApprovalRequest;
	readonly key: string;
	readonly endsAt: number;
	/** Undefined when the caller has left. */
	settle: ((outcome: ApprovalOutcome) => void) | undefined;
}

export class Approvals {
	readonly #files: ApprovalFiles;
	readonly #log: Log;
	readonly #approvalMs: number;
	readonly #pending = new Map<string, PendingApproval>();
	/** Unused approvals: the end of each, by the key of its binding. */
	readonly #unused = new Map<string, number>();
	#polling: NodeJS.Timeout | undefined;

	constructor({ files, log, approvalMs = APPROVAL_MS }: ApprovalsOptions) {
		this.#files = files;
		this.#log = log;
		this.#approvalMs = approvalMs;
	}

	/** How long a user may take, in milliseconds. */
	get approvalMs(): number {
		return this.#approvalMs;
	}

	/** Wait for a user. `onRequested` gets the id to answer. Rejects when the signal is aborted. */
	async wait(
		request: NewApprovalRequest,
		signal: AbortSignal,
		onRequested: (id: string) => void,
	): Promise<ApprovalOutcome> {
		signal.throwIfAborted();
		const key = bindingKey(request);
		if (takeCurrent(this.#unused, key)) return 'allowed';
		const pending = this.#adopt(key) ?? this.#open(request, key);
		if (pending === undefined) return 'full';
		onRequested(pending.request.id);
		const { promise, resolve } = deferred<ApprovalOutcome>();
		pending.settle = resolve;
		this.#poll();
		return abortable(() => promise, signal).catch((error: unknown) => {
			pending.settle = undefined;
			this.#poll();
			throw error;
		});
	}

	/** Deny every call of a session that waits, and remove its requests. */
	withdraw(session: string): void {
		this.#deny(({ request }) => request.session === session);
	}

	/** Deny every call that waits, and remove all requests. Idempotent. */
	close(): void {
		this.#unused.clear();
		this.#deny(() => true);
	}

	#deny(isDenied: (pending: PendingApproval) => boolean): void {
		for (const pending of [...this.#pending.values()]) if (isDenied(pending)) this.#end(pending, 'denied');
		this.#poll();
	}

	/** The request of a caller that left, for the same call again. */
	#adopt(key: string): PendingApproval | undefined {
		for (const pending of this.#pending.values()) {
			const isFree = pending.settle === undefined && pending.endsAt > performance.now();
			if (isFree && pending.key === key) return pending;
		}
		return undefined;
	}

	#open(call: NewApprovalRequest, key: string): PendingApproval | undefined {
		if (this.#pending.size >= PENDING_APPROVALS_LIMIT) return undefined;
		const now = Date.now();
		const request: ApprovalRequest = {
			...call,
			id: this.#newId(),
			pid: process.pid,
			askedAt: new Date(now).toISOString(),
			expiresAt: new Date(now + this.#approvalMs).toISOString(),
		};
		this.#files.publish(request);
		const pending = { request, key, endsAt: performance.now() + this.#approvalMs, settle: undefined };
		this.#pending.set(request.id, pending);
		return pending;
	}

	#newId(): string {
		for (;;) {
			const id = Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString('hex');
			if (!this.#pending.has(id)) return id;
		}
	}

	/** Look for answers while something waits; the process may end when no caller does. */
	#poll(): void {
		if (this.#pending.size === 0) {
			clearInterval(this.#polling);
			this.#polling = undefined;
			return;
		}
		this.#polling ??= setInterval(() => this.#look(), Math.min(APPROVAL_POLL_MS, this.#approvalMs));
		const isAwaited = [...this.#pending.values()].some(({ settle }) => settle !== undefined);
		if (isAwaited) this.#polling.ref();
		else this.#polling.unref();
	}

	#look(): void {
		const now = performance.now();
		for (const [key, endsAt] of this.#unused) if (endsAt <= now) this.#unused.delete(key);
		for (const pending of [...this.#pending.values()]) {
			const answer = pending.endsAt <= now ? 'late' : this.#answerTo(pending);
			if (answer === 'late') this.#end(pending, 'expired');
			else if (answer === 'deny') this.#end(pending, 'denied');
			else if (answer === 'allow') this.#allow(pending, now);
		}
		this.#poll();
	}

	#allow(pending: PendingApproval, now: number): void {
		if (pending.settle === undefined) this.#unused.set(pending.key, now + this.#approvalMs);
		this.#end(pending, 'allowed');
	}

	#end(pending: PendingApproval, outcome: ApprovalOutcome): void {
		this.#pending.delete(pending.request.id);
		try {
			this.#files.remove(pending.request.id);
		} catch (error) {
			this.#log.warn(
				`the request for approval ${pending.request.id} could not be removed: ${messageOf(error)}`,
			);
		}
		pending.settle?.(outcome);
	}

	#answerTo({ request }: PendingApproval): ApprovalAnswer | undefined {
		try {
			return this.#files.answerTo(request);
		} catch (error) {
			this.#log.warn(`an answer was ignored: ${messageOf(error)}`);
			return undefined;
		}
	}
}

/** Remove what has this key. True when it was there and had not ended. @param ends the end of each, by `performance.now()` */
export function takeCurrent(ends: Map<string, number>, key: string): boolean {
	const endsAt = ends.get(key);
	ends.delete(key);
	return endsAt !== undefined && endsAt > performance.now();
}
