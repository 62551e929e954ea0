/*
 * The sources of a hub, and those that were replaced and still drain their calls.
 * Everything that is added here is closed here.
 */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Change } from '../mcp/server/provider.ts';
import { within } from '../rpc/clock.ts';
import { CLOSE_STEP_MS, SOURCES_CLOSED_AT_ONCE } from './hub-limits.ts';
import { able, type Source } from './source.ts';

export class SourceSet {
	readonly #log: Log;
	readonly #onChange: (change: Change) => void;
	readonly #unsubscribers = new Map<Source, () => void>();
	readonly #retiring = new Set<Source>();
	#current: readonly Source[] = [];

	/** @param onChange is called with the changes of every current source */
	constructor(log: Log, onChange: (change: Change) => void) {
		this.#log = log;
		this.#onChange = onChange;
	}

	/** The sources in configuration order. */
	get current(): readonly Source[] {
		return this.#current;
	}

	/** The sources with the replaced ones that are not closed yet. */
	get all(): readonly Source[] {
		return [...this.#current, ...this.#retiring];
	}

	/** Use these sources. Returns those that are no longer used; `retire` them. */
	use(sources: readonly Source[]): readonly Source[] {
		const gone = this.#current.filter((source) => !sources.includes(source));
		this.#current = sources;
		for (const source of sources) {
			if (this.#unsubscribers.has(source)) continue;
			this.#unsubscribers.set(source, source.watch?.((change) => this.#onChange(change)) ?? (() => {}));
		}
		return gone;
	}

	/** Sources with `retire` drain in the background; resolves when the others are closed. */
	async retire(gone: readonly Source[]): Promise<void> {
		const closed = gone.map(async (source) => {
			this.#retiring.add(source);
			await this.#close(source, () => able(source, 'retire')?.retire?.() ?? source.close());
			this.#retiring.delete(source);
		});
		await Promise.all(closed.filter((_, at) => able(gone[at], 'retire')?.retire === undefined));
	}

	/** Close all of them, a few at a time. */
	async close(): Promise<void> {
		const sources = this.all;
		this.#current = [];
		const closing: Promise<unknown>[] = [];
		for (const source of sources) {
			closing.push(this.#close(source, () => source.close()));
			if (closing.length % SOURCES_CLOSED_AT_ONCE === 0) await within(Promise.all(closing), CLOSE_STEP_MS);
		}
		await Promise.all(closing);
	}

	async #close(source: Source, close: () => Promise<void>): Promise<void> {
		this.#unsubscribers.get(source)?.();
		this.#unsubscribers.delete(source);
		try {
			await close();
		} catch (error) {
			this.#log.warn(`${source.id} did not close cleanly: ${messageOf(error)}`);
		}
	}
}
