/*
 * Between one client and whatever hub is there at the moment.
 *
 * Text passes as it came, both ways. The relay only keeps the books that make a
 * hub replaceable: which requests await an answer, what the hub asked, and what
 * a new hub must be told. When a hub goes, everything in flight is answered at
 * once and nothing is sent twice; new messages wait a moment for the next hub.
 */
import { OrchestraError } from '../errors.ts';
import { Log } from '../log.ts';
import type { Receiver } from '../rpc/channel.ts';
import type { Transport } from '../transport/transport.ts';
import type { OversizeLine } from '../wire/lines.ts';
import { Brake } from './brake.ts';
import { canceledId, type Head, readHead } from './head.ts';
import { type HeldMessage, HeldMessages } from './held-messages.ts';
import { InFlight } from './in-flight.ts';
import { HOLD_MS, START_MS } from './limits.ts';
import { Questions } from './questions.ts';
import { answersToLost, answerToOversize, answerToUnsent } from './refusals.ts';
import { Replays } from './replays.ts';
import { SessionMemory } from './session-memory.ts';

const MODERN_KEY = 'io.modelcontextprotocol/protocolVersion';

export interface RelayOptions {
	log?: Log | undefined;
	/** How long a message waits for a hub. Default 5 s. */
	holdMs?: number | undefined;
	/** Told once that the client will say no more. */
	onInputEnd?: (() => void) | undefined;
}

export class Relay implements Receiver {
	readonly #client: Transport;
	readonly #options: RelayOptions;
	readonly #log: Log;
	readonly #clientBrake: Brake;
	readonly #inFlight: InFlight = new InFlight(() => this.#checkIdle());
	readonly #questions = new Questions();
	readonly #memory = new SessionMemory();
	readonly #held: HeldMessages = new HeldMessages((message) => this.#refuse(message));
	#replays: Replays | undefined;
	#hub: Transport | undefined;
	#whyNoHub: OrchestraError | undefined;
	#hasHadHub = false;
	#isModern: boolean | undefined;
	#onIdle: (() => void) | undefined;
	#onLost: (reason: OrchestraError) => void = () => {};

	/** The caller starts the client's transport with this relay, and closes it. */
	constructor(client: Transport, options: RelayOptions = {}) {
		this.#client = client;
		this.#options = options;
		this.#log = options.log ?? Log.silent;
		this.#clientBrake = new Brake(client);
	}

	/** True when no request awaits an answer. */
	get isIdle(): boolean {
		return this.#inFlight.isIdle && this.#held.isEmpty;
	}

