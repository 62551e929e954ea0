/*
 * Forwards messages between one client and the current hub.
 *
 * Text is forwarded unchanged in both directions. The relay tracks only the state that
 * makes a hub replaceable: requests in flight, requests of the hub, and the session
 * state that a new hub needs. When a hub is lost, every request in flight is answered
 * at once and nothing is sent twice; new messages are queued for the next hub.
 *
 * Reading never waits for writing: responses always pass, and only new requests are
 * queued, in order and bounded, while a pipe is full.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import type { Tool } from '../protocol/mcp-types.ts';
import type { Receiver } from '../rpc/channel.ts';
import { deferred } from '../rpc/deferred.ts';
import type { Transport } from '../transport/transport.ts';
import { encodeResult, rpcCodes } from '../wire/json-rpc.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { HUB_START_MS, QUEUE_MS } from './bridge-limits.ts';
import { ClientRoots, type OnRoots } from './client-roots.ts';
import { responseToUnsent } from './error-responses.ts';
import { HubRequests } from './hub-requests.ts';
import type { LocalInstructions } from './initialization.ts';
import { LocalResponses } from './local-responses.ts';
import { canceledId, clientMessage, type Head, hubHead, isInitialize, withPreface } from './message-head.ts';
import { MessageQueue } from './message-queue.ts';
import { OpenRequests } from './open-requests.ts';
import { OutputQueue } from './output-queue.ts';
import { SessionReplay } from './session-state.ts';

export interface RelayOptions {
	log?: Log | undefined;
	/** How long a message is queued without a hub. Default 5 s. */
	queueMs?: number | undefined;
	/** How long the client may read nothing while its pipe is full. Default 60 s. */
	stalledMs?: number | undefined;
	/** What the client gets before the instructions of the hub. */
	preface?: string | undefined;
	/** The instructions for a client that gets its answer to `initialize` from the bridge. */
	instructions?: LocalInstructions | undefined;
	/** The tools for a client that goes on without any while the hub starts; undefined when it has to wait. */
	earlyTools?: ((client: string) => Promise<readonly Tool[] | undefined>) | undefined;
	/** Returns true when another hub is to be connected from now on. Without it the roots of the client are not requested. */
	onRoots?: OnRoots | undefined;
	/** Called once at the end of the client's input. */
	onInputEnd?: (() => void) | undefined;
	/** Called when the client has read nothing for `stalledMs`. */
	onStalled?: (() => void) | undefined;
}

/** Why a hub was given up for that of another project. */
export const MOVED: OrchestraError = new OrchestraError('closed', 'the client works in another project');

