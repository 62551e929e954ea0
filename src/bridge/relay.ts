/*
 * Between one client and whatever hub is there at the moment.
 *
 * Text passes as it came, both ways. The relay only tracks what makes a hub
 * replaceable: which requests await an answer, what the hub asked, and what a new
 * hub must know. When a hub goes, everything in flight is answered at once and
 * nothing is sent twice; new messages wait a moment for the next hub.
 *
 * Reading never waits for writing: answers pass at all times, and only new requests
 * are held back, in order and bounded, while a pipe is full.
 */
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import type { Receiver } from '../rpc/channel.ts';
import type { Transport } from '../transport/transport.ts';
import { rpcCodes } from '../wire/json-rpc.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { HOLD_MS, HUB_START_MS } from './bridge-limits.ts';
import { RelayedQuestions } from './bridge-questions.ts';
import { ClientOutput } from './client-output.ts';
import { HeldMessages } from './held-messages.ts';
import { LocalAnswers } from './local-answers.ts';
import { canceledId, type Head, isInitialize, readHead, readWhole } from './message-head.ts';
import { OpenRequests } from './open-requests.ts';
import { answerToUnsent } from './refusals.ts';
import { Replays } from './replays.ts';

export interface RelayOptions {
	log?: Log | undefined;
	/** How long a message waits for a hub. Default 5 s. */
	holdMs?: number | undefined;
	/** How long the client may read nothing while much waits for it. Default 60 s. */
	unreadMs?: number | undefined;
	/** Called once when the client will say no more. */
	onInputEnd?: (() => void) | undefined;
	/** Called when the client has read nothing for `unreadMs`: it is given up. */
	onUnread?: (() => void) | undefined;
}

