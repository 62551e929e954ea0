/*
 * One negotiated connection to one MCP server, of either era.
 *
 * Requests, changes and lists look the same in both eras. What differs in the
 * protocol itself does not: a modern server sends client requests with a result that has
 * `resultType: input_required`, a legacy one with a request to `onRequest`. Nothing
 * is restarted here; the owner opens a new connection.
 */
import { OrchestraError, withOutcome } from '../../errors.ts';
import { Log } from '../../log.ts';
import type { Diagnosis } from '../../process/diagnosis.ts';
import { type ItemKind, type ItemTypes, lists } from '../../protocol/item-lists.ts';
import {
	type Answer,
	answerValue,
	type Implementation,
	type Result,
	type ServerCapabilities,
} from '../../protocol/mcp-types.ts';
import { HUB_ID, SKILLS } from '../../protocol/meta.ts';
import { LIST_CHARACTERS_LIMIT } from '../../protocol/protocol-limits.ts';
import type { Revision } from '../../protocol/revisions.ts';
import { declaresTasks } from '../../protocol/tasks.ts';
import type { ForwardedCalls } from '../../rpc/calls/outgoing-calls.ts';
import { rpcErrorOf } from '../../rpc/rpc-error.ts';
import type { Transport } from '../../transport/transport.ts';
import { isObject } from '../../wire/json.ts';
import { rpcCodes } from '../../wire/json-rpc.ts';
import { JsonText } from '../../wire/json-text.ts';
import type { Change } from '../server/provider.ts';
import { totalUntil } from './call-deadline.ts';
import { ChangeSubscription } from './change-subscription.ts';
import { listPages, type ServerList } from './list-pages.ts';
import { type OpenedServerLink, openServerLink, type StartOptions } from './open-server-link.ts';
import {
	brokenProtocol,
	diagnosisOf,
	outcomeUnknown,
	phaseOf,
	requestError,
	withPhase,
} from './phase-error.ts';
import { type ClientIdentity, legacyParams, modernParams } from './request-envelope.ts';
import { changeOf } from './server-changes.ts';
import type {
	ServerLink,
	ServerLinkHandlers,
	ServerRequestHandler,
	ServerRequestOptions,
} from './server-link.ts';
import { TaskPushes, type TaskSubscription } from './task-pushes.ts';

/** Who connects, what it can do, and who receives what the server sends by itself. */
export interface ServerConnectionOptions extends StartOptions {
	clientInfo: Implementation;
	/** Declared in `initialize`, or in `_meta` of each modern request that has none of its own. */
	capabilities: Readonly<Record<string, unknown>>;
	/** Handles `elicitation/create`, `sampling/createMessage` and `roots/list` of a legacy server. Idle timeouts pause meanwhile. */
	onRequest?: ServerRequestHandler | undefined;
	/** Receives notifications, except progress, changes and the logs of a call with `onLog`. */
	onNotification?: ((method: string, params: unknown) => void) | undefined;
	/** Receives list changes and resource updates, of both eras. */
	onChange?: ((change: Change) => void) | undefined;
	/** Called once when an open connection ends for another reason than `close`. */
	onEnd?: ((reason: OrchestraError) => void) | undefined;
	log?: Log | undefined;
}

/** The state of a connection and of the program behind it. */
export interface ConnectionDiagnosis {
	/** Undefined when the server is no child process. */
	readonly process: Diagnosis | undefined;
	/** The time from the first start to the end of the handshake. */
	readonly startedInMs: number;
	/** Responses that were dropped: late, repeated, or with an unknown id. */
	readonly droppedResponses: number;
	/** Requests without a response, subscriptions included. */
	readonly inFlight: number;
	/** Why the connection ended; undefined while it is open. */
	readonly endReason: OrchestraError | undefined;
}

/** A connection to an MCP server. The opener closes it. */
export class ServerConnection {
	readonly era: 'legacy' | 'modern';
	readonly revision: Revision;
	readonly serverInfo: Implementation | undefined;
	readonly capabilities: ServerCapabilities;
	readonly instructions: string | undefined;
	readonly #isProven: () => boolean;
	readonly #link: ServerLink;
	readonly #identity: ClientIdentity;
	readonly #startedInMs: number;
	readonly #log: Log;
	readonly #subscribed: Subscribed;

