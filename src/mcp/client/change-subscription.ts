/*
 * Changes of a modern server: one `subscriptions/listen` request that stays open, for its lists and resources or for
 * its tasks.
 *
 * A change of what is wanted opens a new request, and the old one ends only
 * when the new one is acknowledged, so that no change is lost; changes count for one
 * of the two only, so that none comes twice. A server may end a subscription with a
 * result or with `notifications/cancelled`; then a new one is opened, with backoff,
 * and everything subscribed counts as changed.
 */
import { messageOf, OrchestraError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { type ListKind, listFlags } from '../../protocol/item-lists.ts';
import type { ServerCapabilities } from '../../protocol/mcp-types.ts';
import { metaOf, SUBSCRIPTION_ID } from '../../protocol/meta.ts';
import { Backoff } from '../../rpc/backoff.ts';
import { type Deferred, deferred } from '../../rpc/deferred.ts';
import { inOrder } from '../../rpc/in-order.ts';
import { rpcErrorOf } from '../../rpc/rpc-error.ts';
import { isObject } from '../../wire/json.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import {
	RELISTEN_FIRST_MS,
	RELISTEN_MAX_MS,
	RESOURCE_SUBSCRIPTIONS_LIMIT,
	SUBSCRIPTION_ACKNOWLEDGE_MS,
	SUBSCRIPTION_STABLE_MS,
} from '../mcp-limits.ts';
import type { ServerLink } from './server-link.ts';

export interface ChangeSubscriptionDeps {
	readonly link: ServerLink;
	/** The member of the request that lists the wanted URIs or ids. */
	readonly member: 'resourceSubscriptions' | 'taskIds';
	/** The lists that it reports, too. */
	readonly capabilities?: ServerCapabilities | undefined;
	/** Adds the envelope to params. */
	readonly envelope: (params: Record<string, unknown>) => Record<string, unknown>;
	/** Called after a gap: changes of these may have been missed. */
	readonly onGap: (missed: {
		readonly kinds: readonly ListKind[];
		readonly ids: ReadonlySet<string>;
	}) => void;
	readonly log: Log;
}

/** One `subscriptions/listen` request. */
interface Listening {
	id: number | undefined;
	readonly abort: AbortController;
	readonly acknowledged: Deferred<void>;
	readonly openedAt: number;
	/** The lists, and the resources or tasks, that the server honours. */
	kinds: readonly ListKind[];
	ids: ReadonlySet<string>;
}

export class ChangeSubscription {
	readonly #deps: ChangeSubscriptionDeps;
	readonly #wanted = new Set<string>();
	readonly #backoff = new Backoff(RELISTEN_FIRST_MS, RELISTEN_MAX_MS);
	/** The one whose changes count. */
	#current: Listening | undefined;
	/** The subscription that is not acknowledged yet. */
	#opening: Listening | undefined;
	readonly #inOrder = inOrder();
	#requested: ReadonlySet<string> = new Set();
	#timer: NodeJS.Timeout | undefined;
	#isClosed = false;

	constructor(deps: ChangeSubscriptionDeps) {
		this.#deps = deps;
	}