export class Relay implements Receiver {
	readonly #options: RelayOptions;
	readonly #log: Log;
	readonly #output: OutputQueue;
	readonly #open: OpenRequests = new OpenRequests({
		onIdle: () => this.#checkIdle(),
		onLateInitialize: () => {
			if (this.#hub === undefined || !this.#open.initialization.extend()) this.#initializeLocally();
		},
	});
	readonly #local: LocalResponses = new LocalResponses({
		isInFlight: (id) => this.#open.has(id),
		acceptsBatch: () => this.#open.initialization.acceptsBatch,
	});
	readonly #hubRequests = new HubRequests();
	readonly #queue: MessageQueue;
	#replay: SessionReplay | undefined;
	readonly #roots: ClientRoots | undefined;
	#hub: Transport | undefined;
	#isHubFull = false;
	#downReason: OrchestraError | undefined;
	#hasConnected = false;
	#isFinished = false;
	#refusal: OrchestraError | undefined;
	#drain: { timer: NodeJS.Timeout; resolve: () => void } | undefined;
	#onLost: (reason: OrchestraError) => void = () => {};

	/** The caller starts the client's transport with this relay, and closes it. */
	constructor(client: Transport, options: RelayOptions = {}) {
		this.#queue = new MessageQueue(client, ({ head }) => this.#refuse(head));
		this.#options = options;
		this.#log = options.log ?? Log.silent;
		this.#roots =
			options.onRoots &&
			new ClientRoots({
				onRoots: options.onRoots,
				toClient: (text) => this.#output.post(text),
				onSettled: () => this.#sendQueued(),
			});
		this.#output = new OutputQueue(
			client,
			{
				onDrain: () => this.#sendQueued(),
				onLimit: (isOverLimit) => this.#hub?.[isOverLimit ? 'pause' : 'resume'](),
				onStalled: () => options.onStalled?.(),
			},
			{ stalledMs: options.stalledMs, log: this.#log },
		);
	}

	/** True when no request awaits a response. */
	get isIdle(): boolean {
		return this.#open.isIdle && this.#queue.isEmpty;
	}

	/**
	 * Use this hub: replay the session, then send the queued messages. Resolves with the reason when the hub is
	 * lost. The caller closes it.
	 */
	attach(hub: Transport): Promise<OrchestraError> {
		const lost = deferred<OrchestraError>();
		this.#onLost = lost.resolve;
		this.#hub = hub;
		this.#isHubFull = false;
		this.#roots?.attached();
		this.#downReason = undefined;
		const replay = new SessionReplay(this.#open.session.replay(), {
			toClient: (text) => this.#output.post(text),
			listed: this.#open.session.listed,
			isDeclared: this.#open.initialization.isLocal,
			log: this.#log,
		});
		this.#replay = replay;
		hub.start({
			message: (text) => this.#hub === hub && this.#fromHub(text),
			oversize: () => {},
			end: (reason) => this.#hub === hub && this.detach(reason),
		});
		if (this.#output.isOverLimit) hub.pause();
		for (const { text } of replay.all) this.#toHub(text);
		this.#hasConnected = true;
		this.#queue.clearDeadlines();
		this.#sendQueued();
		return lost.promise;
	}

	/** The hub is lost: fail the requests in flight and cancel the requests of the hub. */
	detach(reason: OrchestraError): void {
		if (this.#hub === undefined) return;
		this.#hub = undefined;
		this.#isHubFull = false;
		this.#downReason = reason;
		this.#onLost(reason);
		this.#queue.limitDeadlines(this.#queueMs);
		for (const text of this.#hubRequests.cancelAll('the connection to the hub was lost'))
			this.#output.post(text);
		this.#initializeLocally();
		for (const text of this.#open.takeLost(reason, false)) this.#output.post(text);
	}

	/** No hub could be connected, for this reason. */
	unreachable(reason: OrchestraError): void {
		if (this.#hub) return;
		if (this.#downReason === undefined) this.#queue.limitDeadlines(this.#queueMs);
		this.#downReason = reason;
		this.#initializeLocally();
	}

	/** Wait until every request is answered; false when none of them was for `ms`. */
	drained(ms: number): Promise<boolean> {
		if (this.isIdle) return Promise.resolve(true);
		return new Promise((resolve) => {
			this.#drain = { timer: setTimeout(() => resolve(false), ms), resolve: () => resolve(true) };
		});
	}

	/** There will be no hub: every request is answered with the reason, `initialize` too. */
	refuse(reason: OrchestraError): void {
		this.#refusal = reason;
		this.#downReason = reason;
		this.#open.initialization.end();
		for (const { head } of this.#queue.takeAll()) this.#refuse(head);
	}

	/** Shut down: fail the queued requests and those in flight, and forward nothing more. */
	finish(reason: OrchestraError): void {
		if (this.#isFinished) return;
		this.#downReason ??= reason;
		for (const { head } of this.#queue.takeAll()) this.#refuse(head);
		this.#open.initialization.end();
		for (const text of this.#open.takeLost(reason, true)) this.#output.post(text);
		this.#isFinished = true;
		this.#roots?.end();
		this.#output.close();
	}

	message(received: string): void {
		const { text, head } = clientMessage(received);
		if (head.kind === 'blank' || this.#isFinished) return;
		this.#local.observe(head);
		if (this.#roots?.take(text, head)) return;
		if (head.kind === 'response' && this.#forwardResponse(text, head)) return;
		if (head.kind === 'notification' && head.method === 'notifications/cancelled') return this.#cancel(text);
		this.#take(text, head);
	}

	oversize(line: OversizeLine): void {
		this.#log.warn(`a message is longer than ${line.limitBytes} bytes; it was dropped`);
		const response = this.#local.toOversize(line);
		if (response !== undefined) this.#output.post(response);
	}

	end(): void {
		this.#options.onInputEnd?.();
	}

	get #queueMs(): number {
		return this.#options.queueMs ?? QUEUE_MS;
	}

	/** Forward a response to the hub, past the queue. False when it is a bare object that answers no request and must be rejected. */
	#forwardResponse(text: string, head: Head & { kind: 'response' }): boolean {
		const response = this.#hubRequests.toHub(head.id, text);
		if (response !== undefined) this.#toHub(response);
		else if (head.isBare) return false;
		else this.#log.debug(`dropped a response to ${head.id}, which the hub did not request`);
		return true;
	}

	/** Give up the hub for that of another project. Nothing is in flight, so nothing is lost. */
	#moveIfIdle(): void {
		if (!this.#roots?.isMoveDue || !this.#open.isIdle) return;
		this.#roots.moved();
		if (this.#hub === undefined) return;
		this.#hub = undefined;
		this.#hasConnected = false;
		this.#queue.limitDeadlines(Math.max(HUB_START_MS, this.#queueMs));
		for (const text of this.#hubRequests.cancelAll(MOVED.message)) this.#output.post(text);
		this.#onLost(MOVED);
	}

	#cancel(text: string): void {
		const id = canceledId(text) ?? '';
		if (this.#queue.drop(id)) return this.#checkIdle();
		// The hub does not know an id that is not in flight.
		if (this.#open.has(id)) this.#toHub(text);
		this.#open.cancel(id);
	}

	/** Answer, forward or queue a request, a notification or an invalid message. */
	#take(text: string, head: Head): void {
		if (this.#output.isFull) return this.#queue.add({ text, head }, Number.POSITIVE_INFINITY);
		const response = this.#local.to(head);
		if (response !== undefined) return this.#output.post(response);
		if (this.#refusal) return this.#refuse(head);
		if (head.kind === 'request' && isInitialize(head)) this.#open.initialization.begin(head.id, text);
		const isQueued = head.kind === 'request' && this.#roots?.holdsRequests;
		if (this.#hub && !this.#isHubFull && !isQueued && this.#queue.isEmpty) return this.#pass(text, head);
		const isStarting = !this.#hasConnected && this.#downReason === undefined;
		const queueMs = isStarting ? Math.max(HUB_START_MS, this.#queueMs) : this.#queueMs;
		this.#queue.add({ text, head }, this.#hub ? Number.POSITIVE_INFINITY : queueMs);
		if (this.#downReason) this.#initializeLocally();
		if (this.#hub === undefined && head.kind === 'request' && head.method === 'tools/list')
			void this.#listEarly(head.id);
	}

	/** Answer a queued `tools/list` of a client that cannot wait for a hub that starts. It sees the other tools by a search. */
	async #listEarly(id: string): Promise<void> {
		const { hurried } = this.#open.initialization;
		if (hurried === undefined || this.#open.session.listed.has('tools')) return;
		const tools = this.#options.earlyTools?.(hurried.name);
		await sleep(Math.max(0, hurried.toolsAt - performance.now()), undefined, { ref: false });
		const listed = await tools?.catch(() => undefined); // a configuration that the hub reports
		if (listed === undefined || this.#hub || !this.#queue.drop(id)) return;
		this.#open.session.settled('tools/list');
		this.#output.post(encodeResult(id, { tools: listed }));
		this.#checkIdle();
	}

	/** Send queued messages while both pipes have room. */
	#sendQueued(): void {
		while (this.#hub && !this.#isHubFull && !this.#roots?.holdsRequests && !this.#output.isFull) {
			const message = this.#queue.shift();
			if (message === undefined) break;
			const response = this.#local.to(message.head);
			if (response === undefined) this.#pass(message.text, message.head);
			else this.#output.post(response);
		}
		// As long as the client reads, the drain timeout starts again.
		if (!this.#queue.isEmpty) this.#drain?.timer.refresh();
		// Messages that waited for a full pipe now wait for a hub.
		if (this.#hub === undefined) this.#queue.limitDeadlines(this.#queueMs);
		this.#checkIdle();
	}

	#pass(text: string, head: Head): void {
		this.#open.add(text, head);
		this.#toHub(text);
	}

	/** Answer a pending `initialize` in place of a hub. */
	#initializeLocally(): void {
		const opened = this.#open.initializeLocally(this.#options.instructions);
		if (opened === undefined) return;
		this.#output.post(opened.response);
		if (!this.#queue.drop(opened.id)) this.#open.cancel(opened.id);
		this.#checkIdle();
	}

	/** Fail a message that was never sent. */
	#refuse(head: Head): void {
		const reason =
			this.#downReason ?? new OrchestraError('timeout', 'the connection to the hub is not established yet');
		const response = this.#local.to(head) ?? responseToUnsent(head, reason);
		if (head.kind === 'request') this.#open.session.settled(head.method);
		if (response !== undefined) this.#output.post(response);
		this.#checkIdle();
	}

	#checkIdle(): void {
		this.#moveIfIdle();
		if (!this.isIdle || this.#drain === undefined) return;
		clearTimeout(this.#drain.timer);
		this.#drain.resolve();
	}

	#fromHub(text: string): void {
		if (this.#isFinished) return;
		const head = hubHead(text);
		if (head.kind === 'response' && this.#replay?.take(head.id, text)) return;
		if (head.kind === 'blank' || (head.kind === 'invalid' && head.error.code === rpcCodes.parse))
			return this.#log.warn('the hub sent a message that is not JSON; it was dropped');
		const line = this.#received(text, head);
		if (line !== undefined) this.#output.post(line);
	}

	/** Track a message of the hub. Returns the text for the client; undefined to drop it. */
	#received(text: string, head: Head): string | undefined {
		if (head.kind === 'request') return this.#hubRequests.ask(head.id, text);
		if (head.kind === 'batch') this.#open.settledBatch(head.parts);
		else if (head.kind === 'response') {
			const { preface } = this.#options;
			const isPrefaced = preface !== undefined && head.isResult && this.#open.isIntroduction(head.id);
			if (!this.#open.settled(head)) {
				this.#log.debug(`dropped a response of the hub to ${head.id}, which is not in flight`);
				return undefined;
			}
			// As long as calls end, the drain timeout starts again; no more of them come.
			this.#drain?.timer.refresh();
			return isPrefaced ? withPreface(text, preface) : text;
		} else if (head.kind === 'notification' && head.method === 'notifications/cancelled') {
			const id = canceledId(text) ?? '';
			// Both sides number their requests from one: look for a request of the hub first, then for a subscription.
			if (this.#hubRequests.isOpen(id)) return this.#hubRequests.cancel(id, text);
			this.#open.cancel(id);
		}
		return text;
	}

	#toHub(text: string): void {
		const hub = this.#hub;
		try {
			if (hub === undefined || hub.post(text) || this.#isHubFull) return;
			this.#isHubFull = true;
			const release = (): void => {
				if (this.#hub !== hub) return;
				this.#isHubFull = false;
				this.#sendQueued();
			};
			// A broken pipe is reported by its end.
			hub.flushed().then(release, release);
		} catch (thrown) {
			this.detach(OrchestraError.from(thrown, 'closed'));
		}
	}
}