	/** Start a server and agree on a revision. `start` is called again once when the server exits on the probe. */
	static async open(
		start: (signal: AbortSignal) => Promise<Transport>,
		options: ServerConnectionOptions,
	): Promise<ServerConnection> {
		const { clientInfo, capabilities, log = Log.silent } = options;
		const identity = { clientInfo, capabilities };
		let subscribed: Subscribed = {};
		let link: ServerLink | undefined; // once the handshake is complete: an end during it is the error of `open`
		const handlers = (): ServerLinkHandlers => ({
			onRequest: options.onRequest,
			onNotification: (method, params) => receive(method, params, subscribed, options),
			onEnd: (reason) => {
				close(subscribed);
				if (link && !link.isClosing) options.onEnd?.(reason);
			},
			log,
		});
		const opened = await openServerLink(start, { ...options, identity, log, handlers });
		const { endReason } = opened.link;
		if (endReason) throw withPhase(endReason, 'initialize');
		link = opened.link;
		subscribed = subscriptionsTo(opened, identity, options);
		subscribed.changes?.start();
		return new ServerConnection(opened, identity, subscribed, log);
	}

	private constructor(opened: OpenedServerLink, identity: ClientIdentity, subscribed: Subscribed, log: Log) {
		const { description } = opened;
		this.era = description.revision.era;
		this.revision = description.revision;
		this.serverInfo = description.serverInfo;
		this.capabilities = description.capabilities;
		this.instructions = description.instructions;
		this.#isProven = description.isProven;
		this.#link = opened.link;
		this.#identity = identity;
		this.#startedInMs = opened.startedInMs;
		this.#subscribed = subscribed;
		this.#log = log;
	}

	/** The extensions that the server declares. */
	get extensions(): Readonly<Record<string, unknown>> {
		return this.capabilities.extensions ?? {};
	}

	/** False for a legacy server that was not probed, or whose answer to the probe proves nothing. */
	get isEraProven(): boolean {
		return this.#isProven();
	}

	get transport(): Transport {
		return this.#link.transport;
	}

	/** Why the connection ended; undefined while it is open. */
	get endReason(): OrchestraError | undefined {
		return this.#link.endReason;
	}

	/**
	 * Call a method. A modern request gets its `_meta` envelope; `input_required` is returned as it is. Rejects with
	 * `data.phase`, and with `data.outcome` unless the server answered with an error.
	 */
	async request(method: string, params?: unknown, options: ServerRequestOptions = {}): Promise<Result> {
		return answerValue(await this.ask(method, params, options));
	}

