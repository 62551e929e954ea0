/*
 * How alike a query and documents are by the vectors of a model that the user chose. A hint
 * that comes in time or not at all: a search never waits longer than `QUERY_WAIT_MS` for
 * it, and ranks by its own signals otherwise. Documents get their vectors in the
 * background, in batches, each text once.
 */
import { messageOf } from '../../errors.ts';
import { sha256 } from '../../files/sha256.ts';
import type { Log } from '../../log.ts';
import { within } from '../../rpc/clock.ts';
import { EmbeddingEndpoint, type EmbeddingSettings } from './embedding-endpoint.ts';
import {
	BATCH_STRINGS,
	CACHED_QUERIES,
	EMBEDDED_CHARACTERS,
	EMBEDDED_LIMIT,
	EMBEDDING_PAUSE_MS,
	EMBEDDING_REQUEST_MS,
	LEAST_EMBEDDED_SHARE,
	QUERIES_AT_ONCE,
	QUERY_WAIT_MS,
} from './embedding-limits.ts';
import { VectorFile } from './vector-file.ts';

/** A document as the model reads it. */
export interface EmbeddedDocument {
	readonly id: string;
	readonly text: string;
}

/** Similarities by the id of the document, from -1 to 1. */
export type Nearness = ReadonlyMap<string, number>;

export interface EmbeddingsOptions {
	readonly settings: EmbeddingSettings;
	/** Folder of the files of vectors. */
	readonly folder: string;
	readonly log: Log;
}

export class Embeddings {
	readonly #endpoint: EmbeddingEndpoint;
	readonly #vectors: VectorFile;
	readonly #log: Log;
	/** Vectors of queries, the latest last. */
	readonly #queries = new Map<string, Float32Array>();
	/** The hashes of the strings of each collection, in its order. */
	readonly #hashes = new WeakMap<readonly EmbeddedDocument[], readonly string[]>();
	/** Collections whose documents all have a vector. */
	readonly #complete = new WeakSet<readonly EmbeddedDocument[]>();
	readonly #closing = new AbortController();
	#queriesInFlight = 0;
	#filling: Promise<void> | undefined;
	#pausedUntil = 0;
	#isFailing = false;

	/** Throws `bad_input` for settings that cannot be used. */
	constructor({ settings, folder, log }: EmbeddingsOptions) {
		this.#endpoint = new EmbeddingEndpoint(settings);
		this.#log = log;
		this.#vectors = new VectorFile(`${folder}/${hashOf(`${settings.url}\n${settings.model}`)}.vectors`);
	}

	/** Undefined when the vector of the query does not come in time, or most documents have none yet. The same array is not read again. */
	async nearness(query: string, documents: readonly EmbeddedDocument[]): Promise<Nearness | undefined> {
		if (documents.length === 0 || documents.length > EMBEDDED_LIMIT) return undefined;
		if (Date.now() < this.#pausedUntil) return undefined;
		const hashes = this.#hashesOf(documents);
		if (!this.#complete.has(documents)) this.#filling ??= this.#fill(documents, hashes);
		const vector = await within(this.#vectorOf(query), QUERY_WAIT_MS, false);
		if (vector === undefined) this.#failed(`no answer within ${QUERY_WAIT_MS} ms`);
		if (!vector) return undefined;
		const found = new Map<string, number>();
		for (const [at, { id }] of documents.entries()) {
			const similarity = this.#vectors.similarity(hashes[at] ?? '', vector);
			if (similarity !== undefined) found.set(id, similarity);
		}
		return found.size >= LEAST_EMBEDDED_SHARE * documents.length ? found : undefined;
	}

	/** Resolves when no document waits for its vector. Never rejects. */
	async settled(): Promise<void> {
		await this.#filling;
	}

	/** End what is under way; what was received is stored. Idempotent. */
	async close(): Promise<void> {
		this.#closing.abort();
		await this.#filling;
	}

	#hashesOf(documents: readonly EmbeddedDocument[]): readonly string[] {
		const hashes = this.#hashes.get(documents) ?? documents.map(({ text }) => hashOf(cut(text)));
		this.#hashes.set(documents, hashes);
		return hashes;
	}

	/** False without an answer; a late one is there for the next time. */
	async #vectorOf(query: string): Promise<Float32Array | false> {
		const text = cut(query);
		const known = this.#queries.get(text);
		if (known) return known;
		if (this.#queriesInFlight >= QUERIES_AT_ONCE) return false;
		this.#queriesInFlight++;
		try {
			const [vector] = await this.#endpoint.embed([text], EMBEDDING_REQUEST_MS, this.#closing.signal);
			if (!vector) return false;
			this.#queries.set(text, vector);
			this.#isFailing = false;
			for (const oldest of this.#queries.keys()) {
				if (this.#queries.size <= CACHED_QUERIES) break;
				this.#queries.delete(oldest);
			}
			return vector;
		} catch (error) {
			this.#failed(messageOf(error));
			return false;
		} finally {
			this.#queriesInFlight--;
		}
	}

	async #fill(documents: readonly EmbeddedDocument[], hashes: readonly string[]): Promise<void> {
		try {
			const missing = new Map<string, string>();
			for (const [at, hash] of hashes.entries())
				if (!this.#vectors.has(hash)) missing.set(hash, cut(documents[at]?.text ?? ''));
			const entries = [...missing];
			for (let at = 0; at < entries.length; at += BATCH_STRINGS) {
				const batch = entries.slice(at, at + BATCH_STRINGS);
				const inputs = batch.map(([, text]) => text);
				const vectors = await this.#endpoint.embed(inputs, EMBEDDING_REQUEST_MS, this.#closing.signal);
				for (const [place, [hash]] of batch.entries()) {
					const vector = vectors[place];
					if (vector) this.#vectors.put(hash, vector);
				}
				this.#isFailing = false;
			}
			this.#complete.add(documents);
			this.#vectors.save();
		} catch (error) {
			this.#failed(messageOf(error));
		} finally {
			this.#filling = undefined;
		}
	}

	/** Said once until it works again. */
	#failed(reason: string): void {
		if (this.#closing.signal.aborted) return;
		this.#pausedUntil = Date.now() + EMBEDDING_PAUSE_MS;
		if (!this.#isFailing) this.#log.warn(`searching without embeddings: ${reason}`);
		this.#isFailing = true;
	}
}

function cut(text: string): string {
	return text.slice(0, EMBEDDED_CHARACTERS) || ' ';
}

function hashOf(text: string): string {
	return sha256(text).slice(0, 32);
}
