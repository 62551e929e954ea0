/*
 * Modern subscriptions: `subscriptions/listen` requests that stay open.
 *
 * The first message acknowledges the request and lists the notifications that will
 * be sent. Every later notification carries the id of the request. A canceled
 * request gets no answer; a server that shuts down answers every open one.
 */
import { OrchestraError } from '../../errors.ts';
import { listFlags } from '../../protocol/item-lists.ts';
import type { Awaitable, Result, ServerCapabilities } from '../../protocol/mcp-types.ts';
import { metaOf, SERVER_INFO, SUBSCRIPTION_ID } from '../../protocol/meta.ts';
import { onAbort } from '../../rpc/abortable.ts';
import type { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import type { Peer } from '../../rpc/peer.ts';
import { isObject } from '../../wire/json.ts';
import { JsonText } from '../../wire/json-text.ts';
import { LISTEN_REQUESTS_LIMIT, RESOURCE_SUBSCRIPTIONS_LIMIT } from '../mcp-limits.ts';
import type { ClientConnection } from './call-context.ts';
import { ListThrottle } from './list-throttle.ts';
import { after, declaredCapabilities, type Params } from './methods.ts';
import type { Change, Provider } from './provider.ts';
import { isForSession, isSubscribedTo } from './resource-subscriptions.ts';
import { requireTasks } from './task-methods.ts';

interface Subscription {
	readonly id: JsonText;
	readonly kinds: ReadonlySet<string>;
	readonly uris: Set<string>;
	/** The tasks that it follows, each with the function that ends that. */
	readonly tasks: Map<string, () => void>;
	readonly client: ClientConnection;
	readonly finish: (result: Result) => void;
	/** Notifications that follow the acknowledgement, by method and resource; undefined once it was sent. */
	deferred: Map<string, () => void> | undefined;
}

export class Subscriptions {
	readonly #provider: Provider;
	readonly #peer: () => Peer;
	readonly #open = new Set<Subscription>();
	readonly #throttle = new ListThrottle((kind) =>
		this.#notifyAll(({ kinds }) => kinds.has(kind), `notifications/${kind}/list_changed`, {}),
	);
	#isClosed = false;

	constructor(provider: Provider, peer: () => Peer) {
		this.#provider = provider;
		this.#peer = peer;
	}

	/** Acknowledge, then stay open until the client cancels or the session closes. */
	listen(call: IncomingCall, params: Params, client: ClientConnection): Awaitable<Result> {
		const wanted = params['notifications'];
		if (!isObject(wanted)) throw new OrchestraError('bad_input', 'missing required parameter: notifications');
		const taskIds = this.#taskIds(wanted, client);
		return after(declaredCapabilities(this.#provider, 'modern'), (capabilities) =>
			this.#start(call, client, { ...this.#accepted(wanted, capabilities), taskIds }),
		);
	}

	/** Notify every subscription that the change concerns. */
	notifyChange(change: Change): void {
		if (change.kind === 'log') return;
		if (change.kind !== 'resource') {
			if (this.#open.size > 0) this.#throttle.changed(change.kind);
			return;
		}
		const isConcerned = ({ client, uris }: Subscription): boolean =>
			isForSession(change, client.sessionId) && isSubscribedTo(change.uri, uris);
		this.#notifyAll(isConcerned, 'notifications/resources/updated', {
			...change.more,
			uri: change.uri,
		});
	}

	/** One that is not acknowledged gets it later, unless the client has it from another one. */
	#notifyAll(
		isConcerned: (subscription: Subscription) => boolean,
		method: string,
		params: Record<string, unknown>,
	): void {
		const concerned = [...this.#open].filter(isConcerned);
		const acknowledged = concerned.filter(({ deferred }) => deferred === undefined);
		for (const subscription of acknowledged.length > 0 ? acknowledged : concerned)
			this.#notify(subscription, method, params);
	}

	/** Answer every open request. */
	close(): void {
		this.#isClosed = true;
		this.#throttle.close();
		for (const subscription of this.#open) this.#close(subscription);
	}

	#start(
		call: IncomingCall,
		client: ClientConnection,
		{ taskIds, ...accepted }: Pick<Subscription, 'kinds' | 'uris'> & { taskIds: readonly string[] },
	): Promise<Result> {
		if (this.#open.size >= LISTEN_REQUESTS_LIMIT) {
			throw new OrchestraError(
				'bad_input',
				`this session already has ${LISTEN_REQUESTS_LIMIT} open subscriptions`,
			);
		}
		return new Promise((resolve, reject) => {
			const subscription = {
				id: new JsonText(call.id),
				...accepted,
				tasks: new Map<string, () => void>(),
				client,
				finish: resolve,
				deferred: new Map(),
			};
			this.#open.add(subscription);
			const { signal } = call;
			if (accepted.uris.size + taskIds.length === 0) this.#acknowledge(subscription);
			else
				Promise.all([this.#subscribe(subscription), this.#followAll(subscription, taskIds)])
					.then(() => this.#acknowledge(subscription), reject)
					.catch(reject);
			if (this.#isClosed) this.#close(subscription);
			onAbort(signal, () => this.#close(subscription));
		});
	}

	/** Resolves when updates are reported. Resources that the provider refuses are left out. */
	async #subscribe({ uris, client }: Subscription): Promise<void> {
		const subscribed = [...uris].map(async (uri) => {
			try {
				await this.#provider.subscribeResource?.(uri, true, client);
			} catch {
				uris.delete(uri); // the acknowledgement does not list it
			}
		});
		await Promise.all(subscribed);
	}

	/** The tasks that a request wants to follow. Throws -32021 when the client does not declare tasks. */
	#taskIds({ taskIds = [] }: Params, { revision, capabilities }: ClientConnection): readonly string[] {
		if (!Array.isArray(taskIds) || taskIds.length === 0 || this.#provider.tasks === undefined) return [];
		requireTasks(revision, capabilities);
		if (taskIds.length > RESOURCE_SUBSCRIPTIONS_LIMIT)
			throw new OrchestraError(
				'bad_input',
				`a subscription may name at most ${RESOURCE_SUBSCRIPTIONS_LIMIT} tasks, not ${taskIds.length}`,
			);
		return [...new Set(taskIds.filter((id) => typeof id === 'string'))];
	}

	/** Resolves when changes are reported. Tasks that the client does not have are left out. */
	async #followAll(subscription: Subscription, taskIds: readonly string[]): Promise<void> {
		const { tasks, client } = subscription;
		await Promise.all(
			taskIds.map(async (id) => {
				const stop = await this.#provider.tasks?.follow(id, client, (state) =>
					this.#notify(subscription, 'notifications/tasks', state),
				);
				if (stop) tasks.set(id, stop);
			}),
		);
		if (!this.#open.has(subscription)) for (const stop of tasks.values()) stop();
	}

	#acknowledge(subscription: Subscription): void {
		if (!this.#open.has(subscription)) return;
		const { deferred } = subscription;
		subscription.deferred = undefined;
		this.#notify(subscription, 'notifications/subscriptions/acknowledged', {
			notifications: granted(subscription),
		});
		for (const send of deferred?.values() ?? []) send();
	}

	#close(subscription: Subscription): void {
		if (!this.#open.delete(subscription)) return;
		const { uris, client, tasks } = subscription;
		for (const stop of tasks.values()) stop();
		// The client has nothing to do with a failure.
		for (const uri of uris)
			Promise.resolve(this.#provider.subscribeResource?.(uri, false, client)).catch(() => {});
		subscription.finish({
			resultType: 'complete',
			_meta: { [SUBSCRIPTION_ID]: subscription.id, [SERVER_INFO]: this.#provider.info },
		});
	}

	/** The part of the request that the provider supports. */
	#accepted(wanted: Params, capabilities: ServerCapabilities): { kinds: Set<string>; uris: Set<string> } {
		const kinds = Object.entries(listFlags).filter(
			([name, kind]) => wanted[name] === true && capabilities[kind]?.['listChanged'] === true,
		);
		const requested = capabilities.resources?.['subscribe'] === true ? wanted['resourceSubscriptions'] : [];
		const uris = Array.isArray(requested) ? requested.filter((uri) => typeof uri === 'string') : [];
		if (uris.length > RESOURCE_SUBSCRIPTIONS_LIMIT) {
			throw new OrchestraError(
				'bad_input',
				`a subscription may name at most ${RESOURCE_SUBSCRIPTIONS_LIMIT} resources, not ${uris.length}`,
			);
		}
		return { kinds: new Set(kinds.map(([, kind]) => kind)), uris: new Set(uris) };
	}

	#notify(subscription: Subscription, method: string, params: Record<string, unknown>): void {
		const { id, deferred } = subscription;
		const _meta = { ...metaOf(params), [SUBSCRIPTION_ID]: id };
		const send = (): void => this.#peer().notify(method, { ...params, _meta });
		if (deferred === undefined) send();
		else if (deferred.size < RESOURCE_SUBSCRIPTIONS_LIMIT)
			deferred.set(`${method} ${String(params['uri'] ?? params['taskId'])}`, send);
	}
}

function granted({ kinds, uris, tasks }: Subscription): Record<string, unknown> {
	const flags = Object.entries(listFlags).filter(([, kind]) => kinds.has(kind));
	const lists = Object.fromEntries(flags.map(([name]) => [name, true]));
	return {
		...lists,
		...(uris.size > 0 && { resourceSubscriptions: [...uris] }),
		...(tasks.size > 0 && { taskIds: [...tasks.keys()] }),
	};
}
