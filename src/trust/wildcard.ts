/* Names against patterns with `*`, in linear time: a pattern may come from a project of somebody else. */

/** Whether `name` matches `pattern`, in which `*` stands for any characters. */
export function matchesWildcard(pattern: string, name: string): boolean {
	const [head = '', ...rest] = pattern.split('*');
	const tail = rest.pop();
	if (tail === undefined) return pattern === name;
	if (name.length < head.length + tail.length || !name.startsWith(head) || !name.endsWith(tail)) return false;
	let at = head.length;
	const end = name.length - tail.length;
	for (const part of rest) {
		const found = name.indexOf(part, at);
		if (found === -1 || found + part.length > end) return false;
		at = found + part.length;
	}
	return true;
}
