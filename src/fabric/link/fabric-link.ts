/*
 * The connection of one process to the NATS servers.
 *
 * The client library makes one connection to one server; this adds what the fabric
 * needs: a new connection to any of the servers when it is lost, with the same
 * subscriptions, an up and a down event, publishing that fails at once while the link is
 * down (the library would drop the message silently), refused publishes as events, and
 * a server that hangs noticed within seconds.
 *
 * The messages of one iteration of the event loop are written together: with many calls
 * in flight, writes are a third of the CPU time.
 */
import type { Msg, MsgHdrs, NatsConnection, Status } from '@nats-io/transport-node';
import { messageOf, OrchestraError } from '../../errors.ts';
import type { FabricLinkFacts } from '../../hub/fabric-overview.ts';
import type { Log } from '../../log.ts';
import { Backoff } from '../../rpc/backoff.ts';
import { pause, within } from '../../rpc/clock.ts';
import { deferred } from '../../rpc/deferred.ts';
import {
	ATTEMPT_LONGEST_MS,
	ATTEMPT_MS,
	LINK_CLOSE_MS,
	LINK_FLUSH_MS,
	RECONNECT_LONGEST_MS,
	RECONNECT_MS,
	SERVER_REQUEST_MS,
} from '../fabric-limits.ts';
import { type Envelope, writeEnvelope } from '../fabric-message.ts';
import { connectNats, type NatsAccess, type NatsModule } from './connect-nats.ts';
import { inboxPrefix, randomId } from './inbox-prefix.ts';
import { LinkProbe } from './link-probe.ts';
import { type LinkSubscription, LinkSubscriptions } from './link-subscriptions.ts';
import { NatsServers, type ServerAddress } from './nats-servers.ts';
import { usesTls } from './server-check.ts';