	/** Listen to the lists that the server announces; does not wait for it. */
	start(): void {
		if (Object.keys(this.#listFlags()).length > 0)
			this.#enqueue().catch((error: unknown) => this.#onRefused(error));
	}

	/** Subscribe to a resource or task, or end that. Rejects when the server does not honour it. */
	async set(id: string, isWanted: boolean): Promise<void> {
		if (isWanted && !this.#wanted.has(id) && this.#wanted.size >= RESOURCE_SUBSCRIPTIONS_LIMIT) {
			throw new OrchestraError(
				'bad_input',
				`a client may subscribe to at most ${RESOURCE_SUBSCRIPTIONS_LIMIT} resources`,
			);
		}
		if (isWanted) this.#wanted.add(id);
		else this.#wanted.delete(id);
		try {
			await this.#enqueue();
			if (!isWanted || this.#current?.ids.has(id)) return;
		} catch (error) {
			if (isWanted) this.#wanted.delete(id);
			throw error;
		}
		this.#wanted.delete(id);
		throw new OrchestraError('not_found', `the server does not accept a subscription to ${id}`, {
			hint: 'It does not exist, or the server reports no updates of it.',
		});
	}

	/** Take a notification; false when it is not about this subscription. */
	receive(method: string, params: unknown): boolean {
		if (method === 'notifications/cancelled') return this.#onCanceled(params);
		if (method === 'notifications/subscriptions/acknowledged') return this.#onAcknowledged(params);
		return false;
	}

	/** Whether a change with this tag counts: one without a tag, or of the current subscription. */
	counts(params: unknown): boolean {
		const tag = metaOf(params)[SUBSCRIPTION_ID];
		return tag === undefined || this.#current === undefined || isId(this.#current, tag);
	}

	/** End all subscriptions. */
	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		this.#opening?.abort.abort();
		this.#current?.abort.abort();
	}

	/** Calls run one after another; each brings the subscription to what is wanted at that time. */
	#enqueue(): Promise<void> {
		return this.#inOrder(() => this.#update());
	}

	async #update(): Promise<void> {
		const ids = new Set(this.#wanted);
		const isSame = this.#current !== undefined && isEqual(ids, this.#requested);
		if (isSame || this.#isClosed) return;
		const notifications = {
			...this.#listFlags(),
			...(ids.size > 0 && { [this.#deps.member]: [...ids] }),
		};
		const previous = this.#current;
		if (Object.keys(notifications).length === 0) {
			this.#current = undefined;
		} else {
			await this.#open(notifications);
		}
		this.#requested = ids;
		previous?.abort.abort();
	}

	/** Open a subscription and wait until it is acknowledged. */
	async #open(notifications: Record<string, unknown>): Promise<void> {
		const opening: Listening = {
			id: undefined,
			abort: new AbortController(),
			acknowledged: deferred(),
			openedAt: performance.now(),
			kinds: [],
			ids: new Set(),
		};
		this.#opening = opening;
		const timer = setTimeout(
			() => opening.acknowledged.reject(notAcknowledged()),
			SUBSCRIPTION_ACKNOWLEDGE_MS,
		);
		this.#listen(opening, notifications).then(
			() => this.#onEnded(opening, new OrchestraError('closed', 'the server ended the subscription')),
			(error: unknown) => this.#onEnded(opening, OrchestraError.from(error)),
		);
		try {
			await opening.acknowledged.promise;
		} catch (error) {
			opening.abort.abort();
			throw error;
		} finally {
			clearTimeout(timer);
			if (this.#opening === opening) this.#opening = undefined;
		}
	}

	#listen(opening: Listening, notifications: Record<string, unknown>): Promise<unknown> {
		return this.#deps.link.send('subscriptions/listen', this.#deps.envelope({ notifications }), {
			timeoutMs: Number.POSITIVE_INFINITY,
			signal: opening.abort.signal,
			onId: (id) => {
				opening.id = id;
			},
		});
	}

	#onAcknowledged(params: unknown): boolean {
		const opening = this.#opening;
		const tag = metaOf(params)[SUBSCRIPTION_ID];
		if (opening === undefined || (tag !== undefined && !isId(opening, tag))) return false;
		const granted = isObject(params) && isObject(params['notifications']) ? params['notifications'] : {};
		const ids = granted[this.#deps.member];
		opening.ids = new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []);
		opening.kinds = Object.entries(listFlags)
			.filter(([name]) => granted[name] === true)
			.map(([, kind]) => kind);
		this.#opening = undefined;
		this.#current = opening;
		opening.acknowledged.resolve();
		return true;
	}

	/** The server ends a subscription this way, too. */
	#onCanceled(params: unknown): boolean {
		const id = isObject(params) ? params['requestId'] : undefined;
		for (const listening of [this.#current, this.#opening]) {
			if (listening === undefined || !isId(listening, id)) continue;
			this.#onEnded(listening, new OrchestraError('closed', 'the server ended the subscription'));
			listening.abort.abort();
			return true;
		}
		return false;
	}

	#onEnded(listening: Listening, reason: OrchestraError): void {
		listening.acknowledged.reject(reason);
		if (this.#current !== listening) return;
		this.#current = undefined;
		if (this.#isClosed || this.#deps.link.endReason) return;
		if (performance.now() - listening.openedAt >= SUBSCRIPTION_STABLE_MS) this.#backoff.reset();
		this.#deps.log.debug(`subscription ended: ${reason.message}`);
		this.#relisten();
	}

	#relisten(): void {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			this.#enqueue().then(
				() => this.#reportGap(),
				(error: unknown) => this.#onRefused(error),
			);
		}, this.#backoff.nextMs());
		this.#timer.unref();
	}

	/** Changes between two subscriptions were not seen. */
	#reportGap(): void {
		if (this.#isClosed || this.#current === undefined) return;
		this.#deps.onGap(this.#current);
	}

	/** A server without the method gets no further subscription. */
	#onRefused(error: unknown): void {
		if (this.#isClosed || this.#deps.link.endReason) return;
		this.#deps.log.warn(`the server refuses a subscription to changes: ${messageOf(error)}`);
		if (rpcErrorOf(error)?.code === rpcCodes.methodNotFound || this.#current) return;
		this.#relisten();
	}

	#listFlags(): Record<string, true> {
		const { capabilities = {} } = this.#deps;
		return Object.fromEntries(
			Object.entries(listFlags)
				.filter(([, kind]) => capabilities[kind]?.['listChanged'] === true)
				.map(([name]) => [name, true]),
		);
	}
}

/** Some servers write the id as a string. */
function isId({ id }: Listening, tag: unknown): boolean {
	return id !== undefined && (tag === id || tag === String(id));
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
	return one.size === other.size && [...one].every((id) => other.has(id));
}

function notAcknowledged(): OrchestraError {
	return new OrchestraError(
		'timeout',
		`the server did not acknowledge a subscription within ${SUBSCRIPTION_ACKNOWLEDGE_MS}ms`,
		{ hint: 'The server announces changes but does not serve `subscriptions/listen`.' },
	);
}
