/*
 * What other workers advertise: a copy of the bucket in memory.
 *
 * It is read as a whole when the link comes up, and then follows the changes that the
 * server republishes. An older revision never replaces a newer one, so both may arrive
 * in any order. A worker whose presence was not refreshed for its TTL is
 * removed: the server leaves no marker for an expired key.
 *
 * Bodies are cached by their hash, which is checked, so equal workers share one, and it
 * does not matter who wrote it. A body that no presence names any more is dropped.
 */
import type { WorkerFacts } from '../../hub/fabric-overview.ts';
import type { Tool } from '../../protocol/mcp-types.ts';
import { BoundedMap } from '../../rpc/bounded-map.ts';
import { ADVERTISED_TOOLS_LIMIT, GONE_KEYS_LIMIT, PRESENCE_SILENCE_MS } from '../fabric-limits.ts';
import { type CatalogueKey, parseKey, presenceKey } from '../fabric-names.ts';
import { BodyStore } from './body-store.ts';
import type { BucketEntry } from './bucket.ts';
import { readPresence } from './presence-value.ts';

/** A worker, as the bucket has it. */
export interface AdvertisedWorker extends WorkerFacts {
	/** The hashes of its bodies. */
	readonly hashes: readonly string[];
	revision: number;
	heardAt: number;
}

/** Workers in the order of their names. */
export function byName(one: Pick<WorkerFacts, 'name'>, other: Pick<WorkerFacts, 'name'>): number {
	return one.name < other.name ? -1 : 1;
}

export class Advertisements {
	/** Keyed by group, then by worker. */
	readonly #groups = new Map<string, Map<string, AdvertisedWorker>>();
	readonly #bodies = new BodyStore();
	/** Keyed by group: those whose bodies are all here. */
	readonly #tools = new Map<string, readonly Tool[]>();
	/** Groups with a worker that announced a limit. */
	readonly #limited = new Set<string>();
	/** Keys that are gone, with the revision of that. */
	readonly #gone = new BoundedMap<string, number>(GONE_KEYS_LIMIT);
	#lastRevision = 0;

	/** The advertised workers of a group. */
	workers(group: string): readonly AdvertisedWorker[] {
		return [...(this.#groups.get(group)?.values() ?? [])];
	}

	hasWorkers(group: string): boolean {
		return this.#groups.has(group);
	}

	/** Whether a worker of the group has announced how many calls it runs. */
	hasLimits(group: string): boolean {
		return this.#limited.has(group);
	}

	/** The names of all groups, sorted. */
	get groups(): readonly string[] {
		return [...this.#groups.keys()].sort();
	}

	/** The newest revision that was seen. */
	get lastRevision(): number {
		return this.#lastRevision;
	}

	/** Forget everything. */
	clear(): void {
		for (const known of [this.#groups, this.#bodies, this.#tools, this.#limited, this.#gone]) known.clear();
		this.#lastRevision = 0;
	}

	/** Take a change. True when the tools may differ now. */
	apply(entry: BucketEntry, now: number): boolean {
		this.#lastRevision = Math.max(this.#lastRevision, entry.revision);
		const key = parseKey(entry.key);
		if (key === undefined) return false;
		// A body that is removed is not named any more, or will be written again.
		if (key.kind === 'body') return entry.read !== undefined && this.#bodies.add(key.hash, entry.read, now);
		if ((this.#gone.get(entry.key) ?? 0) >= entry.revision) return false;
		return this.#applyPresence(key, entry, now);
	}

	/** Remove every worker whose presence a complete read of the bucket, up to a revision, did not contain. */
	keepOnly(present: ReadonlySet<string>, read: number): void {
		this.#removeWhere(
			(group, { name, revision }) => revision <= read && !present.has(presenceKey(group, name)),
		);
	}

	/** Remove workers whose presence has expired. True when there was one. */
	sweep(now: number): boolean {
		const before = now - PRESENCE_SILENCE_MS;
		this.#bodies.dropUnnamed(before);
		return this.#removeWhere((_group, { heardAt }) => heardAt < before);
	}

	/** The link was down: no presence could arrive. */
	heardAll(now: number): void {
		for (const workers of this.#groups.values()) for (const worker of workers.values()) worker.heardAt = now;
	}

	hasBody(hash: string): boolean {
		return this.#bodies.has(hash);
	}

	/** The bodies that are named and not here. */
	missingBodies(): { worker: string; hash: string }[] {
		return [...this.#groups.values()].flatMap((workers) =>
			[...workers.values()].flatMap(({ name, hashes }) =>
				hashes.filter((hash) => !this.#bodies.has(hash)).map((hash) => ({ worker: name, hash })),
			),
		);
	}

	/**
	 * The tools of a group that a worker other than `self` makes; the same array until they change. The worker first
	 * by name describes a tool. A worker whose bodies are not all here has no say yet.
	 */
	toolsOf(group: string, self: string): readonly Tool[] {
		const known = this.#tools.get(group);
		if (known) return known;
		const workers = this.workers(group);
		if (workers.every(({ name }) => name === self)) return [];
		const found = new Map<string, Tool>();
		const ready = workers.filter(({ hashes }) => hashes.every((hash) => this.#bodies.has(hash)));
		// Equal workers name the same bodies.
		const sorted = ready.toSorted(byName);
		for (const hash of new Set(sorted.flatMap(({ hashes }) => hashes)))
			for (const tool of this.#bodies.toolsIn(hash))
				if (!found.has(tool.name) && found.size < ADVERTISED_TOOLS_LIMIT) found.set(tool.name, tool);
		const tools = [...found.values()];
		if (ready.length === workers.length) this.#tools.set(group, tools);
		return tools;
	}

	#applyPresence(
		{ group, worker: name }: CatalogueKey & { kind: 'presence' },
		{ key, read, revision }: BucketEntry,
		now: number,
	): boolean {
		const workers = this.#groups.get(group) ?? new Map<string, AdvertisedWorker>();
		const before = workers.get(name);
		if (before && before.revision >= revision) return false;
		if (read === undefined) {
			this.#gone.set(key, revision);
			return this.#removeWhere((each, worker) => each === group && worker.name === name);
		}
		const { hashes, facts } = readPresence(read());
		workers.set(name, { name, ...facts, hashes, revision, heardAt: now });
		this.#groups.set(group, workers);
		if (facts.limit !== null || facts.hubLimit !== null) this.#limited.add(group);
		if (before && before.hashes.join() === hashes.join()) return false;
		this.#bodies.name(hashes);
		if (before) this.#bodies.unname(before.hashes);
		this.#tools.delete(group);
		return true;
	}

	#removeWhere(isGone: (group: string, worker: AdvertisedWorker) => boolean): boolean {
		let hasRemoved = false;
		for (const [group, workers] of this.#groups) {
			for (const worker of workers.values()) {
				if (!isGone(group, worker)) continue;
				hasRemoved = true;
				workers.delete(worker.name);
				this.#bodies.unname(worker.hashes);
				this.#tools.delete(group);
			}
			if (workers.size === 0 && this.#groups.delete(group)) this.#limited.delete(group);
		}
		return hasRemoved;
	}
}
