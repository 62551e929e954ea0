/* Long work in slices, so that the event loop runs between them. */
import { SLICE_MS } from './rpc-limits.ts';

/** Do work that is written as a generator, in slices. */
export async function inSlices<T>(steps: Iterator<void, T>): Promise<T> {
	const slices = new WorkSlices();
	for (;;) {
		const { done, value } = steps.next();
		if (done) return value;
		if (slices.isOver) await slices.next();
	}
}

export class WorkSlices {
	#endsAt = performance.now() + SLICE_MS;

	get isOver(): boolean {
		return performance.now() >= this.#endsAt;
	}

	/** Let the event loop run, then begin the next slice. */
	async next(): Promise<void> {
		await new Promise((resolve) => setImmediate(resolve));
		this.#endsAt = performance.now() + SLICE_MS;
	}
}
