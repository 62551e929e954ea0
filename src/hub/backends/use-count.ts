/* How many calls use a process, and how long none has. */
import { timerMs } from '../../rpc/clock.ts';

export class UseCount {
	#count = 0;
	#lastUsed = performance.now();
	#onFree: () => void = () => {};

	get isUsed(): boolean {
		return this.#count > 0;
	}

	/** Milliseconds since the last use; 0 during one. */
	get idleMs(): number {
		return this.isUsed ? 0 : performance.now() - this.#lastUsed;
	}

	begin(): void {
		this.#count++;
	}

	end(): void {
		this.touch();
		if (--this.#count === 0) this.#onFree();
	}

	/** Count the idle time from now. */
	touch(): void {
		this.#lastUsed = performance.now();
	}

	/** Wait until nothing uses it, at most this long. */
	async free(maxMs: number): Promise<void> {
		if (!this.isUsed) return;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, timerMs(maxMs)).unref();
			this.#onFree = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	}
}
