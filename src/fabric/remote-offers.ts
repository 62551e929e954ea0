/*
 * What other workers offer: a copy of the bucket in memory.
 *
 * It is read as a whole when the link comes up, and then follows the changes that the
 * server republishes. An older revision never replaces a newer one, so both may arrive
 * in any order. A worker that has not been heard of for the TTL of its presence is
 * removed, even if the marker of the server is lost.
 */
import type { Tool } from '../protocol/mcp-types.ts';
import { isObject } from '../wire/json.ts';
import type { BucketEntry } from './bucket.ts';
import { type CatalogueKey, parseKey, presenceKey } from './fabric-names.ts';
import { PRESENCE_SILENCE_MS } from './fabric-timers.ts';

/** A worker of an offer. */
export interface OfferWorker {
	readonly name: string;
	/** The hashes of its bodies. */
	readonly hashes: readonly string[];
	revision: number;
	heardAt: number;
}

/** A tool, its offer and its name there. */
export interface RemoteTool {
	readonly offer: string;
	readonly tool: Tool;
}

interface Stored<T> {
	readonly value: T;
	readonly revision: number;
}

const NAME_CHARACTERS = 256;
const TOOLS_LIMIT = 10_000;
const HASHES_LIMIT = 64;
/** A key that is gone, so that an older value does not bring it back. Bounded by the number of workers. */
const GONE_LIMIT = 10_000;

export class RemoteOffers {
	/** By offer, then by worker. */
	readonly #offers = new Map<string, Map<string, OfferWorker>>();
	/** By `worker.hash`. The text is parsed on first use. */
	readonly #bodies = new Map<string, Stored<string>>();
	readonly #parsed = new Map<string, readonly Tool[]>();
	readonly #gone = new Map<string, number>();
	#lastRevision = 0;

