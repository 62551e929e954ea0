/*
 * The connection of one process to the NATS servers.
 *
 * The client library reconnects by itself; this adds what the fabric needs: an up and
 * a down event, publishing that fails at once while the link is down (the library would
 * drop the message silently), refused publishes as events, and a new connection with the
 * same subscriptions when the library gives up.
 *
 * The messages of one iteration of the event loop are written together: with many calls
 * in flight, writes are a third of the CPU time.
 */
import type { Msg, MsgHdrs, NatsConnection, Status } from '@nats-io/transport-node';
import { messageOf, OrchestraError } from '../errors.ts';
import type { Log } from '../log.ts';
import { Backoff } from '../rpc/backoff.ts';
import { pause, within } from '../rpc/clock.ts';
import { connectNats, type NatsAccess, type NatsModule } from './connect-nats.ts';
import { type Envelope, writeEnvelope } from './fabric-message.ts';
import { RECONNECT_MS, SERVER_REQUEST_MS } from './fabric-timers.ts';
import { inboxPrefix, randomId } from './inbox-prefix.ts';
import { type LinkSubscription, LinkSubscriptions } from './link-subscriptions.ts';
import { assertCapable } from './server-check.ts';

export interface FabricListener {
	/** Connected, at first or again. */
	up?(): void;
	down?(): void;
	/** The servers or the settings cannot be used; it tries again all the same. */
	unusable?(error: OrchestraError): void;
	/** The server refused a publish or a subscription. */
	denied?(operation: string, subject: string): void;
}

/** How long `close` waits for the server to take what was sent. */
const FLUSH_MS = 2000;
/** How long `close` waits for an attempt to connect. */
const CLOSE_MS = 200;
/** The longest pause between two attempts to connect. */
const RETRY_MAX_MS = 5000;

/** Room for the headers of a message. */
const HEADER_BYTES = 1024;
/** Different refusals that are logged on one connection. */
const REFUSALS_LOGGED = 20;

interface QueuedMessage {
	readonly subject: string;
	readonly body: string | Uint8Array;
	readonly options: { headers: MsgHdrs; reply?: string };
}

export class FabricLink {
	readonly #access: NatsAccess;
	readonly #log: Log;
	readonly #listeners = new Set<FabricListener>();
	readonly #subscriptions: LinkSubscriptions;
	/** Refusals that were logged on this connection. */
	readonly #refusals = new Set<string>();
	readonly #closing = new AbortController();
	#nats: NatsModule | undefined;
	#connection: NatsConnection | undefined;
	#isUp = false;
	#reason = 'it is connecting';
	#running: Promise<void> | undefined;
	/** Messages of this iteration of the event loop. */
	#queued: QueuedMessage[] = [];

	constructor(access: NatsAccess, log: Log) {
		this.#access = access;
		this.#log = log;
		this.#subscriptions = new LinkSubscriptions(log);
	}

	get isUp(): boolean {
		return this.#isUp;
	}

	/** Why the link is down. */
	get downReason(): string {
		return this.#reason;
	}

	/** The server that it is connected to; undefined while it is down. */
	get server(): string | undefined {
		return this.#isUp ? this.#connection?.getServer() : undefined;
	}

	get info(): NatsConnection['info'] {
		return this.#connection?.info;
	}

	/** Bytes that were received on this connection. */
	get receivedBytes(): number {
		return this.#connection?.stats().inBytes ?? 0;
	}

	/** Largest message that the server takes. */
	get payloadLimit(): number {
		return this.#connection?.info?.max_payload ?? 0;
	}

	/** Whether the server takes a message with this body; one that is larger would be lost. */
	fits(body: string): boolean {
		return Buffer.byteLength(body) + HEADER_BYTES <= this.payloadLimit;
	}

	listen(listener: FabricListener): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Connect, and stay connected until `close`. Returns at once. */
	open(): void {
		this.#running ??= this.#run();
	}

