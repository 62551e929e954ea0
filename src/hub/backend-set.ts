/*
 * The backends of a hub, and those that were replaced and still drain their calls.
 * Everything that is added here is closed here.
 */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Change } from '../mcp/server/provider.ts';
import { within } from '../rpc/clock.ts';
import type { Backend } from './backends/backend.ts';

/** Backends that are closed together: the exits of a hundred processes at once would leave the hub no CPU. */
const CLOSED_TOGETHER = 8;
/** When the next ones are closed, although these are slow. */
const CLOSE_STEP_MS = 20;

export class BackendSet {
	readonly #log: Log;
	readonly #onChange: (change: Change) => void;
	readonly #unsubscribers = new Map<Backend, () => void>();
	readonly #retiring = new Set<Backend>();
	#current: readonly Backend[] = [];

	/** @param onChange is called with the changes of every current backend */
	constructor(log: Log, onChange: (change: Change) => void) {
		this.#log = log;
		this.#onChange = onChange;
	}

	/** In configuration order. */
	get current(): readonly Backend[] {
		return this.#current;
	}

	/** With the replaced ones that are not closed yet. */
	get all(): readonly Backend[] {
		return [...this.#current, ...this.#retiring];
	}

	/** Use these backends. Returns those that are no longer used; `retire` them. */
	use(backends: readonly Backend[]): readonly Backend[] {
		const gone = this.#current.filter((backend) => !backends.includes(backend));
		this.#current = backends;
		for (const backend of backends) {
			if (this.#unsubscribers.has(backend)) continue;
			this.#unsubscribers.set(backend, backend.onChange?.((change) => this.#onChange(change)) ?? (() => {}));
		}
		return gone;
	}

	/** Those with `retire` drain in the background; resolves when the others are closed. */
	async retire(gone: readonly Backend[]): Promise<void> {
		const closed = gone.map(async (backend) => {
			this.#retiring.add(backend);
			await this.#close(backend, () => backend.retire?.() ?? backend.close());
			this.#retiring.delete(backend);
		});
		await Promise.all(closed.filter((_, at) => gone[at]?.retire === undefined));
	}

	/** Close all of them, a few at a time. */
	async close(): Promise<void> {
		const backends = this.all;
		this.#current = [];
		const closing: Promise<unknown>[] = [];
		for (const backend of backends) {
			closing.push(this.#close(backend, () => backend.close()));
			if (closing.length % CLOSED_TOGETHER === 0) await within(Promise.all(closing), CLOSE_STEP_MS);
		}
		await Promise.all(closing);
	}

	async #close(backend: Backend, close: () => Promise<void>): Promise<void> {
		this.#unsubscribers.get(backend)?.();
		this.#unsubscribers.delete(backend);
		try {
			await close();
		} catch (error) {
			this.#log.warn(`${backend.id} did not close cleanly: ${messageOf(error)}`);
		}
	}
}
