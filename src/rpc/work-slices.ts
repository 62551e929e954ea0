/* Long work in slices, so that the event loop runs between them. */

/** Longest slice, in milliseconds. */
export const SLICE_MS = 8;

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
