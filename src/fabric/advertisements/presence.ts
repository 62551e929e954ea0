/*
 * Says in the bucket that this worker is here and what it advertises.
 *
 * The key of the presence has a TTL and is written again every few seconds, so a worker
 * that dies vanishes by itself. The bodies are written before the presence that names
 * them.
 */
import type { Log } from '../../log.ts';
import { Backoff } from '../../rpc/backoff.ts';
import {
	BODY_EVERY_MS,
	BODY_TTL_MS,
	LARGE_FABRIC_WORKERS,
	PRESENCE_EVERY_MS,
	PRESENCE_RETRY_LONGEST_MS,
	PRESENCE_RETRY_MS,
	PRESENCE_SLOW_MS,
	PRESENCE_TTL_MS,
} from '../fabric-limits.ts';
import { bodyKey, presenceKey } from '../fabric-names.ts';
import type { FabricLink } from '../link/fabric-link.ts';
import type { AdvertisementBody } from './advertisement-bodies.ts';
import { putKey, removeKey } from './bucket.ts';
import { bucketProblem, withBucket } from './bucket-setup.ts';
import { type PresenceFacts, presenceText } from './presence-value.ts';

export interface PresenceOptions {
	readonly link: FabricLink;
	readonly group: string;
	/** The name of this worker. */
	readonly name: string;
	/** The present facts of this worker. */
	readonly facts: () => PresenceFacts;
	readonly log: Log;
	/** The server has stored the bodies, so it permits this name; the presence follows. */
	readonly onStored: () => void;
	/** The presence is written. */
	readonly onWritten: () => void;
}

export class Presence {
	readonly #options: PresenceOptions;
	/** The times at which bodies were written, by hash. */
	readonly #written = new Map<string, number>();
	#bodies: readonly AdvertisementBody[] | undefined;
	#timer: NodeJS.Timeout | undefined;
	readonly #pace = new PresencePace();
	readonly #backoff = new Backoff(PRESENCE_RETRY_MS, PRESENCE_RETRY_LONGEST_MS);
	#writing: Promise<void> = Promise.resolve();
	#isClosed = false;
	/** The revision of the presence that this process wrote last. */
	#revision: number | undefined;
	#lastProblem = '';
	/** The bucket was there. */
	#hasStored = false;

	constructor(options: PresenceOptions) {
		this.#options = options;
	}

	/** Advertise these bodies from now on. */
	advertise(bodies: readonly AdvertisementBody[]): Promise<void> {
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
		this.#revision = undefined;
	}

	/** Leave: hubs are notified at once. */
	async close(): Promise<void> {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		await this.#writing;
		const { link, group, name } = this.#options;
		if (!link.isUp) return;
		try {
			await removeKey(link, presenceKey(group, name));
			await this.#removeBodies([]);
		} catch {
			// The keys expire by themselves.
		}
	}

	#schedule(ms: number): void {
		clearTimeout(this.#timer);
		if (this.#isClosed) return;
		this.#timer = setTimeout(() => void this.refresh(), ms);
		this.#timer.unref();
	}

	async #write(): Promise<void> {
		const { link, group, name, facts, log, onStored, onWritten } = this.#options;
		if (!link.isUp || this.#isClosed) return;
		try {
			const bodies = this.#bodies ?? [];
			for (const body of bodies) await withBucket(link, () => this.#writeBody(body));
			onStored();
			const hashes = bodies.map(({ hash }) => hash);
			const options = { ttlMs: PRESENCE_TTL_MS, expected: this.#revision };
			this.#revision = await putKey(link, presenceKey(group, name), presenceText(hashes, facts()), options);
			this.#hasStored = true;
			this.#pace.wrote(this.#revision, performance.now());
			if (this.#lastProblem !== '') log.info('the advertisement is published again');
			this.#lastProblem = '';
			this.#backoff.reset();
			onWritten();
			await this.#removeBodies(hashes);
		} catch (error) {
			this.#failed(bucketProblem(link, error, this.#hasStored), log);
		}
	}

	#failed(problem: string, log: Log): void {
		// Another process with this name may have removed the bodies.
		this.forget();
		if (problem !== this.#lastProblem) log.warn(`the advertisement could not be published: ${problem}`);
		this.#lastProblem = problem;
		this.#schedule(this.#backoff.nextMs());
	}

	async #writeBody({ hash, text }: AdvertisementBody): Promise<void> {
		const { link, name } = this.#options;
		const now = performance.now();
		if (now - (this.#written.get(hash) ?? Number.NEGATIVE_INFINITY) < BODY_EVERY_MS) return;
		await putKey(link, bodyKey(name, hash), text, { ttlMs: BODY_TTL_MS });
		this.#written.set(hash, now);
	}

	/** Remove the bodies that are advertised no more. */
	async #removeBodies(advertised: readonly string[]): Promise<void> {
		const { link, name } = this.#options;
		for (const hash of this.#written.keys()) {
			if (advertised.includes(hash)) continue;
			await removeKey(link, bodyKey(name, hash));
			this.#written.delete(hash);
		}
	}
}

/*
 * How often a worker writes its presence. Every hub receives every presence, so in a large
 * fabric workers write half as often. A worker estimates the size of the fabric from the
 * revisions of the bucket, which count the writes of all.
 */
export class PresencePace {
	#everyMs = PRESENCE_EVERY_MS;
	#last: { revision: number; at: number } | undefined;

	get everyMs(): number {
		return this.#everyMs;
	}

	/** This worker wrote its presence with this revision. */
	wrote(revision: number, now: number): void {
		const last = this.#last;
		this.#last = { revision, at: now };
		if (last === undefined || now <= last.at || revision <= last.revision) return;
		// All workers write at about the same pace, so this many wrote once in the meantime.
		const workers = ((revision - last.revision) * this.#everyMs) / (now - last.at);
		this.#everyMs = workers > LARGE_FABRIC_WORKERS ? PRESENCE_SLOW_MS : PRESENCE_EVERY_MS;
	}
}
