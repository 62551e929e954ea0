/* Reading stops while there is any reason to, and goes on when the last one is gone. */
import type { Channel } from '../rpc/channel.ts';

export class Brake {
	readonly #source: Pick<Channel, 'pause' | 'resume'>;
	readonly #reasons = new Set<unknown>();

	/** @param source whom to stop */
	constructor(source: Pick<Channel, 'pause' | 'resume'>) {
		this.#source = source;
	}

	/** Stop or go on, as far as this reason is concerned. */
	set(reason: unknown, isOn: boolean): void {
		const before = this.#reasons.size;
		if (isOn) this.#reasons.add(reason);
		else this.#reasons.delete(reason);
		const after = this.#reasons.size;
		if (before === 0 && after > 0) this.#source.pause();
		if (before > 0 && after === 0) this.#source.resume();
	}

	/** Stop until `sink` has room again. */
	waitFor(sink: Pick<Channel, 'flushed'>): void {
		if (this.#reasons.has(sink)) return;
		this.set(sink, true);
		const release = (): void => this.set(sink, false);
		// A pipe that broke meanwhile says so by its end; here it only lets go.
		sink.flushed().then(release, release);
	}
}
