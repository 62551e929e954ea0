/*
 * A QUIC link: one connection, and after very many streams a fresh one in its place.
 *
 * The engine remembers the number of every stream that a connection ever had, so a
 * connection that is used for weeks would grow without end. New streams go to the
 * fresh connection once it stands; the old one closes when its last stream is over.
 * While no fresh one can be had, the old one goes on.
 */

import type { OrchestraError } from '../../errors.ts';
import { deferred } from '../../rpc/deferred.ts';
import type { Link, LinkStream } from '../link.ts';
import { CLOSE_GRACE_MS, MAX_RETIRED_CONNECTIONS } from '../link-limits.ts';
import type { QuicConnection } from './quic-connection.ts';
import type { QuicSocket } from './quic-socket.ts';

/** A connection and the socket that is its own. */
export interface Dialed {
	readonly connection: QuicConnection;
	readonly socket: QuicSocket;
	/** The common name of the peer's certificate. */
	readonly peerName: string;
}

export interface QuicLinkOptions {
	/** Reach the same peer once more. */
	redial: () => Promise<Dialed>;
	/** So many streams make a connection old. */
	renewAfterStreams: number;
}

export class QuicLink implements Link {
	readonly kind = 'quic';
	readonly streamsAreCheap = true;
	readonly address: string;
	readonly peerName: string;
	mayMove = true;
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
		if (--this.#streamsLeft <= 0 && this.mayMove) this.#startRenewal();
		return stream;
	}

	async close(): Promise<void> {
		this.#isClosing = true;
		await Promise.all([...this.#retired, this.#current].map((dialed) => closeDialed(dialed, CLOSE_GRACE_MS)));
	}

	#startRenewal(): void {
		// Whether it succeeds or not, the next time is after as many streams again.
		this.#streamsLeft = this.#options.renewAfterStreams;
		if (this.#retired.size < MAX_RETIRED_CONNECTIONS) void this.#renew();
	}

	async #renew(): Promise<void> {
		let fresh: Dialed;
		try {
			fresh = await this.#options.redial();
		} catch {
			return; // the peer takes no other connection now, and this one still works or says by itself that it is over
		}
		const old = this.#current;
		if (this.#isClosing || old.connection.isClosed) return closeDialed(fresh, 0);
		this.#current = fresh;
		this.#watch(fresh);
		this.#retired.add(old);
		// Its streams may stay open for long and have deadlines of their own.
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