export interface FabricListener {
	/** Connected, at first or again. */
	up?(): void;
	down?(): void;
	/** The servers or the settings cannot be used; it tries again all the same. */
	unusable?(error: OrchestraError): void;
	/** The server refused a publish or a subscription. */
	denied?(operation: string, subject: string): void;
}

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
	readonly #servers: NatsServers;
	readonly #attemptMs = new Backoff(ATTEMPT_MS, ATTEMPT_LONGEST_MS);
	/** Refusals that were logged on this connection. */
	readonly #refusals = new Set<string>();
	readonly #closing = new AbortController();
	#nats: NatsModule | undefined;
	#connection: NatsConnection | undefined;
	#isUp = false;
	#reason = 'it is connecting';
	#suspicion: string | undefined;
	#connects = 0;
	#losses = 0;
	#error: OrchestraError | undefined;
	#running: Promise<void> | undefined;
	/** Messages of this iteration of the event loop. */
	#queued: QueuedMessage[] = [];

	constructor(access: NatsAccess, log: Log) {
		this.#access = access;
		this.#log = log;
		this.#subscriptions = new LinkSubscriptions(log);
		this.#servers = new NatsServers(access.servers);
	}

	get isUp(): boolean {
		return this.#isUp;
	}

	/** Why the link is down. */
	get downReason(): string {
		return this.#reason;
	}

	/** Why the link went down or cannot be opened; undefined before the first attempt has ended. */
	get error(): OrchestraError | undefined {
		return this.#error;
	}

	/** Why what is sent now may not arrive although the link is up; undefined when nothing speaks for it. */
	get suspicion(): string | undefined {
		return this.#suspicion;
	}

	/** The server that it is connected to; undefined while it is down. */
	get server(): string | undefined {
		return this.#isUp ? this.#connection?.getServer() : undefined;
	}

	/** The state of the connection for commands, the dashboard and metrics. */
	get facts(): FabricLinkFacts {
		const { cluster = null, version = null } = (this.#isUp ? this.info : undefined) ?? {};
		return {
			state: this.#isUp ? (this.#suspicion === undefined ? 'up' : 'suspect') : 'down',
			reason: this.#isUp ? (this.#suspicion ?? null) : this.#reason,
			server: this.server ?? null,
			cluster,
			version,
			connects: this.#connects,
			losses: this.#losses,
		};
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
		const isDown = deferred<never>();
		const stopListening = this.listen({ down: () => isDown.reject(this.#downError()) });
		const options = { timeout: SERVER_REQUEST_MS, ...(headers && { headers }) };
		const answer = connection.request(subject, body, options);
		return Promise.race([answer, isDown.promise]).finally(stopListening);
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
		if (this.#isUp) await within(this.flush(), LINK_FLUSH_MS).catch(() => {});
		this.#isUp = false;
		await within(this.#connection?.close() ?? Promise.resolve(), LINK_FLUSH_MS);
		// An attempt to connect ends by itself; no caller needs to wait for it.
		if (this.#running) await within(this.#running, LINK_CLOSE_MS);
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
		const backoff = new Backoff(RECONNECT_MS, RECONNECT_LONGEST_MS);
		const { signal } = this.#closing;
		while (!signal.aborted) {
			let connection = await this.#connect();
			if (connection) backoff.reset();
			while (connection) connection = await this.#use(connection);
			await this.#pause(backoff.nextMs());
		}
	}

	/** Wait with jitter: all members of a server lose it at once. Ends early when the link is closed. */
	async #pause(ms: number): Promise<void> {
		await pause(ms * (0.5 + Math.random()), this.#closing.signal).catch(() => {});
	}

	/** Try each server once; undefined when none can be used. */
	async #connect(): Promise<NatsConnection | undefined> {
		const errors: unknown[] = [];
		const timeoutMs = this.#attemptMs.nextMs();
		for (const server of this.#servers.order()) {
			try {
				return await this.#connectTo(server, timeoutMs);
			} catch (error) {
				errors.push(error);
			}
			if (this.#closing.signal.aborted) return undefined;
		}
		this.#failed(errors);
		return undefined;
	}

	async #connectTo(server: ServerAddress, timeoutMs: number): Promise<NatsConnection> {
		const { nats, connection } = await connectNats(this.#access, server, timeoutMs);
		this.#nats = nats;
		this.#servers.used(server);
		this.#attemptMs.reset();
		return connection;
	}

	/** Resolves when the connection is used no more: with the one that replaces it, when its server announced its end. */
	async #use(connection: NatsConnection): Promise<NatsConnection | undefined> {
		if (this.#closing.signal.aborted) {
			await connection.close();
			return undefined;
		}
		const previous = this.#connection;
		this.#connection = connection;
		this.#subscriptions.moveTo(connection);
		this.#setUp();
		// What arrives there until then is handled. Nothing more is sent on it.
		if (previous?.isClosed() === false) void leave(previous);
		let next: Promise<NatsConnection | undefined> = Promise.resolve(undefined);
		const replaced = deferred();
		void this.#follow(connection, () => {
			next = this.#connectElsewhere(connection);
			void next.then((other) => other && replaced.resolve());
		});
		const lost = await Promise.race([this.#closed(connection, replaced.promise), replaced.promise]);
		if (lost !== undefined) {
			this.#learnServers(connection);
			this.#setDown(lost);
		}
		return next;
	}

	/** The server is about to stop, as for an upgrade; undefined when there is no other one. */
	async #connectElsewhere(connection: NatsConnection): Promise<NatsConnection | undefined> {
		this.#learnServers(connection);
		if (this.#servers.order().length < 2) return undefined;
		this.#log.info(`the NATS server ${connection.getServer()} is about to stop: moving to another one`);
		await this.#pause(RECONNECT_MS);
		return this.#connect();
	}

	/** A plain server on loopback must not lead us to another machine without TLS. */
	#learnServers({ info }: NatsConnection): void {
		if (usesTls(this.#access.servers)) this.#servers.discovered(info?.connect_urls ?? []);
	}

	/** Resolves with the reason when the connection has closed, or its server hangs; never when it is replaced before. */
	async #closed(connection: NatsConnection, replaced: Promise<void>): Promise<string> {
		const server = connection.getServer();
		const silent = (seconds: number): string => `the NATS server ${server} has not answered for ${seconds} s`;
		const hangs = deferred<string>();
		const probe = new LinkProbe(
			{ received: () => connection.stats().inMsgs, ping: () => connection.flush() },
			{
				suspect: (seconds) => this.#suspect(seconds === undefined ? undefined : silent(seconds)),
				lost: (seconds) => hangs.resolve(silent(seconds)),
			},
		);
		const closed = connection
			.closed()
			.then((error) => (error instanceof Error ? error.message : 'the connection closed'));
		void replaced.then(() => probe.stop());
		const reason = await Promise.race([closed, hangs.promise]);
		probe.stop();
		// Not awaited: its server may hang.
		connection.close().catch(() => {});
		return reason;
	}

	#suspect(reason: string | undefined): void {
		this.#suspicion = reason;
		if (reason === undefined) this.#log.info('the NATS server answers again');
		else this.#log.warn(`the link to the fabric is suspect: ${reason}`);
	}

	/** @param onStopping the server announces that it stops; at most once */
	async #follow(connection: NatsConnection, onStopping: () => void): Promise<void> {
		let isStopping = false;
		for await (const status of connection.status()) {
			if (connection !== this.#connection) continue;
			this.#onStatus(status);
			if (status.type === 'ldm' && !isStopping) onStopping();
			isStopping ||= status.type === 'ldm';
		}
	}

	#onStatus(status: Status): void {
		if (status.type === 'disconnect') this.#setDown('the connection to the server was lost');
		else if (status.type === 'error' && 'operation' in status.error && 'subject' in status.error)
			this.#onRefused(String(status.error.operation), String(status.error.subject));
	}

	#onRefused(operation: string, subject: string): void {
		if (operation === 'subscription') this.#subscriptions.refused();
		for (const listener of this.#listeners) listener.denied?.(operation, subject);
		// Who tried to make the bucket says what the refusal means.
		if (subject.startsWith('$JS.API.STREAM.CREATE.')) return;
		// Without the id of a call; what is tried again and again is logged once.
		const refusal = `${operation} to ${subject.split('.').slice(0, 4).join('.')}`;
		if (this.#refusals.has(refusal) || this.#refusals.size >= REFUSALS_LOGGED) return;
		this.#refusals.add(refusal);
		this.#log.warn(`the NATS server does not permit ${operation} to ${subject}`);
	}

	#setUp(): void {
		// Moved: what was sent last on the connection before may be lost with its server.
		if (this.#isUp) for (const listener of this.#listeners) listener.down?.();
		this.#isUp = true;
		this.#suspicion = undefined;
		this.#connects++;
		this.#refusals.clear();
		this.#log.info(`connected to the fabric at ${this.#connection?.getServer() ?? 'an unknown server'}`);
		for (const listener of this.#listeners) listener.up?.();
	}

	#setDown(reason: string): void {
		this.#setReason(reason);
		this.#suspicion = undefined;
		if (!this.#isUp) return;
		this.#isUp = false;
		this.#losses++;
		if (!this.#closing.signal.aborted) this.#log.warn(`the link to the fabric is down: ${reason}`);
		for (const listener of this.#listeners) listener.down?.();
	}

	#failed(errors: readonly unknown[]): void {
		const unusable = errors.find((error) => OrchestraError.is(error, 'bad_input'));
		if (OrchestraError.is(unusable)) for (const listener of this.#listeners) listener.unusable?.(unusable);
		// In the order of the text: that of the servers is another one each time.
		const reason = [...new Set(errors.map(messageOf))].sort().join('; ');
		if (reason !== this.#reason) this.#log.warn(`the fabric cannot be reached: ${reason}`);
		this.#setReason(reason);
	}

	#setReason(reason: string): void {
		this.#reason = reason;
		this.#error = new OrchestraError('closed', `the fabric: ${reason}`);
	}
}

/** End a connection that another one has replaced. */
async function leave(connection: NatsConnection): Promise<void> {
	await within(connection.drain(), LINK_FLUSH_MS).catch(() => {});
	await connection.close().catch(() => {});
}
