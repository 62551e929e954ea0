/* JSON as one line for each value that is no object or array, named by its path: `items[3].user.login: "ada"`. */
import { memberPath } from '../cut-json.ts';
import type { ExactJson } from './exact-numbers.ts';
import type { LineSearch } from './line-search.ts';

export function leafLines(json: ExactJson): LineSearch {
	const lines: string[] = [];
	const paths: string[] = [];
	const pending: [path: string, value: unknown][] = [['', json.value]];
	for (let next = pending.pop(); next; next = pending.pop()) {
		const [path, value] = next;
		if (typeof value !== 'object' || value === null) {
			paths.push(path || '@');
			lines.push(json.encode(value, Number.POSITIVE_INFINITY));
			continue;
		}
		// The last is taken first.
		if (Array.isArray(value)) {
			for (let at = value.length - 1; at >= 0; at--) pending.push([`${path}[${at}]`, value[at]]);
			continue;
		}
		const names = Object.keys(value);
		for (let at = names.length - 1; at >= 0; at--) {
			const name = names[at] ?? '';
			pending.push([memberPath(path, name), Reflect.get(value, name)]);
		}
	}
	return { lines, nameOf: (at) => paths[at] ?? '@', areNamesSearched: true };
}
