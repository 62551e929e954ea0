/* Work that must not overlap, such as the writes of one file. */

/** Returns a function that begins each work when those before it have ended, whether they failed or not. */
export function inOrder(): <T>(work: () => Promise<T>) => Promise<T> {
	let last: Promise<unknown> = Promise.resolve();
	return (work) => {
		const done = last.then(work);
		last = done.catch(() => {}); // the caller gets it
		return done;
	};
}
