/*
 * A QUIC link: one connection, renewed after very many streams.
 *
 * The engine keeps the id of every stream that a connection ever had, so the memory
 * of a connection would grow without bound. New streams use the fresh connection once
 * it is established; the old one is drained and closed. If dialing fails, the old one
 * stays in use.
 */

import type { OrchestraError } from '../../errors.ts';
import { deferred } from '../../rpc/deferred.ts';
import type { Link, LinkStream } from '../link.ts';
import { CLOSE_GRACE_MS, MAX_RETIRED_CONNECTIONS } from '../link-limits.ts';
import type { QuicConnection } from './quic-connection.ts';
import type { QuicSocket } from './quic-socket.ts';

/** A connection and its own socket. */
export interface Dialed {
	readonly connection: QuicConnection;
	readonly socket: QuicSocket;
	/** The common name of the peer's certificate. */
	readonly peerName: string;
}

export interface QuicLinkOptions {
	/** Open another connection to the same peer. */
	redial: () => Promise<Dialed>;
	/** Renew the connection after this many streams. */
	renewAfterStreams: number;
}

export class QuicLink implements Link {
	readonly kind = 'quic';
	readonly streamsAreCheap = true;
	readonly address: string;
	readonly peerName: string;
	mayRenew = true;
	readonly #ended = deferred<OrchestraError>();
	readonly closed: Promise<OrchestraError> = this.#ended.promise;
	readonly #options: QuicLinkOptions;
	readonly #retired = new Set<Dialed>();
	#current: Dialed;
	#streamsLeft: number;
	#isClosing = false;

	constructor(dialed: Dialed, options: QuicLinkOptions) {
		this.#options = options;
		this.#streamsLeft = options.renewAfterStreams;
		this.address = dialed.connection.address;
		this.peerName = dialed.peerName;
		this.#current = dialed;
		this.#watch(dialed);
	}

	openStream(): LinkStream {
		const stream = this.#current.connection.openStream();
		if (--this.#streamsLeft <= 0 && this.mayRenew) this.#startRenewal();
		return stream;
	}

	async close(): Promise<void> {
		this.#isClosing = true;
		await Promise.all([...this.#retired, this.#current].map((dialed) => closeDialed(dialed, CLOSE_GRACE_MS)));
	}

	#startRenewal(): void {
		// Reset before the outcome is known: a failed renewal is retried after as many streams again.
		this.#streamsLeft = this.#options.renewAfterStreams;
		if (this.#retired.size < MAX_RETIRED_CONNECTIONS) void this.#renew();
	}

	async #renew(): Promise<void> {
		let fresh: Dialed;
		try {
			fresh = await this.#options.redial();
		} catch {
			return; // the old connection stays in use; if it is dead, it reports that itself
		}
		const old = this.#current;
		if (this.#isClosing || old.connection.isClosed) return closeDialed(fresh, 0);
		this.#current = fresh;
		this.#watch(fresh);
		this.#retired.add(old);
		// No grace limit: open streams have their own deadlines.
		await closeDialed(old, Number.POSITIVE_INFINITY);
		this.#retired.delete(old);
	}

	#watch(dialed: Dialed): void {
		void dialed.connection.closed.then((reason) => {
			if (this.#current === dialed) this.#ended.resolve(reason);
		});
	}
}

async function closeDialed({ connection, socket }: Dialed, graceMs: number): Promise<void> {
	await connection.close(graceMs);
	await socket.close();
}
