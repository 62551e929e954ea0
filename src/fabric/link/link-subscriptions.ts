/*
 * The subscriptions of a link: made again on each new connection, and tried again when
 * the server refused one, which the client library forgets.
 */
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { Backoff } from '../../rpc/backoff.ts';
import { SUBSCRIBE_RETRY_LONGEST_MS, SUBSCRIBE_RETRY_MS } from '../fabric-limits.ts';

/** A subscription that survives a new connection. */
export interface LinkSubscription {
	/** Stop; messages that have arrived are still handled. */
	drain(): Promise<void>;
}

interface Wanted {
	readonly subject: string;
	readonly queue: string | undefined;
	readonly onMessage: (message: Msg) => void;
	current: Subscription | undefined;
}

export class LinkSubscriptions {
	readonly #log: Log;
	readonly #wanted = new Set<Wanted>();
	readonly #backoff = new Backoff(SUBSCRIBE_RETRY_MS, SUBSCRIBE_RETRY_LONGEST_MS);
	#connection: NatsConnection | undefined;
	#retrying: NodeJS.Timeout | undefined;

	constructor(log: Log) {
		this.#log = log;
	}

	add(subject: string, onMessage: (message: Msg) => void, queue?: string): LinkSubscription {
		const wanted: Wanted = { subject, queue, onMessage, current: undefined };
		this.#wanted.add(wanted);
		this.#apply(wanted);
		return {
			drain: async () => {
				this.#wanted.delete(wanted);
				// A closed connection has drained it already.
				await wanted.current?.drain().catch(() => {});
			},
		};
	}

	/** Subscribe to everything on a new connection. */
	moveTo(connection: NatsConnection): void {
		this.#connection = connection;
		this.#backoff.reset();
		for (const wanted of this.#wanted) this.#apply(wanted);
	}

	/** The server refused one: try again later. */
	refused(): void {
		this.#retrying ??= setTimeout(() => this.#applyRefused(), this.#backoff.nextMs());
		this.#retrying.unref();
	}

	close(): void {
		clearTimeout(this.#retrying);
		this.#wanted.clear();
	}

	#applyRefused(): void {
		clearTimeout(this.#retrying);
		this.#retrying = undefined;
		for (const wanted of this.#wanted) if (wanted.current?.isClosed()) this.#apply(wanted);
	}

	#apply(wanted: Wanted): void {
		const { subject, queue, onMessage } = wanted;
		const callback = (error: Error | null, message: Msg): void => {
			if (error === null) this.#handle(message, onMessage);
		};
		if (this.#connection === undefined || this.#connection.isClosed()) return;
		wanted.current = this.#connection.subscribe(subject, { callback, ...(queue && { queue }) });
	}

	/** An exception would end the connection of the library; a message of another program must not do that. */
	#handle(message: Msg, onMessage: (message: Msg) => void): void {
		try {
			onMessage(message);
		} catch (error) {
			this.#log.warn(`a message on ${message.subject} could not be used: ${messageOf(error)}`);
		}
	}
}