	/** Workers by offer. */
	workers(offer: string): readonly OfferWorker[] {
		return [...(this.#offers.get(offer)?.values() ?? [])];
	}

	/** The names of all offers, sorted. */
	get offers(): readonly string[] {
		return [...this.#offers.keys()].sort();
	}

	/** The newest revision that was seen. */
	get lastRevision(): number {
		return this.#lastRevision;
	}

	/** Forget everything. */
	clear(): void {
		for (const known of [this.#offers, this.#bodies, this.#parsed, this.#gone]) known.clear();
		this.#lastRevision = 0;
	}

	/** Take a change. True when the tools may differ now. */
	apply(entry: BucketEntry, now: number): boolean {
		this.#lastRevision = Math.max(this.#lastRevision, entry.revision);
		const key = parseKey(entry.key);
		if (key === undefined) return false;
		if ((this.#gone.get(entry.key) ?? 0) >= entry.revision) return false;
		return key.kind === 'body' ? this.#applyBody(key, entry) : this.#applyPresence(key, entry, now);
	}

	/** Remove every worker that a complete read of the bucket did not contain. True when there was one. */
	keepOnly(entries: readonly BucketEntry[]): boolean {
		const present = new Set(entries.filter(({ value }) => value !== undefined).map(({ key }) => key));
		const read = entries.at(-1)?.revision ?? 0;
		return this.#removeWhere(
			(offer, { name, revision }) => revision <= read && !present.has(presenceKey(offer, name)),
		);
	}

	/** Remove workers that were not heard of for too long. True when there was one. */
	sweep(now: number): boolean {
		const before = now - PRESENCE_SILENCE_MS;
		return this.#removeWhere((_offer, { heardAt }) => heardAt < before);
	}

	/** The link was down: nobody could be heard. */
	heardAll(now: number): void {
		for (const workers of this.#offers.values()) for (const worker of workers.values()) worker.heardAt = now;
	}

	/** The bodies that are named and not here. */
	missingBodies(): { worker: string; hash: string }[] {
		return [...this.#offers.values()].flatMap((workers) =>
			[...workers.values()].flatMap(({ name, hashes }) =>
				hashes.filter((hash) => !this.#bodies.has(`${name}.${hash}`)).map((hash) => ({ worker: name, hash })),
			),
		);
	}

	/** Every tool of every offer that a worker other than `self` makes. The worker first by name describes a tool. */
	tools(self: string): RemoteTool[] {
		return this.offers.flatMap((offer) => this.toolsOf(offer, self).map((tool) => ({ offer, tool })));
	}

	/** The same for one offer. A worker whose bodies are not all here has no say yet. */
	toolsOf(offer: string, self: string): readonly Tool[] {
		const workers = this.workers(offer);
		if (workers.every(({ name }) => name === self)) return [];
		const found = new Map<string, Tool>();
		for (const { name, hashes } of workers.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
			if (!hashes.every((hash) => this.#bodies.has(`${name}.${hash}`))) continue;
			for (const tool of hashes.flatMap((hash) => this.#toolsIn(`${name}.${hash}`))) {
				if (!found.has(tool.name) && found.size < TOOLS_LIMIT) found.set(tool.name, tool);
			}
		}
		return [...found.values()];
	}

	#toolsIn(key: string): readonly Tool[] {
		const text = this.#bodies.get(key)?.value;
		if (text === undefined) return [];
		const known = this.#parsed.get(text);
		if (known) return known;
		const tools = parseBody(text);
		// By text and not by hash: equal workers share one copy, and a wrong hash cannot replace a body of another.
		this.#parsed.set(text, tools);
		return tools;
	}

	#applyBody({ worker, hash }: CatalogueKey & { kind: 'body' }, { value, revision }: BucketEntry): boolean {
		const key = `${worker}.${hash}`;
		const before = this.#bodies.get(key);
		if (before && before.revision >= revision) return false;
		if (value !== undefined) {
			this.#bodies.set(key, { value, revision });
			return before?.value !== value;
		}
		this.#bodies.delete(key);
		if (before) this.#parsed.delete(before.value);
		return before !== undefined;
	}

	#applyPresence(
		{ offer, worker: name }: CatalogueKey & { kind: 'presence' },
		{ key, value, revision }: BucketEntry,
		now: number,
	): boolean {
		const workers = this.#offers.get(offer) ?? new Map<string, OfferWorker>();
		const before = workers.get(name);
		if (before && before.revision >= revision) return false;
		if (value === undefined) {
			this.#noteGone(key, revision);
			return this.#removeWhere((each, worker) => each === offer && worker.name === name);
		}
		const hashes = hashesOf(value);
		workers.set(name, { name, hashes, revision, heardAt: now });
		this.#offers.set(offer, workers);
		return before === undefined || before.hashes.join() !== hashes.join();
	}

	#noteGone(key: string, revision: number): void {
		this.#gone.delete(key);
		this.#gone.set(key, revision);
		const [oldest] = this.#gone.keys();
		if (this.#gone.size > GONE_LIMIT && oldest !== undefined) this.#gone.delete(oldest);
	}

	#removeWhere(isGone: (offer: string, worker: OfferWorker) => boolean): boolean {
		let hasRemoved = false;
		for (const [offer, workers] of this.#offers) {
			for (const worker of workers.values()) {
				if (!isGone(offer, worker)) continue;
				hasRemoved = true;
				workers.delete(worker.name);
				for (const hash of worker.hashes) this.#dropBody(`${worker.name}.${hash}`);
			}
			if (workers.size === 0) this.#offers.delete(offer);
		}
		return hasRemoved;
	}

	#dropBody(key: string): void {
		const body = this.#bodies.get(key);
		this.#bodies.delete(key);
		if (body) this.#parsed.delete(body.value);
	}
}

function hashesOf(value: string): readonly string[] {
	const read = parsed(value);
	const hashes = isObject(read) && Array.isArray(read['h']) ? read['h'] : [];
	return hashes
		.filter((hash): hash is string => typeof hash === 'string' && /^[0-9a-f]{1,64}$/.test(hash))
		.slice(0, HASHES_LIMIT);
}

/** The valid tools of a body; other workers are not trusted to write it correctly. */
function parseBody(text: string): readonly Tool[] {
	const read = parsed(text);
	const tools: readonly unknown[] = isObject(read) && Array.isArray(read['tools']) ? read['tools'] : [];
	return tools.filter(isTool).slice(0, TOOLS_LIMIT);
}

function isTool(value: unknown): value is Tool {
	if (!isObject(value) || !isObject(value['inputSchema'])) return false;
	const { name } = value;
	return typeof name === 'string' && name !== '' && name.length <= NAME_CHARACTERS;
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined; // written by another program: it offers nothing
	}
}
