/*
 * The face that a provider shows to one client on one pipe: MCP in every revision
 * at once, the era decided per request.
 *
 * A request that carries a protocol version in `_meta` is modern, whatever came
 * before it, and so is one that names capabilities there and forgot the version;
 * everything else is legacy. Both may be mixed freely. The face knows
 * nothing of what is behind the provider, nor of what kind of pipe it is on.
 */
import { messageOf } from '../../errors.ts';
import { Log } from '../../log.ts';
import { CLIENT_CAPABILITIES, metaOf, PROTOCOL_VERSION } from '../../protocol/meta.ts';
import type { IncomingCall } from '../../rpc/incoming-call.ts';
import type { Peer, PeerOptions } from '../../rpc/peer.ts';
import { isObject } from '../../wire/json.ts';
import { LegacySession } from './legacy-session.ts';
import { ModernRequests } from './modern-requests.ts';
import type { Change, Provider } from './provider.ts';
import { RequestStates } from './request-state.ts';
import { Subscriptions } from './subscriptions.ts';
import { SuspendedCalls } from './suspended-calls.ts';
import { Watches } from './watches.ts';

/** What the faces of one server share, so that a modern client may come back on another pipe. */
export interface SharedState {
	readonly parking: SuspendedCalls;
	readonly states: RequestStates;
	readonly watches: Watches;
}

export function sharedState(): SharedState {
	return { parking: new SuspendedCalls(), states: new RequestStates(), watches: new Watches() };
}

export interface FaceOptions {
	shared?: SharedState | undefined;
	log?: Log | undefined;
	/** The id of the MCP connection, for calls. Default: a random one. */
	sessionId?: string | undefined;
}

export class McpSession {
	readonly #legacy: LegacySession;
	readonly #modern: ModernRequests;
	readonly #subscriptions: Subscriptions;
	readonly #log: Log;
	readonly #stopHearing: () => void;
	#peer: Peer | undefined;
	#hasSpokenModern = false;
	#hasSpokenLegacy = false;

	constructor(provider: Provider, options: FaceOptions = {}) {
		const { parking, states, watches } = options.shared ?? sharedState();
		const peer = (): Peer => this.#connected();
		this.#log = options.log ?? Log.silent;
		let given = options.sessionId;
		// Most connections never need it.
		const sessionId = (): string => (given ??= crypto.randomUUID());
		this.#legacy = new LegacySession({ provider, peer, watches, sessionId });
		this.#subscriptions = new Subscriptions(provider, peer, watches);
		this.#modern = new ModernRequests({
			provider,
			peer,
			parking,
			states,
			subscriptions: this.#subscriptions,
			sessionId,
		});
		this.#stopHearing = provider.onChange?.((change) => this.#tell(change)) ?? (() => {});
	}

	/** The part of a peer's options that makes it speak MCP. */
	get peerOptions(): Pick<PeerOptions, 'onRequest' | 'acceptsBatch' | 'isAlone' | 'unknownId' | 'role'> {
		return {
			role: 'server',
			onRequest: (call) => this.#serve(call),
			acceptsBatch: () => this.#legacy.revision.acceptsBatch,
			isAlone: (method) => method === 'initialize',
			// Some modern clients refuse `id: null`.
			unknownId: () => (this.#hasSpokenModern && !this.#hasSpokenLegacy ? undefined : null),
		};
	}

	/** Say which peer speaks for this face, before its first message comes. */
	connect(peer: Peer): void {
		this.#peer = peer;
	}

	/** The client is gone or going: subscriptions are answered, nothing is told any more. */
	close(): void {
		this.#stopHearing();
		this.#subscriptions.close();
		this.#legacy.close();
	}

	#serve(call: IncomingCall): unknown {
		const meta = metaOf(call.params);
		if (meta[PROTOCOL_VERSION] === undefined && meta[CLIENT_CAPABILITIES] === undefined) {
			this.#hasSpokenLegacy = true;
			return this.#legacy.serve(call);
		}
		this.#hasSpokenModern = true;
		return this.#modern.serve(call, isObject(call.params) ? call.params : {}, meta);
	}

	#tell(change: Change): void {
		try {
			this.#legacy.tell(change);
			this.#subscriptions.tell(change);
		} catch (error) {
			// The pipe broke; its end is told to the peer, not to whoever changed something.
			this.#log.debug(`a change could not be told: ${messageOf(error)}`);
		}
	}

	#connected(): Peer {
		if (this.#peer === undefined) throw new Error('the face is not connected to a peer');
		return this.#peer;
	}
}
