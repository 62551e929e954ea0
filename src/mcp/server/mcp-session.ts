/*
 * The server side of one MCP connection: every revision at once, with the era
 * decided per request.
 *
 * A request with a protocol version in `_meta` is modern, whatever came before it,
 * and so is one with capabilities there but no version. Every other request is
 * legacy. A client may mix both. The session is independent of the provider and of
 * the transport.
 */
import { messageOf } from '../../errors.ts';
import { Log } from '../../log.ts';
import { isModernMeta, isModernView, metaOf } from '../../protocol/meta.ts';
import type { IncomingCall } from '../../rpc/calls/incoming-call.ts';
import { UnreadTotal } from '../../rpc/calls/response-budget.ts';
import type { Channel } from '../../rpc/channel.ts';
import { Peer, type PeerOptions } from '../../rpc/peer.ts';
import type { Transport } from '../../transport/transport.ts';
import { isObject } from '../../wire/json.ts';
import type { MessageView } from '../../wire/message-view.ts';
import { UNREAD_TOTAL_CHARACTERS } from '../../wire/wire-limits.ts';
import { ConnectionSessions } from './connection-sessions.ts';
import { LegacySession } from './legacy-session.ts';
import { ModernRequests } from './modern-requests.ts';
import { PlainCallCheck } from './plain-messages.ts';
import type { Change, Provider } from './provider.ts';
import { RequestStates } from './request-state.ts';
import { Subscriptions } from './subscriptions.ts';
import { SuspendedCalls } from './suspended-calls.ts';

/** State that the sessions of one server share, so that a modern client may retry on another connection. */
export interface SharedState {
	readonly suspendedCalls: SuspendedCalls;
	readonly states: RequestStates;
	/** Bounds the responses that the clients of this server do not read. */
	readonly unreadTotal: UnreadTotal;
}

/** Shared state for one server. The creator closes `suspendedCalls`. */
export function sharedState(): SharedState {
	return {
		suspendedCalls: new SuspendedCalls(),
		states: new RequestStates(),
		unreadTotal: new UnreadTotal(UNREAD_TOTAL_CHARACTERS),
	};
}

export interface McpSessionOptions {
	shared?: SharedState | undefined;
	log?: Log | undefined;
	/** The id of the MCP session, visible to calls. Default: a random UUID. */
	sessionId?: string | undefined;
	/** Who sends the requests, when the transport knows it: a `requestState` is refused from any other sender. */
	principal?: string | undefined;
	/** How the client is connected, for display: `http`, `link`. */
	transport?: string | undefined;
}

/** One client of a provider. `close` it when the connection ends. */
export class McpSession {
	readonly #legacy: LegacySession;
	readonly #modern: ModernRequests;
	readonly #subscriptions: Subscriptions;
	readonly #log: Log;
	readonly #unreadTotal: UnreadTotal;
	readonly #unsubscribe: () => void;
	#peer: Peer | undefined;
	readonly #sessions: ConnectionSessions;
	readonly #forwards: boolean;
	readonly #plain = new PlainCallCheck();
	#isClosed = false;
	#hasSpokenModern = false;
	#hasSpokenLegacy = false;

	constructor(provider: Provider, options: McpSessionOptions = {}) {
		const { suspendedCalls, states, unreadTotal } = options.shared ?? sharedState();
		this.#unreadTotal = unreadTotal;
		this.#forwards = provider.toolForwarder !== undefined;
		const peer = (): Peer => this.#connected();
		this.#log = options.log ?? Log.silent;
		const sessions = new ConnectionSessions(provider, options.transport, options.sessionId);
		this.#sessions = sessions;
		const { principal } = options;
		this.#legacy = new LegacySession({ provider, peer, sessionId: () => sessions.id, principal });
		this.#subscriptions = new Subscriptions(provider, peer);
		this.#modern = new ModernRequests({
			provider,
			peer,
			suspendedCalls,
			states,
			subscriptions: this.#subscriptions,
			sessions,
			principal,
		});
		this.#unsubscribe = provider.watch?.((change) => this.#notifyChange(change)) ?? (() => {});
	}

	/** The options of a `Peer` that serves this session. */
	get peerOptions(): Pick<
		PeerOptions,
		| 'onRequest'
		| 'onView'
		| 'onNotification'
		| 'acceptsBatch'
		| 'isAlone'
		| 'unknownId'
		| 'role'
		| 'unreadTotal'
	> {
		return {
			role: 'server',
			unreadTotal: this.#unreadTotal,
			onRequest: (call) => this.#serve(call),
			onView: this.#forwards ? (view) => this.#view(view) : undefined,
			onNotification: (method) => this.#legacy.notified(method),
			acceptsBatch: () => this.#legacy.revision.acceptsBatch,
			isAlone: (method) => method === 'initialize',
			// Some modern clients refuse `id: null`.
			unknownId: () => (this.#hasSpokenModern && !this.#hasSpokenLegacy ? undefined : null),
		};
	}

	/** The peer that serves this session over a channel, which the caller starts. */
	open(channel: Channel, options: Pick<PeerOptions, 'onEnd'> = {}): Peer {
		const peer = new Peer(channel, { ...this.peerOptions, log: this.#log, ...options });
		this.connect(peer);
		return peer;
	}

	/** Serve this session over a transport until that ends. @param ended why the calls in flight are canceled then */
	serve(transport: Transport, ended: string): void {
		const onEnd = (): void => {
			this.close();
			peer.cancelIncoming(ended);
		};
		const peer = this.open(transport, { onEnd });
		transport.start(peer);
	}

	/** Set the peer of this session, before its first message. */
	connect(peer: Peer): void {
		this.#peer = peer;
	}

	/** End the session: open subscriptions are answered, and no more notifications are sent. */
	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#sessions.close();
		this.#unsubscribe();
		this.#subscriptions.close();
		this.#legacy.close();
	}

	/** A request that the provider takes as text. */
	#view(view: MessageView): boolean {
		if (!this.#plain.has(view)) return false;
		const isModern = isModernView(view);
		if (!(isModern ? this.#modern.forward(view) : this.#legacy.forward(view))) return false;
		if (isModern) this.#hasSpokenModern = true;
		else this.#hasSpokenLegacy = true;
		return true;
	}

	#serve(call: IncomingCall): unknown {
		const meta = metaOf(call.params);
		if (!isModernMeta(meta)) {
			this.#hasSpokenLegacy = true;
			return this.#legacy.serve(call);
		}
		this.#hasSpokenModern = true;
		return this.#modern.serve(call, isObject(call.params) ? call.params : {}, meta);
	}

	#notifyChange(change: Change): void {
		try {
			this.#legacy.notifyChange(change);
			this.#subscriptions.notifyChange(change);
		} catch (error) {
			// The transport failed and reports that itself; the source of the change must not fail.
			this.#log.debug(`the client was not notified of a change: ${messageOf(error)}`);
		}
	}

	#connected(): Peer {
		if (this.#peer === undefined) throw new Error('the session is not connected to a peer');
		return this.#peer;
	}
}
