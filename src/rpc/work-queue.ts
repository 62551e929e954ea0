/* Work that is done one after the other, in the order in which it came. */

export class WorkQueue {
	/** Settles with the last work; never rejects. */
	#last: Promise<unknown> = Promise.resolve();

	/** Do `work` when all before it has ended, in whatever way. */
	run<T>(work: () => Promise<T>): Promise<T> {
		const done = this.#last.then(work);
		this.#last = done.catch(() => {}); // the caller gets the error
		return done;
	}
}
