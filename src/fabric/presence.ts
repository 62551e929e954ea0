/*
 * Says in the bucket that this worker is here and what it offers.
 *
 * The key of the presence has a TTL and is written again every few seconds, so a worker
 * that dies vanishes by itself. The bodies are written before the presence that names
 * them.
 */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { putKey, removeKey } from './bucket.ts';
import { withBucket } from './bucket-setup.ts';
import type { FabricLink } from './fabric-link.ts';
import { bodyKey, presenceKey } from './fabric-names.ts';
import { BODY_EVERY_MS, BODY_TTL_MS, PRESENCE_TTL_MS } from './fabric-timers.ts';
import type { OfferBody } from './offered-tools.ts';
import { PresencePace } from './presence-pace.ts';

/** Wait after a failure, for example while a cluster elects a leader. */
const RETRY_MS = 500;

export interface PresenceOptions {
	readonly link: FabricLink;
	readonly offer: string;
	/** The name of this worker. */
	readonly name: string;
	readonly instance: string;
	readonly log: Log;
}

export class Presence {
	readonly #options: PresenceOptions;
	/** The times at which bodies were written, by hash. */
	readonly #written = new Map<string, number>();
	#bodies: readonly OfferBody[] | undefined;
	#timer: NodeJS.Timeout | undefined;
	readonly #pace = new PresencePace();
	#writing: Promise<void> = Promise.resolve();
	#isClosed = false;
	#lastProblem = '';

	constructor(options: PresenceOptions) {
		this.#options = options;
	}

	/** Offer these bodies from now on. */
	offer(bodies: readonly OfferBody[]): Promise<void> {
		this.#bodies = bodies;
		return this.refresh();
	}

	/** Write the presence now. Never rejects: the next time may succeed. */
	refresh(): Promise<void> {
		if (this.#isClosed || this.#bodies === undefined) return this.#writing;
		this.#schedule(this.#pace.everyMs);
		this.#writing = this.#writing.then(() => this.#write());
		return this.#writing;
	}

	/** The server may have lost everything: write the bodies again too. */
	forget(): void {
		this.#written.clear();
	}

	/** Leave: hubs are notified at once. */
	async close(): Promise<void> {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		await this.#writing;
		const { link, offer, name } = this.#options;
		// Without a link the key expires by itself.
		if (link.isUp) await removeKey(link, presenceKey(offer, name)).catch(() => {});
	}

	#schedule(ms: number): void {
		clearTimeout(this.#timer);
		if (this.#isClosed) return;
		this.#timer = setTimeout(() => void this.refresh(), ms);
		this.#timer.unref();
	}

	async #write(): Promise<void> {
		const { link, offer, name, instance, log } = this.#options;
		if (!link.isUp || this.#isClosed) return;
		try {
			const bodies = this.#bodies ?? [];
			for (const body of bodies) await withBucket(link, () => this.#writeBody(body));
			const value = JSON.stringify({ i: instance, h: bodies.map(({ hash }) => hash) });
			this.#pace.wrote(
				await putKey(link, presenceKey(offer, name), value, PRESENCE_TTL_MS),
				performance.now(),
			);
			this.#lastProblem = '';
		} catch (error) {
			const problem = messageOf(error);
			if (problem !== this.#lastProblem) log.warn(`the offer could not be published: ${problem}`);
			this.#lastProblem = problem;
			this.#schedule(RETRY_MS);
		}
	}

	async #writeBody({ hash, text }: OfferBody): Promise<void> {
		const { link, name } = this.#options;
		const now = performance.now();
		if (now - (this.#written.get(hash) ?? Number.NEGATIVE_INFINITY) < BODY_EVERY_MS) return;
		await putKey(link, bodyKey(name, hash), text, BODY_TTL_MS);
		this.#written.set(hash, now);
	}
}
