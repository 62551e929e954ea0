/*
 * Keeps the copy of the bucket up to date: reads it when the link comes up, follows the
 * changes, fetches bodies that are missing, and removes workers that went silent.
 */
import { messageOf } from '../../errors.ts';
import { Debounce } from '../../files/debounce.ts';
import type { Log } from '../../log.ts';
import { deferred } from '../../rpc/deferred.ts';
import { ADVERTISED_DEBOUNCE_MS, BUCKET_RETRY_MS, PRESENCE_SWEEP_MS } from '../fabric-limits.ts';
import { bodyKey, CATALOGUE_SUBJECT } from '../fabric-names.ts';
import type { FabricLink } from '../link/fabric-link.ts';
import { Advertisements } from './advertisements.ts';
import { getKey, readBucket, republishedEntry } from './bucket.ts';
import { bucketProblem, withBucket } from './bucket-setup.ts';

export class AdvertisementFollower {
	readonly advertisements: Advertisements = new Advertisements();
	readonly #link: FabricLink;
	readonly #log: Log;
	readonly #onChange: () => void;
	readonly #sweeping: NodeJS.Timeout;
	readonly #changes = new Debounce(() => void this.#notify(), { quietMs: ADVERTISED_DEBOUNCE_MS });
	readonly #loaded = deferred();
	#loading = false;
	#retrying: NodeJS.Timeout | undefined;
	#lastProblem = '';
	#isClosed = false;

	/** @param onChange is called when the tools may differ */
	constructor(link: FabricLink, log: Log, onChange: () => void) {
		this.#link = link;
		this.#log = log;
		this.#onChange = onChange;
		link.subscribe(`${CATALOGUE_SUBJECT}.>`, (message) => {
			const entry = republishedEntry(message);
			if (entry && this.advertisements.apply(entry, performance.now())) this.#changes.touch();
		});
		link.listen({ up: () => void this.#load() });
		if (link.isUp) void this.#load();
		this.#sweeping = setInterval(() => this.#sweep(), PRESENCE_SWEEP_MS);
		this.#sweeping.unref();
	}

	/** Resolves when the bucket was read once. */
	get loaded(): Promise<void> {
		return this.#loaded.promise;
	}

	close(): void {
		this.#isClosed = true;
		clearInterval(this.#sweeping);
		this.#changes.close();
		clearTimeout(this.#retrying);
		this.#loaded.resolve();
	}

	async #load(): Promise<void> {
		if (this.#loading || this.#isClosed) return;
		this.#loading = true;
		try {
			this.advertisements.heardAll(performance.now());
			const { lastRevision } = this.advertisements;
			const last = await withBucket(this.#link, () => this.#read());
			// Revisions only grow, so this is another bucket.
			if (last < lastRevision) {
				this.advertisements.clear();
				await this.#read();
			}
			if (this.#lastProblem !== '') this.#log.info('the advertisements of the fabric are read again');
			this.#lastProblem = '';
			this.#loaded.resolve();
			this.#changes.touch();
		} catch (error) {
			this.#retry(bucketProblem(this.#link, error, this.advertisements.lastRevision > 0));
		} finally {
			this.#loading = false;
		}
	}

	async #read(): Promise<number> {
		const present = new Set<string>();
		const last = await readBucket(this.#link, (entry) => {
			if (entry.read) present.add(entry.key);
			this.advertisements.apply(entry, performance.now());
		});
		this.advertisements.keepOnly(present, last);
		this.advertisements.heardAll(performance.now());
		return last;
	}

	#retry(problem: string): void {
		if (problem !== this.#lastProblem)
			this.#log.warn(`the advertisements of the fabric cannot be read: ${problem}`);
		this.#lastProblem = problem;
		if (this.#isClosed || !this.#link.isUp) return;
		clearTimeout(this.#retrying);
		this.#retrying = setTimeout(() => void this.#load(), BUCKET_RETRY_MS);
		this.#retrying.unref();
	}

	#sweep(): void {
		if (this.#link.isUp && this.advertisements.sweep(performance.now())) this.#changes.touch();
	}

	async #notify(): Promise<void> {
		await this.#fetchMissing();
		if (!this.#isClosed) this.#onChange();
	}

	/** A body is written before the presence that names it, so a missing body was written while we were away. */
	async #fetchMissing(): Promise<void> {
		for (const { worker, hash } of this.advertisements.missingBodies()) {
			// Equal workers have the same.
			if (this.advertisements.hasBody(hash)) continue;
			const key = bodyKey(worker, hash);
			try {
				const value = await getKey(this.#link, key);
				if (value !== undefined)
					this.advertisements.apply({ key, revision: 1, read: () => value }, performance.now());
			} catch (error) {
				this.#log.debug(`the advertisement of ${worker} cannot be read: ${messageOf(error)}`);
				return;
			}
		}
	}
}