	/** The same; the result is a `JsonText` with the option `keepsText`. */
	ask(method: string, params?: unknown, options: ServerRequestOptions = {}): Promise<Answer> {
		const { endReason } = this.#link;
		if (endReason) return Promise.reject(withOutcome(withPhase(endReason, phaseOf(method)), 'not_run'));
		const { version } = this.revision;
		const sent = this.era === 'modern' ? modernParams(params, version, this.#identity) : legacyParams(params);
		return this.received(method, this.#link.call(method, sent, options));
	}

	/** The response to a request or a forwarded call, as `ask` gives it. */
	received(method: string, response: Promise<unknown>): Promise<Answer> {
		return response.then(
			(answer) => {
				if (isObject(answer instanceof JsonText ? answer.value : answer)) return answer as Answer;
				throw brokenProtocol(`the result of ${method} is not an object`, {
					phase: phaseOf(method),
					outcome: 'ran',
				});
			},
			(error: unknown) => {
				const isLost = error === this.#link.endReason && OrchestraError.is(error);
				throw isLost ? outcomeUnknown(error, method) : requestError(error, method);
			},
		);
	}

	/** The calls that are forwarded as text. */
	get forwarded(): ForwardedCalls {
		return this.#link.peer.forwarded;
	}

	/** Send a notification. Throws when the connection has ended. */
	notify(method: string, params?: unknown): void {
		this.#link.peer.notify(method, params);
	}

	/** Subscribe to the updates of a resource, or end that. A new connection begins without subscriptions. */
	async subscribeResource(uri: string, isSubscribed: boolean): Promise<void> {
		const { changes } = this.#subscribed;
		if (changes) return changes.set(uri, isSubscribed);
		await this.request(isSubscribed ? 'resources/subscribe' : 'resources/unsubscribe', { uri });
	}

	/** Subscribe to the state of a task; undefined when the server has no subscriptions to tasks. The caller ends it. */
	followTask(taskId: string, onPush: () => void): TaskSubscription | undefined {
		return this.#subscribed.tasks?.follow(taskId, onPush);
	}

	/** Receive the progress of a request after its response: it began a task. Ends with the returned function. */
	followProgress(id: number, listener: (params: unknown) => void): () => void {
		return this.#link.followProgress(id, listener);
	}

	/**
	 * A whole list: at most 100 pages, 10,000 items and 8 Mi characters; a repeated cursor ends it with a warning. Empty when the
	 * server does not have this kind. `maxTotalMs` bounds all pages together. A server that is a hub answers with its id
	 * when `hubId` has ours.
	 */
	async listAll<Kind extends ItemKind>(
		kind: Kind,
		{ hubId, ...options }: ServerRequestOptions & { hubId?: string | undefined } = {},
	): Promise<ServerList<ItemTypes[Kind]>> {
		const { method, capability } = lists[kind];
		const declared = capability === 'skills' ? this.extensions[SKILLS] : this.capabilities[capability];
		const isDeclared = declared !== undefined;
		// Some servers have tools and declare nothing; the other lists are requested only when they are declared.
		if (!isDeclared && kind !== 'tools') return { items: [] };
		const endsAt = performance.now() + (options.maxTotalMs ?? Number.POSITIVE_INFINITY);
		const request = (params: Result): Promise<Answer> =>
			this.ask(method, hubId === undefined ? params : { ...params, _meta: { [HUB_ID]: hubId } }, {
				...options,
				...totalUntil(endsAt),
				keepsText: true,
				maxResponseCharacters: LIST_CHARACTERS_LIMIT,
			});
		try {
			return await listPages(kind, request, this.#log);
		} catch (error) {
			const isOptional = !isDeclared || kind === 'templates';
			if (isOptional && rpcErrorOf(error)?.code === rpcCodes.methodNotFound) return { items: [] };
			throw withPhase(error, 'list');
		}
	}

	/** The state of the connection, for users and programs. */
	diagnose(): ConnectionDiagnosis {
		return {
			process: diagnosisOf(this.#link.transport),
			startedInMs: this.#startedInMs,
			droppedResponses: this.#link.peer.droppedCount,
			inFlight: this.#link.peer.pendingCount,
			endReason: this.#link.endReason,
		};
	}

	/** End the connection and stop the server. Idempotent; resolves when the process is gone. */
	async close(): Promise<void> {
		close(this.#subscribed);
		await this.#link.close();
	}
}

/** What a modern server reports. */
interface Subscribed {
	readonly changes?: ChangeSubscription;
	readonly tasks?: TaskPushes | undefined;
}

function subscriptionsTo(
	{ link, description: { revision, capabilities } }: OpenedServerLink,
	identity: ClientIdentity,
	{ onChange, log = Log.silent }: ServerConnectionOptions,
): Subscribed {
	if (revision.era === 'legacy') return {};
	const envelope = (params: Result): Result => modernParams(params, revision.version, identity);
	const deps = { link, envelope, log };
	const changes = new ChangeSubscription({
		...deps,
		member: 'resourceSubscriptions',
		capabilities,
		onGap: ({ kinds, ids }) => {
			for (const kind of kinds) onChange?.({ kind });
			for (const uri of ids) onChange?.({ kind: 'resource', uri });
		},
	});
	return { changes, tasks: declaresTasks(capabilities) ? new TaskPushes(deps) : undefined };
}

/** A notification of the server. */
function receive(
	method: string,
	params: unknown,
	{ changes, tasks }: Subscribed,
	{ onNotification, onChange }: ServerConnectionOptions,
): void {
	if (changes?.receive(method, params) || tasks?.receive(method, params)) return;
	if (method === 'notifications/cancelled') return;
	const change = changeOf(method, params);
	if (change === undefined) onNotification?.(method, params);
	else if (changes?.counts(params) ?? true) onChange?.(change);
}

function close({ changes, tasks }: Subscribed): void {
	changes?.close();
	tasks?.close();
}
