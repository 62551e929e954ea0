/* The HTTP listener of a hub: opened at its start when it is configured, or later at the request of a user. */
import { OrchestraError } from '../../errors.ts';
import type { HubHttp } from './run-hub.ts';

export class HttpSwitch {
	readonly #open: (address: string) => Promise<HubHttp>;
	#opening: Promise<HubHttp> | undefined;
	#current: HubHttp | undefined;
	#isClosed = false;
	/** Called each time it opens. */
	onOpen: () => void = () => {};

	constructor(open: (address: string) => Promise<HubHttp>) {
		this.#open = open;
	}

	/** The listener; undefined when it is not open. */
	get current(): HubHttp | undefined {
		return this.#current;
	}

	/** The listener, opened at this address when there is none. Single-flight; a failure can be tried again. */
	async ensure(address: string): Promise<HubHttp> {
		if (this.#isClosed) throw new OrchestraError('closed', 'the hub is shutting down');
		this.#opening ??= this.#open(address);
		try {
			const opened = await this.#opening;
			const isNew = this.#current !== opened;
			this.#current = opened;
			if (isNew && !this.#isClosed) this.onOpen();
			return opened;
		} catch (thrown) {
			this.#opening = undefined;
			throw thrown;
		}
	}

	/** Close it, also when it is about to open. Idempotent. */
	async close(): Promise<void> {
		this.#isClosed = true;
		// One that does not open has reported why.
		const opened = await this.#opening?.catch(() => undefined);
		this.#current = undefined;
		await opened?.close();
	}
}
