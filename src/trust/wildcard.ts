/*
 * Patterns with `*`, the only ones for names: of tools, servers' tools, clients and calls.
 * Matching takes linear time, since a pattern may come from a project of another user.
 */

/** A test for names; `*` in the pattern stands for any characters. */
export function wildcard(pattern: string): (name: string) => boolean {
	const [head = '', ...rest] = pattern.split('*');
	const tail = rest.pop();
	if (tail === undefined) return (name) => name === pattern;
	const parts = rest.filter((part) => part !== '');
	return (name) => {
		const end = name.length - tail.length;
		if (end < head.length || !name.startsWith(head) || !name.endsWith(tail)) return false;
		let at = head.length;
		for (const part of parts) {
			const found = name.indexOf(part, at);
			if (found === -1 || found + part.length > end) return false;
			at = found + part.length;
		}
		return true;
	};
}

/** Whether `name` matches `pattern`. */
export function matchesWildcard(pattern: string, name: string): boolean {
	return wildcard(pattern)(name);
}