	/**
	 * A hub is there: tell it what it must know, then what has waited. Resolves when it is lost, with the
	 * reason. The caller closes it.
	 */
	attach(hub: Transport): Promise<OrchestraError> {
		const brake = new Brake(hub);
		const lost = new Promise<OrchestraError>((resolve) => {
			this.#onLost = resolve;
		});
		this.#hub = hub;
		this.#whyNoHub = undefined;
		const replays = new Replays(this.#memory.replay(), (text) => this.#toClient(text, brake), this.#log);
		this.#replays = replays;
		hub.start({
			message: (text) => this.#hub === hub && this.#fromHub(text, brake),
			oversize: () => {},
			end: (reason) => this.#hub === hub && this.detach(reason),
		});
		for (const { text } of replays.all) this.#toHub(text);
		this.#hasHadHub = true;
		this.#clientBrake.set(this.#held, false);
		// It may be gone again before the last of them.
		for (const { text, head } of this.#held.takeAll()) this.#take(text, head);
		return lost;
	}

	/** The hub is gone: answer what was in flight, and take back what it asked. */
	detach(reason: OrchestraError): void {
		if (this.#hub === undefined) return;
		this.#clientBrake.set(this.#hub, false);
		this.#hub = undefined;
		this.#whyNoHub = reason;
		this.#onLost(reason);
		for (const text of this.#questions.abandon('the hub that asked is gone')) this.#toClient(text);
		for (const text of answersToLost(this.#inFlight.takeAll(), reason)) this.#toClient(text);
	}

	/** There is no hub, and this is why. */
	unreachable(reason: OrchestraError): void {
		if (this.#hub) return;
		if (this.#whyNoHub === undefined) this.#held.shorten(this.#holdMs);
		this.#whyNoHub = reason;
	}

	/** Wait until every request is answered; false when `ms` passed first. */
	drained(ms: number): Promise<boolean> {
		if (this.isIdle) return Promise.resolve(true);
		return new Promise((resolve) => {
			const timer = setTimeout(() => resolve(false), ms);
			this.#onIdle = () => {
				clearTimeout(timer);
				resolve(true);
			};
		});
	}

	/** No more comes: what waits is refused, and subscriptions are told their end. */
	finish(reason: OrchestraError): void {
		this.#whyNoHub ??= reason;
		for (const message of this.#held.takeAll()) this.#refuse(message);
		for (const id of this.#inFlight.listening()) {
			const _meta = `{"io.modelcontextprotocol/subscriptionId":${id}}`;
			this.#toClient(`{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","_meta":${_meta}}}`);
		}
	}

	message(text: string): void {
		const head = readHead(text);
		this.#isModern ??= text.includes(MODERN_KEY);
		this.#take(text, head);
	}

	oversize(line: OversizeLine): void {
		this.#log.warn(`a message is longer than ${line.limitBytes} bytes; it was dropped`);
		const answer = answerToOversize(line, this.#isModern ? '' : 'null');
		if (answer !== undefined) this.#toClient(answer);
	}

	end(): void {
		this.#options.onInputEnd?.();
	}

	get #holdMs(): number {
		return this.#options.holdMs ?? HOLD_MS;
	}

	#take(text: string, head: Head): void {
		if (this.#hub) this.#pass(text, head);
		else this.#hold(text, head);
	}

	#pass(text: string, head: Head): void {
		if (head.kind !== 'answer') {
			this.#note(text, head, undefined);
			return this.#toHub(text);
		}
		const answer = this.#questions.answer(head.id, text);
		if (answer === undefined) this.#log.debug(`an answer to ${head.id} came, which no hub waits for`);
		else this.#toHub(answer);
	}

	#note(text: string, head: Head, batch: object | undefined): void {
		if (head.kind === 'request') {
			if (head.method === 'initialize') this.#isModern = false;
			const kept = this.#memory.isOfInterest(head.method) ? text : undefined;
			this.#inFlight.add(head.id, { method: head.method, text: kept, batch });
		} else if (head.kind === 'notice') {
			if (head.method === 'notifications/initialized') this.#memory.initialized(text);
			if (head.method === 'notifications/cancelled') this.#inFlight.take(canceledId(text) ?? '');
		} else if (head.kind === 'batch') {
			for (const part of head.parts) this.#noteOfBatch(part, head);
		}
	}

	/** A batch holds no message that a new hub must hear, and its parts have no text of their own. */
	#noteOfBatch(part: Head, batch: object): void {
		if (part.kind === 'request') this.#inFlight.add(part.id, { method: part.method, text: undefined, batch });
	}

	#hold(text: string, head: Head): void {
		if (head.kind === 'request' && head.method === 'ping') {
			return this.#toClient(`{"jsonrpc":"2.0","id":${head.id},"result":{}}`);
		}
		if (head.kind === 'notice' && head.method === 'notifications/cancelled') {
			if (this.#held.drop(canceledId(text) ?? '')) return;
		}
		// The hub that asked is gone.
		if (head.kind === 'answer') return;
		if (head.kind === 'unknown') return this.#refuse({ text, head });
		const isStarting = !this.#hasHadHub && this.#whyNoHub === undefined;
		this.#held.add({ text, head }, isStarting ? Math.max(START_MS, this.#holdMs) : this.#holdMs);
		if (this.#held.isFull) this.#clientBrake.set(this.#held, true);
	}

	#refuse(message: HeldMessage): void {
		const reason = this.#whyNoHub ?? new OrchestraError('timeout', 'it is still being connected to');
		const answer = answerToUnsent(message, reason);
		if (answer !== undefined) this.#toClient(answer);
		if (!this.#held.isFull) this.#clientBrake.set(this.#held, false);
		this.#checkIdle();
	}

	#checkIdle(): void {
		if (this.isIdle) this.#onIdle?.();
	}

	#fromHub(text: string, brake: Brake): void {
		const head = readHead(text);
		if (head.kind === 'answer' && this.#replays?.take(head.id, text)) return;
		this.#toClient(this.#received(text, head), brake);
	}

	/** Keep the books for a message of the hub; gives it back as the client gets it. */
	#received(text: string, head: Head): string {
		if (head.kind === 'answer') {
			const flight = this.#inFlight.take(head.id);
			if (flight?.text !== undefined && head.isResult) this.#memory.granted(flight);
		} else if (head.kind === 'request') return this.#questions.ask(head.id, text);
		else if (head.kind === 'batch') for (const part of head.parts) this.#received('', part);
		else if (head.kind === 'notice' && head.method === 'notifications/cancelled') {
			const id = canceledId(text) ?? '';
			this.#inFlight.take(id);
			return this.#questions.withdraw(id, text);
		}
		return text;
	}

	#toHub(text: string): void {
		const hub = this.#hub;
		try {
			if (hub && !hub.post(text)) this.#clientBrake.waitFor(hub);
		} catch (thrown) {
			this.detach(OrchestraError.from(thrown, 'closed'));
		}
	}

	#toClient(text: string, brake?: Brake): void {
		try {
			// A line is a message; JSON needs no line breaks, and a hub that writes some means nothing by it.
			const line = text.includes('\n') ? text.replaceAll(/[\r\n]+/g, ' ') : text;
			if (!this.#client.post(line)) brake?.waitFor(this.#client);
		} catch (thrown) {
			// The client is gone; the end of its input says so as well.
			this.#log.debug(`a message could not be delivered: ${OrchestraError.from(thrown).message}`);
		}
	}
}
