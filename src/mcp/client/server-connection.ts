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
import type { ServerDescription } from './handshake.ts';
import { listPages, type ServerList } from './list-pages.ts';
import { type OpenedServerLink, openServerLink } from './open-server-link.ts';
import { diagnosisOf, outcomeUnknown, phaseOf, requestError, withPhase } from './phase-error.ts';
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
export interface ServerConnectionOptions {
	clientInfo: Implementation;
	/** Declared in `initialize`, or in `_meta` of each modern request that has none of its own. */
	capabilities: Readonly<Record<string, unknown>>;
	/** The era of an earlier connection: `legacy` skips the probe, `modern` waits longer for its answer. */
	knownEra?: 'legacy' | 'modern' | undefined;
	/** Silence after the probe that makes a server legacy, in milliseconds. Default 2 s, over HTTP 10 s. */
	probeMs?: number | undefined;
	/** Deadline of start and handshake, in milliseconds. Default 60 s. */
	startMs?: number | undefined;
	/** Handles `elicitation/create`, `sampling/createMessage` and `roots/list` of a legacy server. Idle timeouts pause meanwhile. */
	onRequest?: ServerRequestHandler | undefined;
	/** Receives notifications, except progress, changes and the logs of a call with `onLog`. */
	onNotification?: ((method: string, params: unknown) => void) | undefined;
	/** Receives list changes and resource updates, of both eras. */
	onChange?: ((change: Change) => void) | undefined;
	/** Called once when an open connection ends for another reason than `close`. */
	onEnd?: ((reason: OrchestraError) => void) | undefined;
	log?: Log | undefined;
	/** Cancels `open`. */
	signal?: AbortSignal | undefined;
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
	readonly #changes: ChangeSubscription | undefined;
	readonly #tasks: TaskPushes | undefined;

	/** Start a server and agree on a revision. `start` is called again once when the server exits on the probe. */
	static async open(
		start: (signal: AbortSignal) => Promise<Transport>,
		options: ServerConnectionOptions,
	): Promise<ServerConnection> {
		const { knownEra, probeMs, startMs, signal, log = Log.silent } = options;
		const identity = { clientInfo: options.clientInfo, capabilities: options.capabilities };
		const inbox = new Inbox(options);
		const handlers = (): ServerLinkHandlers => inbox.handlers();
		const opened = await openServerLink(start, {
			identity,
			knownEra,
			probeMs,
			startMs,
			signal,
			log,
			handlers,
		});
		const connection = new ServerConnection(opened, identity, options);
		const { endReason } = opened.link;
		if (endReason) throw withPhase(endReason, 'initialize');
		inbox.attach(opened.link, connection.#changes, connection.#tasks);
		connection.#changes?.start();
		return connection;
	}

	private constructor(opened: OpenedServerLink, identity: ClientIdentity, options: ServerConnectionOptions) {
		const description: ServerDescription = opened.description;
		this.era = description.revision.era;
		this.revision = description.revision;
		this.serverInfo = description.serverInfo;
		this.capabilities = description.capabilities;
		this.instructions = description.instructions;
		this.#isProven = description.isProven;
		this.#link = opened.link;
		this.#identity = identity;
		this.#startedInMs = opened.startedInMs;
		this.#log = options.log ?? Log.silent;
		if (this.era === 'legacy') return;
		const deps = {
			link: opened.link,
			envelope: (params: Result) => modernParams(params, this.revision.version, identity),
			log: this.#log,
		};
		this.#changes = new ChangeSubscription({
			...deps,
			member: 'resourceSubscriptions',
			capabilities: this.capabilities,
			onGap: ({ kinds, ids }) => {
				for (const kind of kinds) options.onChange?.({ kind });
				for (const uri of ids) options.onChange?.({ kind: 'resource', uri });
			},
		});
		if (declaresTasks(this.capabilities)) this.#tasks = new TaskPushes(deps);
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
				throw noObject(method);
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
		if (this.#changes) return this.#changes.set(uri, isSubscribed);
		await this.request(isSubscribed ? 'resources/subscribe' : 'resources/unsubscribe', { uri });
	}

	/** Subscribe to the state of a task; undefined when the server has no subscriptions to tasks. The caller ends it. */
	followTask(taskId: string, onPush: () => void): TaskSubscription | undefined {
		return this.#tasks?.follow(taskId, onPush);
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
		this.#changes?.close();
		this.#tasks?.close();
		await this.#link.close();
	}
}

/** Delivers what the server sends by itself. An end during the handshake is the error of `open`. */
class Inbox {
	readonly #options: ServerConnectionOptions;
	#link: ServerLink | undefined;
	#changes: ChangeSubscription | undefined;
	#tasks: TaskPushes | undefined;

	constructor(options: ServerConnectionOptions) {
		this.#options = options;
	}

	handlers(): ServerLinkHandlers {
		const { onRequest, log = Log.silent } = this.#options;
		return {
			onRequest,
			onNotification: (method, params) => this.#receive(method, params),
			onEnd: (reason) => this.#end(reason),
			log,
		};
	}

	/** The handshake is complete. */
	attach(link: ServerLink, changes: ChangeSubscription | undefined, tasks: TaskPushes | undefined): void {
		this.#link = link;
		this.#changes = changes;
		this.#tasks = tasks;
	}

	#receive(method: string, params: unknown): void {
		if (this.#changes?.receive(method, params) || this.#tasks?.receive(method, params)) return;
		if (method === 'notifications/cancelled') return;
		const change = changeOf(method, params);
		if (change === undefined) this.#options.onNotification?.(method, params);
		else if (this.#changes?.counts(params) ?? true) this.#options.onChange?.(change);
	}

	#end(reason: OrchestraError): void {
		this.#changes?.close();
		this.#tasks?.close();
		if (this.#link && !this.#link.isClosing) this.#options.onEnd?.(reason);
	}
}

function noObject(method: string): OrchestraError {
	return new OrchestraError('bad_frame', `the result of ${method} is not an object`, {
		hint: 'The server does not follow MCP. Report this to its author.',
		data: { phase: phaseOf(method), outcome: 'ran' },
	});
}
