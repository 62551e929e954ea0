/*
 * Patterns with `*`: names of tools, servers' tools, clients and calls, and file names of the storage, which have more
 * signs (`hub/storage/name-pattern.ts`).
 *
 * A pattern may come from a project of another user, so it is no regular expression as a whole: a segment between
 * two stars is looked for from the end of the one before, and its first place is the best. So each character of a
 * name is looked at once for each segment at most, and never again.
 */

/** A test for names; `*` in the pattern stands for any characters. */
export function wildcard(pattern: string): (name: string) => boolean {
	return segmentTest(pattern.split('*').map(literalSource), 's');
}

/** Whether `name` matches `pattern`. */
export function matchesWildcard(pattern: string, name: string): boolean {
	return wildcard(pattern)(name);
}

/**
 * A test for names that have these segments in this order, the first at the start, the last at the end, and anything
 * between them.
 * @param segments sources of regular expressions without repetitions
 */
export function segmentTest(segments: readonly string[], flags: string): (name: string) => boolean {
	const [first = '', ...others] = segments;
	const last = others.pop();
	if (last === undefined) {
		const whole = new RegExp(`^${first}$`, flags);
		return (name) => whole.test(name);
	}
	const steps = [
		new RegExp(first, `${flags}y`),
		...others.filter((each) => each !== '').map((each) => new RegExp(each, `${flags}g`)),
	];
	const ending = new RegExp(`(?<=(${last}))$`, `${flags}y`);
	return (name) => {
		ending.lastIndex = name.length;
		const [, tail] = ending.exec(name) ?? [];
		if (tail === undefined) return false;
		let at = 0;
		for (const step of steps) {
			step.lastIndex = at;
			if (!step.test(name)) return false;
			at = step.lastIndex;
		}
		return at + tail.length <= name.length;
	};
}

/** The source of a regular expression for this text. */
export function literalSource(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