	/** Send a message. False when the link is down: nothing was sent. */
	publish(subject: string, envelope: Envelope, body: string | Uint8Array = '', reply?: string): boolean {
		if (!this.#isUp || this.#connection === undefined) return false;
		const headers = this.headers(envelope);
		if (this.#queued.length === 0) setImmediate(() => this.#sendQueued());
		this.#queued.push({ subject, body, options: reply === undefined ? { headers } : { headers, reply } });
		return true;
	}

	/** Ask the server. Rejects when the link is down or nothing answers in time. */
	async request(subject: string, body: string, headers?: MsgHdrs): Promise<Msg> {
		const connection = this.#connected();
		let stopListening = (): void => {};
		const isDown = new Promise<never>((_resolve, reject) => {
			stopListening = this.listen({ down: () => reject(this.#downError()) });
		});
		const options = { timeout: SERVER_REQUEST_MS, ...(headers && { headers }) };
		const answer = connection.request(subject, body, options);
		return Promise.race([answer, isDown]).finally(stopListening);
	}

	headers(envelope: Envelope = {}): MsgHdrs {
		if (this.#nats === undefined) throw this.#downError();
		return writeEnvelope(this.#nats.headers(), envelope);
	}

	/** A subject for answers that no other user may read. */
	inbox(): string {
		return `${inboxPrefix(this.#access.name)}.${randomId()}`;
	}

	subscribe(subject: string, onMessage: (message: Msg) => void, queue?: string): LinkSubscription {
		return this.#subscriptions.add(subject, onMessage, queue);
	}

	/** Resolves when the server has seen everything that was sent. */
	async flush(): Promise<void> {
		this.#sendQueued();
		await this.#connection?.flush();
	}

	/** Send what is queued and disconnect. Idempotent. */
	async close(): Promise<void> {
		this.#closing.abort(new OrchestraError('closed', 'the fabric is closed'));
		this.#subscriptions.close();
		// A lost link has nothing to flush, and a server that hangs is not waited for.
		if (this.#isUp) await within(this.flush(), FLUSH_MS).catch(() => {});
		this.#isUp = false;
		await within(this.#connection?.close() ?? Promise.resolve(), FLUSH_MS);
		// An attempt to connect ends by itself; nobody needs to wait for it.
		if (this.#running) await within(this.#running, CLOSE_MS);
	}

	/** While the link is down they are dropped, as the library does: a hub queries the calls that have no answer. */
	#sendQueued(): void {
		const queued = this.#queued;
		this.#queued = [];
		if (this.#isUp) for (const message of queued) this.#send(message);
	}

	#send({ subject, body, options }: QueuedMessage): void {
		try {
			this.#connection?.publish(subject, body, options);
		} catch (error) {
			this.#log.warn(`a message to ${subject} could not be sent: ${messageOf(error)}`);
		}
	}

	#connected(): NatsConnection {
		if (this.#isUp && this.#connection) return this.#connection;
		throw this.#downError();
	}

	#downError(): OrchestraError {
		return new OrchestraError('closed', `the link to the fabric is down: ${this.#reason}`, {
			hint: 'mctl fabric status shows the servers.',
		});
	}

	async #run(): Promise<void> {
		const backoff = new Backoff(RECONNECT_MS, RETRY_MAX_MS);
		const { signal } = this.#closing;
		while (!signal.aborted) {
			try {
				await this.#connectOnce(() => backoff.reset());
			} catch (error) {
				this.#failed(error);
			}
			// Rejects when the link is closed, which ends the loop.
			if (!signal.aborted) await pause(backoff.nextMs(), signal).catch(() => {});
		}
	}

	/** Resolves when the connection has closed. */
	async #connectOnce(onUp: () => void): Promise<void> {
		const { nats, connection } = await connectNats(this.#access);
		if (this.#closing.signal.aborted) return connection.close();
		this.#nats = nats;
		this.#connection = connection;
		this.#subscriptions.moveTo(connection);
		onUp();
		this.#setUp();
		void this.#follow(connection);
		const closed = await connection.closed();
		this.#setDown(closed instanceof Error ? closed.message : 'the connection closed');
	}

	async #follow(connection: NatsConnection): Promise<void> {
		for await (const status of connection.status()) {
			if (connection === this.#connection) this.#onStatus(status);
		}
	}

	#onStatus(status: Status): void {
		if (status.type === 'disconnect') this.#setDown('the connection to the server was lost');
		else if (status.type === 'reconnect') this.#onReconnect();
		else if (status.type === 'error' && 'operation' in status.error && 'subject' in status.error)
			this.#onRefused(String(status.error.operation), String(status.error.subject));
	}

	/** It may be another server, or one with other settings. */
	#onReconnect(): void {
		try {
			if (this.info) assertCapable(this.info);
		} catch (error) {
			this.#failed(error);
			// The next attempt to connect fails for the same reason, until the server is another one.
			void this.#connection?.close();
			return;
		}
		this.#subscriptions.reconnected();
		this.#setUp();
	}

	#onRefused(operation: string, subject: string): void {
		if (operation === 'subscription') this.#subscriptions.refused();
		for (const listener of this.#listeners) listener.denied?.(operation, subject);
		// Without the id of a call; what is tried again and again is logged once.
		const refusal = `${operation} to ${subject.split('.').slice(0, 4).join('.')}`;
		if (this.#refusals.has(refusal) || this.#refusals.size >= REFUSALS_LOGGED) return;
		this.#refusals.add(refusal);
		this.#log.warn(`the NATS server does not permit ${operation} to ${subject}`);
	}

	#setUp(): void {
		if (this.#isUp) return;
		this.#isUp = true;
		this.#refusals.clear();
		this.#log.info(`connected to the fabric at ${this.#connection?.getServer() ?? 'an unknown server'}`);
		for (const listener of this.#listeners) listener.up?.();
	}

	#setDown(reason: string): void {
		this.#reason = reason;
		if (!this.#isUp) return;
		this.#isUp = false;
		if (!this.#closing.signal.aborted) this.#log.warn(`the link to the fabric is down: ${reason}`);
		for (const listener of this.#listeners) listener.down?.();
	}

	#failed(error: unknown): void {
		const reason = messageOf(error);
		if (OrchestraError.is(error, 'bad_input'))
			for (const listener of this.#listeners) listener.unusable?.(error);
		if (reason !== this.#reason) this.#log.warn(`the fabric cannot be reached: ${reason}`);
		this.#reason = reason;
	}
}
