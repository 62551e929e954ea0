/*
 * The backends of a hub, and those that were replaced and still drain their calls.
 * Everything that is added here is closed here.
 */
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Change } from '../mcp/server/provider.ts';
import type { Backend } from './backends/backend.ts';

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

	/** Close all of them. */
	async close(): Promise<void> {
		const backends = this.all;
		this.#current = [];
		await Promise.all(backends.map((backend) => this.#close(backend, () => backend.close())));
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