export class Relay implements Receiver {
	readonly #options: RelayOptions;
	readonly #log: Log;
	readonly #output: ClientOutput;
	readonly #open: OpenRequests = new OpenRequests({
		onIdle: () => this.#checkIdle(),
		onLateInitialize: () => this.#initializeHere(),
	});
	readonly #local: LocalAnswers = new LocalAnswers({
		isInFlight: (id) => this.#open.has(id),
		acceptsBatch: () => this.#open.initialization.acceptsBatch,
	});
	readonly #questions = new RelayedQuestions();
	readonly #held: HeldMessages;
	#replays: Replays | undefined;
	#hub: Transport | undefined;
	#isHubFull = false;
	#whyNoHub: OrchestraError | undefined;
	#hasHadHub = false;
	#isFinished = false;
	#drain: { timer: NodeJS.Timeout; resolve: () => void } | undefined;
	#onLost: (reason: OrchestraError) => void = () => {};

	/** The caller starts the client's transport with this relay, and closes it. */
	constructor(client: Transport, options: RelayOptions = {}) {
		this.#held = new HeldMessages(client, ({ head }) => this.#refuse(head));
		this.#options = options;
		this.#log = options.log ?? Log.silent;
		this.#output = new ClientOutput(
			client,
			{
				onRoom: () => this.#takeHeld(),
				onFlood: (isFlooded) => this.#hub?.[isFlooded ? 'pause' : 'resume'](),
				onUnread: () => options.onUnread?.(),
			},
			{ unreadMs: options.unreadMs, log: this.#log },
		);
	}

	/** True when no request awaits an answer. */
	get isIdle(): boolean {
		return this.#open.isIdle && this.#held.isEmpty;
	}

	/**
	 * A hub is there: it gets what it must know, then what has waited. Resolves when it is lost, with the
	 * reason. The caller closes it.
	 */
	attach(hub: Transport): Promise<OrchestraError> {
		const lost = new Promise<OrchestraError>((resolve) => {
			this.#onLost = resolve;
		});
		this.#hub = hub;
		this.#isHubFull = false;
		this.#whyNoHub = undefined;
		const replays = new Replays(this.#open.memory.replay(), {
			toClient: (text) => this.#output.post(text),
			listed: this.#open.memory.listed,
			isPromised: this.#open.initialization.isLocal,
			log: this.#log,
		});
		this.#replays = replays;
		hub.start({
			message: (text) => this.#hub === hub && this.#fromHub(text),
			oversize: () => {},
			end: (reason) => this.#hub === hub && this.detach(reason),
		});
		if (this.#output.isFlooded) hub.pause();
		for (const { text } of replays.all) this.#toHub(text);
		this.#hasHadHub = true;
		this.#held.lengthen();
		this.#takeHeld();
		return lost;
	}

	/** The hub is gone: answer what was in flight, and take back what it asked. */
	detach(reason: OrchestraError): void {
		if (this.#hub === undefined) return;
		this.#hub = undefined;
		this.#isHubFull = false;
		this.#whyNoHub = reason;
		this.#onLost(reason);
		this.#held.shorten(this.#holdMs);
		for (const text of this.#questions.abandon('the hub that asked is gone')) this.#output.post(text);
		this.#initializeHere();
		for (const text of this.#open.takeLost(reason, false)) this.#output.post(text);
	}

	/** There is no hub, and this is why. */
	unreachable(reason: OrchestraError): void {
		if (this.#hub) return;
		if (this.#whyNoHub === undefined) this.#held.shorten(this.#holdMs);
		this.#whyNoHub = reason;
		this.#initializeHere();
	}

	/** Wait until every request is answered; false when `ms` passed first. */
	drained(ms: number): Promise<boolean> {
		if (this.isIdle) return Promise.resolve(true);
		return new Promise((resolve) => {
			this.#drain = { timer: setTimeout(() => resolve(false), ms), resolve: () => resolve(true) };
		});
	}

	/** No more comes: what waits is refused, what is in flight is answered, and nothing else passes. */
	finish(reason: OrchestraError): void {
		if (this.#isFinished) return;
		this.#whyNoHub ??= reason;
		for (const { head } of this.#held.takeAll()) this.#refuse(head);
		this.#open.initialization.end();
		for (const text of this.#open.takeLost(reason, true)) this.#output.post(text);
		this.#isFinished = true;
		this.#output.close();
	}

	message(text: string): void {
		const head = readWhole(text);
		if (head.kind === 'blank' || this.#isFinished) return;
		this.#local.note(head);
		if (head.kind === 'answer' && this.#answerOfClient(text, head)) return;
		if (head.kind === 'notice' && head.method === 'notifications/cancelled') return this.#cancel(text);
		this.#take(text, head);
	}

	oversize(line: OversizeLine): void {
		this.#log.warn(`a message is longer than ${line.limitBytes} bytes; it was dropped`);
		const answer = this.#local.toOversize(line);
		if (answer !== undefined) this.#output.post(answer);
	}

	end(): void {
		this.#options.onInputEnd?.();
	}

	get #holdMs(): number {
		return this.#options.holdMs ?? HOLD_MS;
	}

	/** An answer goes to the hub at once, whatever else waits. False when it is one to nothing and must be refused. */
	#answerOfClient(text: string, head: Head & { kind: 'answer' }): boolean {
		const answer = this.#questions.answer(head.id, text);
		if (answer !== undefined) this.#toHub(answer);
		else if (head.isBare) return false;
		else this.#log.debug(`an answer to ${head.id} came, which no hub waits for`);
		return true;
	}

	#cancel(text: string): void {
		const id = canceledId(text) ?? '';
		if (this.#held.drop(id)) return this.#checkIdle();
		// An id that is not in flight means nothing to the hub either.
		if (this.#open.has(id)) this.#toHub(text);
		this.#open.cancel(id);
	}

	/** A request, a notification or what is no message: answer, pass or hold it. */
	#take(text: string, head: Head): void {
		if (this.#output.isFull) return this.#held.add({ text, head }, Number.POSITIVE_INFINITY);
		const answer = this.#local.to(head);
		if (answer !== undefined) return this.#output.post(answer);
		if (head.kind === 'request' && isInitialize(head)) this.#open.initialization.begin(head.id, text);
		if (this.#hub && !this.#isHubFull && this.#held.isEmpty) return this.#pass(text, head);
		const isStarting = !this.#hasHadHub && this.#whyNoHub === undefined;
		const holdMs = isStarting ? Math.max(HUB_START_MS, this.#holdMs) : this.#holdMs;
		this.#held.add({ text, head }, this.#hub ? Number.POSITIVE_INFINITY : holdMs);
		if (this.#whyNoHub) this.#initializeHere();
	}

	/** There may be room again. */
	#takeHeld(): void {
		while (this.#hub && !this.#isHubFull && !this.#output.isFull) {
			const message = this.#held.shift();
			if (message === undefined) break;
			const answer = this.#local.to(message.head);
			if (answer === undefined) this.#pass(message.text, message.head);
			else this.#output.post(answer);
		}
		// A client that reads on is worth waiting for, even after the end of its input.
		if (!this.#held.isEmpty) this.#drain?.timer.refresh();
		// What waited for room now waits for a hub.
		if (this.#hub === undefined) this.#held.shorten(this.#holdMs);
		this.#checkIdle();
	}

	#pass(text: string, head: Head): void {
		this.#open.add(text, head);
		this.#toHub(text);
	}

	/** Open the session in place of a hub, if one is being opened. */
	#initializeHere(): void {
		const opened = this.#open.initializeHere();
		if (opened === undefined) return;
		this.#output.post(opened.answer);
		if (!this.#held.drop(opened.id)) this.#open.cancel(opened.id);
		this.#checkIdle();
	}

	/** It was never sent. */
	#refuse(head: Head): void {
		const reason = this.#whyNoHub ?? new OrchestraError('timeout', 'it is still being connected to');
		const answer = this.#local.to(head) ?? answerToUnsent(head, reason);
		if (head.kind === 'request') this.#open.memory.answered(head.method);
		if (answer !== undefined) this.#output.post(answer);
		this.#checkIdle();
	}

	#checkIdle(): void {
		if (!this.isIdle || this.#drain === undefined) return;
		clearTimeout(this.#drain.timer);
		this.#drain.resolve();
	}

	#fromHub(text: string): void {
		if (this.#isFinished) return;
		const head = readHead(text);
		if (head.kind === 'answer' && this.#replays?.take(head.id, text)) return;
		if (head.kind === 'blank' || (head.kind === 'invalid' && head.error.code === rpcCodes.parse))
			return this.#log.warn('the hub sent a message that is not JSON; it was dropped');
		const line = this.#received(text, head);
		if (line !== undefined) this.#output.post(line);
	}

	/** Note a message of the hub; gives it back as the client gets it, undefined when it gets nothing. */
	#received(text: string, head: Head): string | undefined {
		if (head.kind === 'request') return this.#questions.ask(head.id, text);
		if (head.kind === 'batch') this.#open.answeredBatch(head.parts);
		else if (head.kind === 'answer') {
			if (this.#open.answered(head)) return text;
			this.#log.debug(`the hub answered ${head.id}, which is not in flight`);
			return undefined;
		} else if (head.kind === 'notice' && head.method === 'notifications/cancelled') {
			const id = canceledId(text) ?? '';
			// Both sides number their requests from one: the hub means its own question first, then a subscription.
			if (this.#questions.isOpen(id)) return this.#questions.withdraw(id, text);
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
				this.#takeHeld();
			};
			// A pipe that broke meanwhile says so by its end; here it only lets go.
			hub.flushed().then(release, release);
		} catch (thrown) {
			this.detach(OrchestraError.from(thrown, 'closed'));
		}
	}
}
