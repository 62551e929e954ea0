/*
 * The worker of a hub, which follows its configuration: other patterns, labels and limits
 * count at once; another server, name or group needs a new connection, which is made
 * when the running calls of the old one have ended.
 */
import { messageOf } from '../../errors.ts';
import type { WorkerOverview } from '../../hub/fabric-overview.ts';
import type { OpenedHub } from '../../hub/open-hub.ts';
import type { Log } from '../../log.ts';
import type { FabricWorker, WorkerSettings } from './fabric-worker.ts';

/** The present configuration of the worker. */
export interface WorkerPlan {
	/** Equal for the same servers, name and group. */
	readonly key: string;
	readonly settings: WorkerSettings;
	/** Throws `bad_input` for servers that may not be used. */
	open(): FabricWorker;
}

export class ConfiguredWorker {
	readonly #wanted: () => WorkerPlan | undefined;
	readonly #log: Log;
	#worker: FabricWorker | undefined;
	#key = '';
	#changing: Promise<void> = Promise.resolve();
	#stopListening: () => void = () => {};
	#isClosed = false;

	/** @param wanted undefined when nothing is advertised */
	constructor(wanted: () => WorkerPlan | undefined, log: Log) {
		this.#wanted = wanted;
		this.#log = log;
	}

	get isOpen(): boolean {
		return this.#worker !== undefined;
	}

	/** Undefined while nothing is advertised. */
	overview(): WorkerOverview | undefined {
		return this.#worker?.overview();
	}

	/** The names of the tools that are advertised. */
	get tools(): readonly string[] {
		return this.#worker?.tools ?? [];
	}

	/** Resolves when the tools are advertised; rejects with `bad_input` when the servers cannot be used. */
	async advertised(): Promise<void> {
		await this.#worker?.advertised;
	}

	/** Advertise, and follow the configuration from now on. Throws `bad_input` for servers that may not be used. */
	async follow(opened: Pick<OpenedHub, 'onReload'>): Promise<void> {
		await this.#apply();
		this.#stopListening = opened.onReload(() => {
			this.#changing = this.#changing
				.then(() => this.#apply())
				.catch((error: unknown) =>
					this.#log.error(`the changed settings of the fabric cannot be used: ${messageOf(error)}`),
				);
		});
	}

	/** Accept no more calls, finish those that run, and leave. */
	async close(): Promise<void> {
		this.#isClosed = true;
		this.#stopListening();
		await this.#worker?.close();
		// A change that was being made may have closed another one.
		await this.#changing;
	}

	async #apply(): Promise<void> {
		if (this.#isClosed) return;
		const wanted = this.#wanted();
		if (wanted !== undefined && this.#worker !== undefined && wanted.key === this.#key)
			return this.#worker.change(wanted.settings);
		const before = this.#worker;
		this.#worker = undefined;
		await before?.close();
		if (wanted === undefined || this.#isClosed) return;
		this.#worker = wanted.open();
		this.#key = wanted.key;
		await this.#worker.open();
	}
}
